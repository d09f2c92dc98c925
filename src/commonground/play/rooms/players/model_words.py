"""What language models read of acts: what each of them is, and why one was refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.texts import load_texts
from commonground.play.rooms.rendering import HERE, list_folders
from commonground.play.scenario import Allowed, Refusal
from commonground.play.scenarios import ScenarioEntry

NAME = "acts.toml"
"""The file of a room that has a sentence for each of its acts, by name."""

_LISTED = 12
"""Values of a list that are named; of longer ones the schema has all."""

_MICROSECONDS = 1_000_000


class Words(msgspec.Struct, frozen=True):
    """What is said of acts.

    Attributes:
        acts: a sentence for each, by its name without that of its scenario.
        refusals: what people read where an act is refused, by code.
    """

    acts: Mapping[str, str] = {}
    refusals: Mapping[str, str] = {}

    def describe_act(self, act: Allowed) -> str:
        """Returns in sentences what an act is, and which of its arguments go together."""
        name = act.type.rpartition(".")[2]
        said = self.acts.get(name, f"Do this: {name.replace('_', ' ')}.")
        branches = [_describe_branch(each) for each in act.payload.get("anyOf", ())]
        # Parameters of tools have no alternatives at the top.
        joined = ", or ".join(filter(None, branches))
        return f"{said} It is accepted where {joined}." if joined else said

    def explain(self, refusal: Refusal, schema: Mapping[str, Any], payload: Any) -> str:
        """Returns in sentences why an act was refused, by the JSON Schema of what was allowed."""
        misfits = list(list_misfits(schema, payload))
        code = refusal.code
        if code == "bad_payload" and misfits:
            return " ".join(misfits)
        said = self.refusals.get(code, f"It is not possible now: {code.replace('_', ' ')}.")
        return " ".join([said, *misfits])


def load_words(scenario: ScenarioEntry) -> Words:
    """Reads what is said of a scenario's acts; a room without sentences has none.

    Raises:
        FormatError: a file of sentences cannot be read.
    """
    if not scenario.room.is_dir():
        return Words(_read_acts([Path(__file__).parent]))
    folders = list_folders(scenario.room, read_plan(scenario.room))
    texts = load_texts("en", (HERE / "texts", *folders))
    return Words(_read_acts([Path(__file__).parent, *folders]), texts.below("script.reject"))


def _read_acts(folders: Iterable[Path]) -> dict[str, str]:
    acts: dict[str, str] = {}
    for path in (each / NAME for each in folders):
        if path.is_file():
            try:
                acts |= msgspec.convert(tomllib.loads(path.read_text("utf-8")), dict[str, str])
            except (ValueError, msgspec.ValidationError) as error:
                raise FormatError(f"{path}: {error}.", "Write a sentence for each act.") from error
    return acts


def show_time(at_us: int) -> str:
    """Returns the time of day of microseconds since 1970: all that a player needs of them."""
    return f"{datetime.fromtimestamp(at_us // _MICROSECONDS, UTC):%H:%M:%S}"


def _describe_branch(schema: Mapping[str, Any]) -> str:
    """Returns what one of several forms of arguments demands; empty where it cannot be said."""
    fields = schema.get("properties", {})
    said = [f"{name} {demand}" for name, each in fields.items() if (demand := _demand(each))]
    said += [f"{name} is given" for name in schema.get("required", ()) if name not in fields]
    return " and ".join(said)


def _demand(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"is {join_values(schema['enum'])}"
    if "const" in schema:
        return f"is {schema['const']}"
    if "examples" in schema:
        return f"is such as {join_values(schema['examples'])}"
    return "is not empty" if schema.get("pattern") == r"\S" else ""


def join_values(values: Iterable[Any]) -> str:
    """Returns a list in words, such as ``picture 1, picture 2 or picture 4``; long ones short."""
    shown = [each if isinstance(each, str) else _write(each) for each in values]
    if len(shown) > _LISTED:
        return f"{', '.join(shown[:_LISTED])} or one of {len(shown) - _LISTED} more"
    *first, last = shown or ["nothing"]
    return f"{', '.join(first)} or {last}" if first else last


def _write(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def list_misfits(schema: Mapping[str, Any], payload: Any) -> Iterator[str]:
    """Yields in sentences what of some arguments does not fit their JSON Schema."""
    from jsonschema import Draft202012Validator

    found: dict[str, None] = {}
    for error in Draft202012Validator(schema).iter_errors(payload):
        place = ".".join(map(str, error.absolute_path)) or "The arguments"
        said = _describe_error(error.validator, error.validator_value, place, error.instance)
        # Each field that is missing is an error of its own, and all are said with the first.
        found |= dict.fromkeys(said)
    yield from found


def _describe_error(kind: Any, wanted: Any, place: str, found: Any) -> Iterator[str]:
    """Yields what is wrong with a value, by the keyword of JSON Schema that says so."""
    where = "" if place == "The arguments" else f"{place}."
    match kind:
        case "required":
            yield from (f"{where}{name} is missing." for name in wanted if name not in found)
        case "additionalProperties":
            yield f"{place} have something that is not asked for."
        case "enum" | "const":
            values = wanted if kind == "enum" else [wanted]
            yield f"{place} must be {join_values(values)}, and is {_shorten(found)}."
        case "type":
            kinds = wanted if isinstance(wanted, list) else [wanted]
            yield f"{place} must be {join_values(_KINDS.get(each, each) for each in kinds)}."
        case "minLength" if wanted == 1:
            yield f"{place} is empty."
        case "maxLength":
            yield f"{place} has {len(found):,} characters, and may have {wanted:,} at most."
        case "pattern":
            yield f"{place} has a form that is not accepted: {_shorten(found)}."
        case "minimum" | "exclusiveMinimum":
            yield f"{place} is too small: {found}."
        case "maximum" | "exclusiveMaximum":
            yield f"{place} is too large: {found}."
        case "uniqueItems":
            yield f"{place} has something twice."
        case "anyOf":
            said = list(filter(None, map(_describe_branch, wanted)))
            yield f"It is accepted where {', or '.join(said)}." if said else f"{place} do not fit."
        case _:
            yield f"{place} is not accepted."


_KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _shorten(value: Any) -> str:
    text = re.sub(r"\s+", " ", value if isinstance(value, str) else _write(value))
    return text if len(text) <= 80 else f"{text[:80]} ..."
