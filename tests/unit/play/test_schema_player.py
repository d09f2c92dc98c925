"""A player that knows no game: what it draws fits, and what it cannot draw it says."""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema
import pytest

from commonground.errors import FormatError
from commonground.play.player import Moment, Move, Wait
from commonground.play.scenario import Allowed, payload_schema
from commonground.play.schema_player import RANDOM, draw_value

NOTE = {"type": "string", "maxLength": 12}
SCHEMAS: list[dict[str, Any]] = [
    {"const": 3},
    {"enum": [None, "a"]},
    {"type": ["number", "null"], "minimum": 0, "maximum": 2},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 3},
    {"type": "string", "minLength": 90, "maxLength": 99},
    {"type": "string", "pattern": "^[0-9]{1,16}$"},
    {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "maxItems": 2},
    payload_schema(("b",), a={"type": "boolean"}, b={"type": "integer"}),
    payload_schema(reason={"enum": ["x", "other"]}, note=NOTE)
    | {
        "anyOf": [
            {"properties": {"reason": {"enum": ["x"]}}},
            {"properties": {"note": {"pattern": r"\S"}}},
        ]
    },
    {"anyOf": [{"type": "boolean"}, payload_schema(a={"type": "null"})]},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_is_drawn_fits(schema: dict[str, Any]) -> None:
    for seed in range(50):
        jsonschema.Draft202012Validator(schema).validate(draw_value(schema, Random(seed)))


def test_examples_say_what_no_keyword_can() -> None:
    schema = {"type": "string", "pattern": "^[A-Z]{9}$", "examples": ["ABCDEFGHI"]}
    assert draw_value(schema, Random(0)) == "ABCDEFGHI"
    with pytest.raises(FormatError, match="Add some to the schema"):
        draw_value({"type": "string", "pattern": "^[A-Z]{9}$"}, Random(0))


def test_acts_that_others_wait_for_are_likelier() -> None:
    waited = Allowed("toy.mark", payload_schema())
    allowed = [Allowed("chat.message", payload_schema(text=NOTE)), waited]
    player, rng = RANDOM.enter(None), Random(1)  # type: ignore[arg-type]
    moves = [player.next_move(Moment("A", {}, allowed, 0), rng) for _ in range(200)]
    made = [each.type for each in moves if isinstance(each, Move)]
    assert len(made) == 200
    assert 150 < made.count("toy.mark") < 200
    assert player.next_move(Moment("A", {}, [], 0), rng) == Wait()
