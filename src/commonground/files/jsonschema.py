"""JSON Schema files and field tables of native formats, from their declarations."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

import msgspec

from commonground.files.formats import FileFormat

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def render_schema(corpus: str, fmt: FileFormat) -> dict[str, Any]:
    """Builds the JSON Schema of a whole file of one format (of one record for text formats).

    Unknown fields are not allowed: a file that has some is read, but is not of the format.
    """
    (record,), definitions = msgspec.json.schema_components(
        (fmt.record,), ref_template="#/$defs/{name}"
    )
    body: dict[str, Any] = record
    if fmt.layout == "array":
        body = {"type": "array", "items": record}
    elif fmt.layout == "map":
        body = {"type": "object", "additionalProperties": record}
    elif fmt.layout == "splits":
        lists = {"type": "array", "items": record}
        body = {"type": "object", "additionalProperties": lists}
    elif fmt.layout == "envelope":
        body = _envelope(fmt, record, definitions)
    schema: dict[str, Any] = _clean(
        {
            "$schema": DIALECT,
            "title": f"{corpus}: {fmt.title}",
            **body,
            "$defs": dict(sorted(definitions.items())),
        }
    )
    return schema


def _clean(node: Any) -> Any:
    """Writes descriptions alike under every Python; from 3.13 on docstrings come unindented."""
    if isinstance(node, list):
        return [_clean(each) for each in node]
    if not isinstance(node, dict):
        return node
    cleaned = {key: _clean(value) for key, value in node.items()}
    if isinstance(said := node.get("description"), str):
        fields = cleaned.get("properties", {})
        cleaned["description"], about = split_attributes(said)
        for name in fields.keys() & about.keys():
            fields[name] = {"description": about[name], **fields[name]}
    return cleaned


def split_attributes(docstring: str) -> tuple[str, dict[str, str]]:
    """Takes a docstring apart: what it says of the whole, and of each attribute by name."""
    whole, _, listed = cleandoc(docstring).partition("\n\nAttributes:\n")
    # An entry is four spaces deep, "name: text" or "a, b: text"; what its text goes on with is
    # eight deep.
    entries = re.findall(r"^    (\S[^:]*): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    about = {
        name: re.sub(r"\n +", " ", text) for names, text in entries for name in names.split(", ")
    }
    return whole, about


def _envelope(
    fmt: FileFormat, record: dict[str, Any], definitions: dict[str, Any]
) -> dict[str, Any]:
    lists = {"type": "array", "items": record}
    if fmt.envelope is None:
        return {"type": "object", "properties": {fmt.items: lists}, "required": [fmt.items]}
    (_,), parts = msgspec.json.schema_components((fmt.envelope,), ref_template="#/$defs/{name}")
    body = dict(parts.pop(fmt.envelope.__name__))
    definitions.update(parts)
    body["properties"] = {**body.get("properties", {}), fmt.items: lists}
    body["required"] = [*body.get("required", []), fmt.items]
    return body
