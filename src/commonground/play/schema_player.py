"""A player for any scenario: it does what is allowed, as the JSON Schemas of it say.

It knows no game, and what it writes means nothing. It plays where no one reads that: in tests of
rules, and in a scenario that has no player of its own.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

from commonground.errors import FormatError
from commonground.play.player import Moment, Move, PlayerKind, Wait
from commonground.play.scenario import CHAT, Allowed

WORDS = ("yes", "4", "the red one", "so", "it is $120", "with a white door, I think")
"""What is written where a schema gives no examples."""

_PATIENT = 0.1
"""Weight of an act that can wait, beside one for which the others wait."""


class SchemaPlayer:
    """Does anything that is allowed; see :class:`~commonground.play.player.Player`."""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Returns an act at random, most likely one for which the others wait.

        Args:
            moment: of which only what is allowed counts, and whether the last move was refused.

        Raises:
            FormatError: a schema does not say what fits it; see :func:`draw_value`.
        """
        if not moment.allowed:
            return Wait()
        (chosen,) = rng.choices(moment.allowed, [_weigh(each) for each in moment.allowed])
        # What is refused may have come too soon, which no schema says.
        most_s = 4.0 if moment.refusal is None else 60.0
        return Move(chosen.type, draw_value(chosen.payload, rng), rng.uniform(1.0, most_s))


def _weigh(allowed: Allowed) -> float:
    is_due = allowed.type != CHAT if allowed.due is None else allowed.due
    return 1.0 if is_due else _PATIENT


def draw_value(schema: dict[str, Any], rng: Random) -> Any:
    """Draws a value that fits a JSON Schema; one of its ``examples`` where it has any.

    Knows the keywords that schemas of payloads use. A text without examples is a few words, or
    one of them; where these do not fit its ``pattern``, the schema must give examples.

    Raises:
        FormatError: a text of this pattern or length is not known.
    """
    if "anyOf" in schema:
        schema = _narrow(schema, rng.choice(schema["anyOf"]))
    if "const" in schema:
        return schema["const"]
    if options := schema.get("enum") or schema.get("examples"):
        return rng.choice(options)
    kinds = schema["type"]
    match kinds if isinstance(kinds, str) else rng.choice(kinds):
        case "object":
            return _draw_object(schema, rng)
        case "array":
            return _draw_array(schema, rng)
        case "string":
            return _draw_text(schema, rng)
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
    least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 1_000) - 1)
    return rng.randint(least, most)


def _narrow(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of what fits two: the whole, and one of the forms that it may have."""
    fields, narrower = schema.get("properties", {}), part.get("properties", {})
    both = {name: fields.get(name, {}) | narrower.get(name, {}) for name in fields | narrower}
    rest = {name: each for name, each in schema.items() if name != "anyOf"}
    return {"type": "object"} | rest | part | ({"properties": both} if both else {})


def _draw_object(schema: dict[str, Any], rng: Random) -> dict[str, Any]:
    needed = schema.get("required", ())
    return {
        name: draw_value(each, rng)
        for name, each in schema.get("properties", {}).items()
        if name in needed or rng.random() < 0.3
    }


def _draw_array(schema: dict[str, Any], rng: Random) -> list[Any]:
    least = schema.get("minItems", 0)
    number = rng.randint(least, min(schema.get("maxItems", least + 2), least + 2))
    items = schema.get("items", {"type": "string"})
    drawn = [draw_value(items, rng) for _ in range(number)]
    if schema.get("uniqueItems"):
        return [each for at, each in enumerate(drawn) if each not in drawn[:at]]
    return drawn


def _draw_text(schema: dict[str, Any], rng: Random) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    pattern = re.compile(schema.get("pattern", ""))
    # Repeated where more is asked for, and cut where less is.
    texts = [(each + f" {each}" * least)[: max(least, len(each))][:most] for each in WORDS]
    fitting: list[str] = [each for each in texts if pattern.search(each)]
    if not fitting:
        raise FormatError(
            f"There is no example for the pattern {pattern.pattern!r}.",
            'Add some to the schema, as "examples".',
        )
    return rng.choice(fitting)


RANDOM = PlayerKind(
    name="random",
    title="Makes random allowed acts, and writes meaningless words.",
    enter=lambda _: SchemaPlayer(),
)
