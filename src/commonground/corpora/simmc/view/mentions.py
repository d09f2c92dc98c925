"""The things that a turn speaks of, their described facts, and which of them may be meant."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.corpora.simmc.view.scenes import TurnEvents
from commonground.corpora.simmc.view.things import Fact, Ref, Things
from commonground.model import Dialogue, Grounding

_VERDICTS = {"0": "not ambiguous", "1": "ambiguous"}


class TalkCard(msgspec.Struct, kw_only=True):
    """A thing that a turn speaks of.

    Attributes:
        facts: its facts according to the assistant up to the end of the turn.
        ways: how the turn speaks of it: event and act, or ``may be meant``.
        earlier: events before the turn that spoke of it.
    """

    thing: Ref
    facts: list[Fact]
    ways: list[tuple[int, str]]
    earlier: list[int]


class Doubt(msgspec.Struct, kw_only=True):
    """Whether it is clear which thing an utterance means.

    Attributes:
        labels: what the release says, each once: ``1`` where the assistant has to ask, else ``0``.
        between: the things that may be meant.
        raw: released words for them.
    """

    labels: list[str] = []
    between: list[Ref] = []
    raw: list[str] = []

    @property
    def verdict(self) -> str:
        """The labels in words, joined by "and" where the release gives several."""
        words = [_VERDICTS.get(each, f"label {each}") for each in self.labels]
        return " and ".join(words)


def make_talk(
    dialogue: Dialogue, turns: Sequence[TurnEvents], things: Things
) -> dict[int, list[TalkCard]]:
    """Returns the things that each turn speaks of, by its first event, in order."""
    by_event: dict[int, list[Grounding]] = {}
    for each in dialogue.groundings:
        by_event.setdefault(each.event, []).append(each)
    facts: dict[str, dict[str, str]] = {}
    earlier: dict[str, list[int]] = {}
    said = _said(dialogue, things)
    talk: dict[int, list[TalkCard]] = {}
    for turn in turns:
        ways: dict[str, list[tuple[int, str]]] = {}
        for event in range(turn.first, turn.last + 1):
            for each in by_event.get(event, ()):
                ways.setdefault(each.object_id, []).append((event, _way(each)))
            for object_id, name, text in said.get(event, ()):
                facts.setdefault(object_id, {})[name] = text
        talk[turn.first] = [
            TalkCard(
                thing=things.ref(object_id),
                facts=[Fact(name, text) for name, text in facts.get(object_id, {}).items()],
                ways=list(dict.fromkeys(way)),
                earlier=list(earlier.get(object_id, ())),
            )
            for object_id, way in ways.items()
        ]
        for object_id, way in ways.items():
            # Only now, so that the turn itself is not among the earlier ones.
            earlier.setdefault(object_id, []).extend(dict.fromkeys(event for event, _ in way))
    return talk


def _way(grounding: Grounding) -> str:
    if grounding.relation == "candidate":
        return "may be meant"
    return grounding.label or grounding.relation


def _said(dialogue: Dialogue, things: Things) -> dict[int, list[tuple[str, str, str]]]:
    """Returns what acts say of single things, by event: thing, slot and value."""
    said: dict[int, dict[tuple[str, str], list[str]]] = {}
    for act in dialogue.acts:
        if act.relation == "object" and act.frame is not None and act.slot and act.value:
            key = (things.id_of(str(act.frame)), act.slot)
            said.setdefault(act.event, {}).setdefault(key, []).append(act.value)
    return {
        event: [(thing, slot, ", ".join(values)) for (thing, slot), values in slots.items()]
        for event, slots in said.items()
    }


def find_doubts(dialogue: Dialogue, things: Things) -> dict[int, Doubt]:
    """Returns the utterances of which the release says whether a reference is ambiguous."""
    doubts: dict[int, Doubt] = {}
    for each in dialogue.states:
        if each.layer != "disambiguation":
            continue
        doubt = doubts.setdefault(each.event, Doubt(labels=[], between=[], raw=[]))
        said = doubt.labels if each.slot == "label" else doubt.raw
        if each.value is not None and each.value not in said:
            said.append(each.value)
    for pointed in dialogue.groundings:
        if pointed.relation == "candidate":
            doubt = doubts.setdefault(pointed.event, Doubt(labels=[], between=[], raw=[]))
            doubt.between.append(things.ref(pointed.object_id))
    return doubts
