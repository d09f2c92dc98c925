"""JSON Schema files and field tables of native formats, from their declarations."""

from __future__ import annotations

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
    return {
        "$schema": DIALECT,
        "title": f"{corpus}: {fmt.title}",
        **body,
        "$defs": dict(sorted(definitions.items())),
    }


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
