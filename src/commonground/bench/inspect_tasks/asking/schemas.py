"""Schemas of answers, for providers that keep models to one.

Providers want an object: the answer is its only field.
"""

from __future__ import annotations

from typing import Any

import msgspec
from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema
from inspect_ai.util._json import resolve_schema_references

from commonground.bench.evaluation.prompts import ANSWER

ASK_FOR_OBJECT = f'The list or object that is asked for stands in one field: {{"{ANSWER}": ...}}.'
"""What asks for an object."""


def make_schema(name: str, form: Any) -> ResponseSchema:
    """Returns the schema of an object whose answer has a form."""
    # msgspec refers to types by $ref, which providers do not follow.
    resolved = resolve_schema_references(msgspec.json.schema(form))
    schema = JSONSchema(
        type="object",
        properties={ANSWER: JSONSchema.model_validate(_drop_titles(resolved))},
        required=[ANSWER],
        additionalProperties=False,
    )
    return ResponseSchema(name=name, json_schema=schema)


def _drop_titles(value: Any) -> Any:
    """Leaves out names of our types and their docstrings, which are not for models."""
    if isinstance(value, list):
        return [_drop_titles(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {k: _drop_titles(v) for k, v in value.items() if k != "title"}
    # A field may itself be called `description`: then a schema stands there, and it stays.
    return {k: v for k, v in kept.items() if k != "description" or not isinstance(v, str)}
