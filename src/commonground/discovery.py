"""Finding what folders hold: corpora, tasks, rules, figures, metrics, exports; none is listed.

Whatever can be added is a file in a folder, or a value in such a file. Nothing is registered, so
adding a thing edits no other file, and taking a file away takes the thing away.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from commonground.errors import FormatError

T = TypeVar("T")
R = TypeVar("R")


def iterate_modules(
    package: str, folder: Path, room: str = ""
) -> Iterator[tuple[Path, ModuleType]]:
    """Imports the modules of a room, in order of name.

    A module whose name begins with an underscore only helps the others.

    Args:
        package: dotted name of the package that ``folder`` is.
        folder: where the room is.
        room: a file or a folder below it, without ending: ``rules`` is ``rules.py`` or all of
            ``rules/``; a path such as ``scenario/fashion`` is a folder further down. Empty for
            the folder itself. It need not be there.

    Yields:
        The file and the module.
    """
    inside = folder / room
    dotted = ".".join([package, *filter(None, room.split("/"))])
    if room and inside.with_suffix(".py").is_file():
        yield inside.with_suffix(".py"), importlib.import_module(dotted)
    for path in sorted(inside.glob("*.py")):
        if not path.stem.startswith("_"):
            yield path, importlib.import_module(f"{dotted}.{path.stem}")


def find_values(
    package: str, folder: Path, kind: type[T], room: str = "", name: str | None = None
) -> Iterator[tuple[Path, T]]:
    """Yields the module-level values of a kind, each with its file.

    Args:
        package: dotted name of the package that ``folder`` is.
        folder: where the room is.
        kind: their type; a value of another type is passed over. Tuples are looked into.
        room: see :func:`iterate_modules`.
        name: of the constant, such as ``TASK``; None for any name.
    """
    for path, module in iterate_modules(package, folder, room):
        held = vars(module)
        for value in held.values() if name is None else [held.get(name)]:
            # Rules and formats are declared singly or as a tuple of several.
            for each in value if isinstance(value, tuple) and kind is not tuple else (value,):
                if isinstance(each, kind):
                    yield path, each


def offer(function: Callable[..., R], *names: str) -> Callable[..., R]:
    """Lets a function that was found take what it wants to know, and no more.

    Args:
        function: takes the first of what it is offered under any name, and of the rest what it
            names, in any order. One that takes as many as there are is left as it is.
        names: what is offered, in the order in which the result is given it.

    Raises:
        FormatError: the function asks for something else; the message says where and what.
    """
    asked = list(inspect.signature(function).parameters.values())
    # It takes everything already: no wrapper, so that each call costs what it did.
    if len(asked) >= len(names) or any(each.kind is each.VAR_POSITIONAL for each in asked):
        return function
    unknown = [each.name for each in asked[1:] if each.name not in names]
    if unknown:
        raise FormatError(
            f"{function.__module__}.{function.__name__} asks for {', '.join(unknown)}.",
            f"It can be given {', '.join(names)}.",
        )
    places = [0, *(names.index(each.name) for each in asked[1:])]
    return lambda *given: function(*[given[place] for place in places])
