"""What stands where in a Frames dialogue, and which event of the store each is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from commonground.corpora.frames.native import (
    DialogueAct,
    Frame,
    FramesDialogue,
    Package,
    Search,
    Slot,
    Turn,
)
from commonground.findings import Check, Examined, Place, Ruleset
from commonground.records import UNSET

_PLACE = re.compile(r"\.turns\[(\d+)\](?:\.db\.(?:search|result)\[(\d+)\])?")


class FramesRules(Ruleset, frozen=True):
    """Rules on dialogues of Frames; the event of a place follows from its path."""

    def _adapt(self, check: Check) -> Callable[[Any, Examined], Iterable[Place]]:
        find = super()._adapt(check)

        def find_events(record: FramesDialogue, examined: Examined) -> Iterator[Place]:
            for each in find(record, examined):
                match = _PLACE.match(each.path) if each.event is None else None
                event = _event_at(record, match) if match else each.event
                yield replace(each, event=event)

        return find_events


def _event_at(record: FramesDialogue, place: re.Match[str]) -> int:
    """Returns the number of the event that a turn's utterance is, or a search of the turn."""
    number, search = int(place[1]), place[2]
    # As `convert` does: where the lists differ in length, the longer one counts, and the searches
    # of a turn become events right before its utterance.
    counts = [
        0 if turn.db is UNSET else max(len(turn.db.search), len(turn.db.result))
        for turn in record.turns[: number + 1]
    ]
    event = number + sum(counts)
    return event if search is None else event - counts[-1] + int(search)


def iterate_frames(record: FramesDialogue) -> Iterator[tuple[int, int, Frame]]:
    """Yields the frames after each turn, each after the numbers of its turn and of itself in it."""
    for number, turn in enumerate(record.turns):
        for index, frame in enumerate(turn.labels.frames):
            yield number, index, frame


def iterate_acts(record: FramesDialogue) -> Iterator[tuple[Turn, str, DialogueAct]]:
    """Yields the acts with references, each after its turn and its path."""
    for number, turn in enumerate(record.turns):
        for index, act in enumerate(turn.labels.acts):
            yield turn, f".turns[{number}].labels.acts[{index}]", act


def iterate_searches(record: FramesDialogue) -> Iterator[tuple[int, str, Search]]:
    """Yields the searches, each after the number of its turn and its path."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, search in enumerate(turn.db.search):
                yield number, f".turns[{number}].db.search[{index}]", search


def iterate_results(record: FramesDialogue) -> Iterator[tuple[str, list[Package]]]:
    """Yields what searches found, each after its path."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, packages in enumerate(turn.db.result):
                yield f".turns[{number}].db.result[{index}]", packages


def iterate_slots(record: FramesDialogue) -> Iterator[tuple[Turn, str, Slot]]:
    """Yields the slots of the acts with references, each after its turn and its path."""
    for turn, path, act in iterate_acts(record):
        for index, slot in enumerate(act.args):
            yield turn, f"{path}.args[{index}]", slot


def iterate_noted(slot: Slot) -> Iterator[tuple[str, str]]:
    """Yields the slots named in references, with their paths below the value."""
    if type(slot.val) is list:
        for i, reference in enumerate(slot.val):
            for j, note in enumerate(reference.annotations):
                yield f"[{i}].annotations[{j}]", note.key
