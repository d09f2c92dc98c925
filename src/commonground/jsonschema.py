"""JSON Schema files and field tables of native formats, from their declarations."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from commonground.formats import FileFormat

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
    if isinstance(node, dict):
        return {
            key: cleandoc(value)
            if key == "description" and isinstance(value, str)
            else _clean(value)
            for key, value in node.items()
        }
    return [_clean(each) for each in node] if isinstance(node, list) else node


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
