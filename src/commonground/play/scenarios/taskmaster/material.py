"""What a dialogue is written by: a script with its title, and what is asked of the writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from commonground.corpora.taskmaster.native.ontology import ApiDeclaration, Entities
from commonground.corpora.taskmaster.script_language import (
    Line,
    Other,
    Response,
    ScriptCall,
    ScriptError,
    parse_script,
)
from commonground.errors import FormatError, SourceError
from commonground.model import Json
from commonground.play.worlds import get_world

replace = msgspec.structs.replace

T = TypeVar("T")

SUFFIXES = (".script", ".txt")
"""Endings of files that hold one script each; the rest of the name is its title."""

FACTS = "world.json"
"""File beside scripts with the facts of a world that answers calls."""

LEAST_TURNS, MOST_TURNS = 10, 15
"""Of a dialogue in free form; generation 1 asked for ten and had room for fifteen."""


class Api(msgspec.Struct, frozen=True):
    """What may stand in a call of an API and in what it gives back."""

    arguments: tuple[str, ...]
    answers: tuple[str, ...] = ()


class TaskmasterMaterial(msgspec.Struct, frozen=True):
    """What a dialogue is written by.

    Attributes:
        title: of the script; the dialogue's ``scenario``.
        script: its text, which goes into the record as it stands.
        values: of variables that would be drawn; those that are missing are drawn by the seed.
        least_turns, most_turns: of a dialogue in free form.
        labels: what stretches of the text may be called; None for those of the corpus.
        apis: what may be called, by name; None for those of the corpus.
        facts: JSON of the facts of a world that answers the calls that no response follows; None
            where there are no such calls, or they are left out.
    """

    title: str
    script: str
    values: dict[str, str] = {}
    least_turns: int = LEAST_TURNS
    most_turns: int = MOST_TURNS
    labels: tuple[str, ...] | None = None
    apis: dict[str, Api] | None = None
    facts: Json = None


def require_sound(material: TaskmasterMaterial) -> None:
    """Does nothing for material that a dialogue can be written by.

    Raises:
        FormatError: the text is no script, has no conversation, or a name stands for two values.
    """
    try:
        script = parse_script(material.script)
    except ScriptError as error:
        raise FormatError(f"{material.title}: {error.message}", error.advice) from error
    if script.conversation is None:
        advice = "Add {{CONVERSATION}}, with its lines, or without them for a free form."
        raise FormatError(f"{material.title} has no CONVERSATION.", advice)
    if not 1 <= material.least_turns <= material.most_turns:
        found = f"{material.least_turns} to {material.most_turns}"
        raise FormatError(f"{material.title}: {found} turns; expected 1 or more, then no fewer.")
    if not material.title.strip():
        raise FormatError("A script has no title.", "Name its file, such as Plain order.script.")


def list_scripts(folder: Path) -> list[Path]:
    """Returns the files of a folder that hold a script each, in order of name.

    Raises:
        SourceError: the folder cannot be read.
        FormatError: there is none.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}.") from error
    if not paths:
        raise FormatError(f"{folder} holds no scripts.", f"Their names end in {SUFFIXES[0]}.")
    return paths


def read_script_text(path: Path) -> str:
    """Returns the text of a script, line ends as they are.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: {error}.") from error


def read_material(folder: Path, world: str | None = None) -> list[TaskmasterMaterial]:
    """Reads one script from each file of a folder, in order of name.

    ``apis.json`` and ``entities.json``, in the folder or in ``ontology`` below it, say what the
    scripts may call and what stretches of the text may be called; without them what the corpus
    declares holds. ``world.json`` has the facts of a world that answers calls; without it they are
    invented for the scripts whose calls are not all answered, the same for every script.

    Args:
        world: name of the world; None where none answers calls.

    Raises:
        SourceError: the folder or a file cannot be read.
        FormatError: there is no script, or a file is none; the message says where.
    """
    paths = list_scripts(folder)
    apis, labels = read_apis(folder), _read_labels(folder)
    data = _read_first(folder, FACTS)
    facts: Json = None
    if data is not None:
        facts = _decode(folder, data, dict[str, Any])
    elif world is not None:
        facts = msgspec.to_builtins(get_world(world).invent(0).facts)
    made = [
        TaskmasterMaterial(each.stem, read_script_text(each), apis=apis, labels=labels, facts=facts)
        for each in paths
    ]
    for path, material in zip(paths, made, strict=True):
        try:
            require_sound(material)
        except FormatError as error:
            raise FormatError(f"{path}: {error.message}", error.advice) from error
    return [
        each if has_open_calls(parse_script(each.script).lines) else replace(each, facts=None)
        for each in made
    ]


def has_open_calls(lines: Sequence[Line]) -> bool:
    """Says whether a conversation has a call that no response follows."""
    known = [each for each in lines if not isinstance(each, Other)]
    return any(
        isinstance(line, ScriptCall) and not isinstance(after, Response)
        for line, after in zip_longest(known, known[1:])
    )


def read_apis(folder: Path) -> dict[str, Api] | None:
    """Returns the APIs that a folder declares; None where it declares none.

    Raises:
        FormatError: its ``apis.json`` is not as that of generation 3.
    """
    data = _read_first(folder, "apis.json")
    if data is None:
        return None
    return declare_apis(_decode(folder, data, dict[str, ApiDeclaration]))


def declare_apis(declared: Mapping[str, ApiDeclaration]) -> dict[str, Api]:
    """Returns what the declarations of generation 3 say of each API."""
    return {
        name: Api((*(each.args.all_of or ()), *(each.args.any_of or ())), tuple(each.response.keys))
        # By the name that calls have; the key of a declaration is none.
        for each in declared.values()
        for name in each.apis
    }


def _read_labels(folder: Path) -> tuple[str, ...] | None:
    data = _read_first(folder, "entities.json")
    if data is None:
        return None
    groups = _decode(folder, data, dict[str, Entities])
    return tuple(name for each in groups.values() for name in (*each.required, *each.optional))


def has_facts(folder: Path) -> bool:
    """Says whether the facts of a world lie beside scripts."""
    return _read_first(folder, FACTS) is not None


def _read_first(folder: Path, name: str) -> bytes | None:
    paths = (folder / name, folder / "ontology" / name)
    return next((path.read_bytes() for path in paths if path.is_file()), None)


def _decode(folder: Path, data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        advice = "Compare it with a released one."
        raise FormatError(f"{folder}, ontology: {error}.", advice) from error


def write_json(path: Path, value: Any) -> None:
    """Writes one indented JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value)) + b"\n")
