"""What an export format is, and which there are."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.discovery import find_values
from commonground.errors import FormatError, UsageError, find_named, unknown_name
from commonground.exports.loss import Carried, Feature, Loss

Options = Mapping[str, Any]
"""Values of a format's options by name; every declared option is there."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option of one format, on the command line ``--name``.

    Attributes:
        name: with underscores: ``arguments``.
        help: one sentence.
        default: used where the user says nothing; a bool makes it a flag.
        choices: what it may be; empty means any text.
        needs: another option, without which this one has no effect and no value; empty for
            none.
    """

    name: str
    help: str
    default: str | bool | None = None
    choices: tuple[str, ...] = ()
    needs: str = ""


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """A format to export to: the constant ``EXPORT`` of a module in ``exports/formats/``.

    Functions are given every option of the format by keyword; a name that is a word of Python
    has a ``_`` after it there (``--as`` is ``as_``).

    Attributes:
        name: as on the command line.
        title: what comes out, in a few words.
        summary: one paragraph: what is written, who reads it, and how.
        carries: what fits; a function where that depends on the options, its only arguments.
        write: writes files below a new, empty folder. Arguments: selection, folder, and the
            options. Returns what is lost beyond the columns that are not carried, which are
            counted for it.
        features: what ``write`` may count as lost, by name.
        options: options of its own.
        example: of a command line, below ``commonground export``.
    """

    name: str
    title: str
    summary: str
    carries: Carried | Callable[..., Carried]
    write: Callable[..., Loss]
    features: Mapping[str, Feature] = {}
    options: tuple[Option, ...] = ()
    example: str = ""

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the value of every option, given some.

        Raises:
            UsageError: there is no such option, or it may not have that value, or needs another.
        """
        known = {option.name: option for option in self.options}
        values = {name: option.default for name, option in known.items()}
        for name, value in given.items():
            if name not in known:
                raise unknown_name("option", name, known, f"of {self.name}")
            choices = known[name].choices
            if choices and value is not None and value not in choices:
                raise unknown_name("value", str(value), choices, f"of {name}")
            values[name] = value
        for option in self.options:
            if not option.needs or values[option.needs] is not None:
                continue
            # The command line gives defaults like anything that was typed.
            if values[option.name] not in (None, option.default):
                raise UsageError(
                    f"--{option.name} has no effect without --{option.needs}.",
                    f"Give both, or leave --{option.name} out.",
                )
            values[option.name] = None
        return values

    def carried(self, values: Options) -> Carried:
        """Returns what fits, given the value of every option."""
        if isinstance(self.carries, Carried):
            return self.carries
        return self.carries(**name_arguments(values))


def name_arguments(values: Options) -> dict[str, Any]:
    """Returns options under names that parameters of Python may have."""
    return {f"{name}_" if keyword.iskeyword(name) else name: v for name, v in values.items()}


@cache
def _find_exports() -> dict[str, Export]:
    found: dict[str, Export] = {}
    folder = Path(__file__).with_name("formats")
    rooms = ["", *sorted(path.parent.name for path in folder.glob("*/export.py"))]
    for room in rooms:
        package = f"{__package__}.formats"
        for path, export in find_values(package, folder, Export, room, name="EXPORT"):
            if export.name in found:
                raise FormatError(f"{path}: there is an export {export.name!r} already.")
            found[export.name] = export
    return found


def iterate_exports() -> Iterator[Export]:
    """Yields every export format found, in order of name."""
    found = _find_exports()
    for name in sorted(found):
        yield found[name]


def get_export(name: str) -> Export:
    """Returns the export format of a name.

    Raises:
        UsageError: there is none.
    """
    return find_named("export format", name, _find_exports())
