"""Tools as they were used: JSON Schemas worked out from the arguments seen.

A schema says what was seen and nothing else: the types of every argument, which of them are
always given, and the values of a text argument that has only a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

FEW_VALUES = 6
"""Different texts that are listed as the only ones an argument may be, if there are no more ..."""

OFTEN = 50
"""... and the argument was seen at least so often: of three calls nothing follows."""

Schema = dict[str, Any]


class SeenValues:
    """Gathers decoded JSON values and says what they have in common, as a JSON Schema."""

    def __init__(self) -> None:
        self._types: Counter[str] = Counter()
        self._texts: Counter[str] | None = Counter()
        self._fields: dict[str, SeenValues] = {}
        self._given: Counter[str] = Counter()
        self._items: SeenValues | None = None

    def add(self, value: Any, count: int = 1) -> None:
        """Adds a decoded JSON value that was seen so often."""
        kind = json_type(value)
        self._types[kind] += count
        if kind == "object":
            for name, each in value.items():
                self._given[name] += count
                self._fields.setdefault(name, SeenValues()).add(each, count)
        elif kind == "array":
            self._items = self._items or SeenValues()
            for each in value:
                self._items.add(each, count)
        elif kind == "string" and self._texts is not None:
            self._texts[value] += count
            if len(self._texts) > FEW_VALUES:
                # Too many to be a closed list; they need not be remembered any more.
                self._texts = None

    def schema(self) -> Schema:
        """Returns the JSON Schema that all of them fit."""
        names = sorted(self._types)
        if "number" in names and "integer" in names:
            # Whole numbers are numbers, too: JSON Schema's ``number`` takes both.
            names.remove("integer")
        schema: Schema = {"type": names[0] if len(names) == 1 else names} if names else {}
        if "object" in names:
            schema["properties"] = {k: self._fields[k].schema() for k in sorted(self._fields)}
            always = [k for k in sorted(self._given) if self._given[k] == self._types["object"]]
            if always:
                schema["required"] = always
            schema["additionalProperties"] = False
        if self._items is not None:
            schema["items"] = self._items.schema()
        if names == ["string"] and self._texts and self._types["string"] >= OFTEN:
            schema["enum"] = sorted(self._texts)
        return schema


def json_type(value: Any) -> str:
    """Returns the JSON Schema type of a decoded value."""
    if value is None:
        return "null"
    # Before ``int``, of which it is one in Python.
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


class ToolFunction(msgspec.Struct):
    """A tool: name, description and the schema of its arguments.

    Attributes:
        name: as calls have it.
        description: the same sentence for all tools of a corpus.
        parameters: schema of the arguments seen.
    """

    name: str
    description: str
    parameters: Schema


class Tool(msgspec.Struct, kw_only=True):
    """A tool as the chat formats wrap it."""

    type: str = "function"
    function: ToolFunction


def derive_tools(calls: Iterable[tuple[str, str | None, int]], describe: str) -> dict[str, Tool]:
    """Works out the tools of a corpus, by name and in order of name.

    Args:
        calls: name, arguments as JSON text (None where nothing was given), how often.
        describe: sentence about where they are from; ``{name}`` stands for the name.
    """
    seen: dict[str, SeenValues] = {}
    for name, arguments, count in calls:
        seen.setdefault(name, SeenValues()).add(call_arguments(arguments), count)
    return {
        name: Tool(
            function=ToolFunction(name, describe.replace("{name}", name), seen[name].schema())
        )
        for name in sorted(seen)
    }


def call_arguments(arguments: str | msgspec.Raw | None) -> dict[str, Any]:
    """Returns the arguments of an action as the object that a call must have."""
    if arguments is None:
        return {}
    value = msgspec.json.decode(arguments)
    return value if isinstance(value, dict) else {"value": value}


def find_misfit(schema: Mapping[str, Any], value: Any, path: str = "$") -> str | None:
    """Returns the first place of a value that does not fit a schema of ours; None where all does.

    Args:
        schema: what :meth:`SeenValues.schema` writes: type, properties, required,
            additionalProperties, items and enum; no other words are understood.
        value: a decoded JSON value.
        path: where the value stands, for the places below it.
    """
    kinds = schema.get("type")
    if kinds is not None and not _has_type(value, [kinds] if isinstance(kinds, str) else kinds):
        return path
    if "enum" in schema and value not in schema["enum"]:
        return path
    if isinstance(value, dict):
        return _find_in_object(schema, value, path)
    if isinstance(value, list) and "items" in schema:
        found = (find_misfit(schema["items"], e, f"{path}[{i}]") for i, e in enumerate(value))
        return next(filter(None, found), None)
    return None


def _has_type(value: Any, kinds: list[str]) -> bool:
    kind = json_type(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _find_in_object(schema: Mapping[str, Any], value: dict[str, Any], path: str) -> str | None:
    properties = schema.get("properties", {})
    missing = next((name for name in schema.get("required", ()) if name not in value), None)
    if missing is not None:
        return f"{path}.{missing}"
    for name, each in value.items():
        if name not in properties:
            return f"{path}.{name}"
        found = find_misfit(properties[name], each, f"{path}.{name}")
        if found is not None:
            return found
    return None
