"""What was in view at each turn: scenes, and the strip of them above the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.view.things import (
    LONGEST_FACT,
    TECHNICAL,
    Fact,
    Things,
    list_facts,
)
from commonground.model import Action, Dialogue, Display, Object
from commonground.view import Stage

_PLACES = ("left", "centre", "right")
_NOT_SEEN = frozenset(
    ("name", "pos", "source", "class_name", "type", "description", "number", "url")
)


class TurnEvents(msgspec.Struct, gc=False):
    """The events of a turn.

    Attributes:
        number: the corpus's own number; None where it has none.
        actions: the assistant's actions, as events.
    """

    first: int
    last: int
    number: int | None
    actions: list[int]

    @property
    def label(self) -> str:
        """The number as it is written, that of the event where there is none."""
        return str(self.first if self.number is None else self.number)


class Shown(msgspec.Struct, kw_only=True):
    """A thing in view.

    Attributes:
        name: what the dialogue calls it; None where it has no name there.
        place: ``focus``, ``left``, ``centre``, ``right`` or as released; None where not said.
        seen: what the picture shows of it, as annotated.
        known: what the catalogue says beside that.
        more: what it says at length, or for machines.
    """

    object: Object
    name: str | None
    place: str | None
    seen: list[Fact]
    known: list[Fact]
    more: list[Fact]


class Stop(msgspec.Struct, gc=False):
    """A turn on the strip.

    Attributes:
        listed: whether the release says what is in view here, else it is taken to be what was
            there before; a room is released where it changes only.
        actions: event and name of each action.
    """

    turn: TurnEvents
    listed: bool
    actions: list[tuple[int, str]]


class SceneStage(Stage, kw_only=True):
    """What is in view during one or more turns.

    Attributes:
        shown: by place; empty before anything is in view.
        whole: whether a picture of a whole room is shown, not single things.
    """

    shown: list[Shown]
    stops: list[Stop]
    whole: bool


def list_turns(dialogue: Dialogue) -> list[TurnEvents]:
    """Groups events by turn: a turn begins where the released number changes."""
    turns: list[TurnEvents] = []
    for number, event in enumerate(dialogue.events):
        # Events without a number are turns of their own.
        if not turns or event.turn is None or turns[-1].number != event.turn:
            turns.append(TurnEvents(number, number, event.turn, []))
        turn = turns[-1]
        turn.last = number
        if isinstance(event, Action):
            turn.actions.append(number)
    return turns


def make_scenes(
    dialogue: Dialogue, turns: Sequence[TurnEvents], things: Things
) -> list[SceneStage]:
    """Returns the scenes in order; what is in view stays until something else is."""
    listed: dict[int, list[Display]] = {}
    for each in dialogue.displays:
        if each.event is not None:
            listed.setdefault(each.event, []).append(each)
    scenes: list[SceneStage] = []
    before: list[tuple[str, int | None]] | None = None
    for turn in turns:
        here = [
            each for event in range(turn.first, turn.last + 1) for each in listed.get(event, ())
        ]
        # Things without a place stand after those that have one.
        here.sort(key=lambda each: (each.position is None, each.position or 0))
        # Nothing listed is no empty scene: what was in view is still there.
        after = [(each.object_id, each.position) for each in here] or before
        if not scenes or after != before:
            scenes.append(_scene(turn, here, things))
            before = after
        scene = scenes[-1]
        scene.last = turn.last
        named = [(number, dialogue.events[number].name or "") for number in turn.actions]
        scene.stops.append(Stop(turn, bool(here) or scene.whole, named))
    for scene in scenes:
        scene.title = _title(scene)
    return scenes


def _scene(turn: TurnEvents, displays: Sequence[Display], things: Things) -> SceneStage:
    shown = [_shown(each, things, alone=len(displays) == 1) for each in displays]
    whole = any(each.object.kind == "scene" for each in shown)
    return SceneStage(
        first=turn.first, last=turn.last, title="", shown=shown, stops=[], whole=whole
    )


def _title(scene: SceneStage) -> str:
    first, last = scene.stops[0].turn.label, scene.stops[-1].turn.label
    word = f"turn {first}" if first == last else f"turns {first} to {last}"
    return f"In view, {word}" if scene.shown else f"Nothing in view, {word}"


def _shown(display: Display, things: Things, *, alone: bool) -> Shown:
    facts: dict[str, Any] = display.attributes if isinstance(display.attributes, dict) else {}
    thing = things.described(display.object_id)
    name = facts.get("name")
    extra = list_facts(thing.attributes, _NOT_SEEN | facts.keys())
    return Shown(
        object=thing,
        name=name if isinstance(name, str) else None,
        place=_place(display, facts, thing, alone=alone),
        seen=list_facts(facts, _NOT_SEEN),
        known=[each for each in extra if _is_short(each)],
        more=[each for each in extra if not _is_short(each)],
    )


def _is_short(fact: Fact) -> bool:
    return len(fact.text) <= LONGEST_FACT and fact.name not in TECHNICAL


def _place(display: Display, facts: dict[str, Any], thing: Object, *, alone: bool) -> str | None:
    pos = facts.get("pos")
    if isinstance(pos, str):
        return "centre" if pos == "center" else pos
    if thing.kind == "scene" or display.position is None:
        return None
    # A thing that is alone at the first place is in focus; several make a row.
    if alone and display.position == 0:
        return "focus"
    return _PLACES[display.position] if 0 <= display.position < len(_PLACES) else None
