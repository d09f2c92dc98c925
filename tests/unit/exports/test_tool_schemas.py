"""Schemas of tools, worked out from calls."""

from __future__ import annotations

from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.exports.tool_schemas import SeenValues, derive_tools, find_misfit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


def schema_of(values: list[Any], count: int = 1) -> dict[str, Any]:
    seen = SeenValues()
    for value in values:
        seen.add(value, count)
    return seen.schema()


@settings(deadline=None)
@given(st.lists(JSON, min_size=1, max_size=5))
def test_what_was_seen_fits(values: list[Any]) -> None:
    schema = schema_of(values)
    jsonschema.Draft202012Validator.check_schema(schema)
    for value in values:
        jsonschema.validate(value, schema)
        assert find_misfit(schema, value) is None


@settings(deadline=None)
@given(st.lists(JSON, min_size=1, max_size=4), JSON)
def test_our_check_agrees_with_jsonschema(values: list[Any], other: Any) -> None:
    schema = schema_of(values, count=20)
    fits = jsonschema.Draft202012Validator(schema).is_valid(other)
    # jsonschema takes 1.0 for an integer; what was seen as a float is a number to us.
    if isinstance(other, int | str | bool | None):
        assert (find_misfit(schema, other) is None) == fits


def test_always_given_is_required_and_few_values_are_listed() -> None:
    schema = schema_of([{"to": "x", "n": 1}, {"to": "y"}], count=25)
    assert schema == {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "to": {"type": "string", "enum": ["x", "y"]}},
        "required": ["to"],
        "additionalProperties": False,
    }


def test_rare_texts_are_not_listed() -> None:
    assert schema_of(["x", "y"], count=24) == {"type": "string"}  # seen 48 times, 50 are wanted
    assert schema_of(list("abcdefg"), count=50) == {"type": "string"}  # seven values, six may be


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"to": "x"}, None),
        ({}, "$.to"),
        ({"to": "z"}, "$.to"),
        ({"to": "x", "more": 1}, "$.more"),
        ({"to": "x", "list": [1, "two"]}, "$.list[1]"),
        ([], "$"),
    ],
)
def test_a_misfit_is_located(value: Any, place: str | None) -> None:
    schema = schema_of([{"to": "x", "list": [1]}, {"to": "y"}], count=25)
    assert find_misfit(schema, value) == place


def test_tools_come_by_name() -> None:
    calls = [("b", None, 1), ("a", '{"x":1}', 1), ("a", '"text"', 1)]
    tools = derive_tools(calls, "{name} of T.")
    assert list(tools) == ["a", "b"]
    assert msgspec.to_builtins(tools["a"]) == {
        "type": "function",
        "function": {
            "name": "a",
            "description": "a of T.",
            "parameters": {
                "type": "object",
                "properties": {"value": {"type": "string"}, "x": {"type": "integer"}},
                "additionalProperties": False,
            },
        },
    }
