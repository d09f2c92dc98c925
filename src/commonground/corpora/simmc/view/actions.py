"""The assistant's actions: what they were given, and what was in view afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.simmc.convert.objects import catalogue_id
from commonground.corpora.simmc.view.things import Ref, Things, write_value
from commonground.model import Action, Dialogue, Grounding, Json

_PLACES = ("left", "centre", "right")
LEFT_OPEN: tuple[Any, ...] = ("", -1, None, [])
"""Values with which a search says that it asks for nothing."""


class Given(msgspec.Struct, frozen=True, gc=False):
    """An argument, as released, and the thing that it names; None for none."""

    name: str
    values: list[str]
    thing: Ref | None = None


class PlacedThing(msgspec.Struct, frozen=True, gc=False):
    """A thing at a place."""

    place: str
    thing: Ref


class ActionLine(msgspec.Struct, kw_only=True):
    """An action.

    Attributes:
        left_open: names of the arguments with which it asks for nothing.
        about: things that it is about, where no argument names them, each with how.
        outcome: what was in view afterwards; None where the release does not say.
        other: a result of another kind, as released; None for none.
    """

    given: list[Given]
    left_open: list[str]
    about: list[tuple[str, Ref]]
    outcome: list[PlacedThing] | None
    other: Json = None


def make_actions(dialogue: Dialogue, things: Things) -> dict[int, ActionLine]:
    """Returns the actions by event."""
    pointed: dict[int, list[Grounding]] = {}
    for each in dialogue.groundings:
        pointed.setdefault(each.event, []).append(each)
    return {
        number: _line(event, dialogue.domain, pointed.get(number, []), things)
        for number, event in enumerate(dialogue.events)
        if isinstance(event, Action)
    }


def _line(
    action: Action, domain: str | None, pointed: list[Grounding], things: Things
) -> ActionLine:
    arguments = action.arguments
    if arguments is not None and not isinstance(arguments, dict):
        arguments = {"given": arguments}
    held = {name: value for name, value in (arguments or {}).items() if value not in LEFT_OPEN}
    given = [_given(name, value, domain, things) for name, value in held.items()]
    named = {each.thing.object_id for each in given if each.thing is not None}
    outcome = _outcome(action.result, domain, things)
    return ActionLine(
        given=given,
        left_open=[name for name in arguments or {} if name not in held],
        about=[
            (each.relation, things.ref(each.object_id))
            for each in pointed
            if each.object_id not in named
        ],
        outcome=outcome,
        other=action.result if outcome is None else None,
    )


def _given(name: str, value: Any, domain: str | None, things: Things) -> Given:
    # To Python True is a whole number.
    if name == "focus" and isinstance(value, int) and not isinstance(value, bool):
        return Given(name, [], things.ref(catalogue_id(domain, value)))
    values = value if isinstance(value, list) else [value]
    return Given(name, [write_value(each) for each in values])


def _outcome(result: Json, domain: str | None, things: Things) -> list[PlacedThing] | None:
    if not isinstance(result, dict) or not result.keys() <= {"focus", "carousel"}:
        return None
    return [
        PlacedThing(place, things.ref(catalogue_id(domain, number)))
        for place, number in _in_view(result)
        if isinstance(number, str | int)
    ]


def _in_view(result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if result.get("focus"):
        yield "focus", result["focus"]
    carousel = result.get("carousel")
    for position, number in enumerate(carousel if isinstance(carousel, list) else []):
        yield _PLACES[position] if position < len(_PLACES) else str(position), number
