"""Where things stand in a Frames dialogue, and which event of the store each is."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue, Package, Search, Slot, Turn
from commonground.records import UNSET


def event_of(record: FramesDialogue, number: int) -> int:
    """Returns the number of the event that a turn's utterance is."""
    searches = 0
    for turn in record.turns[: number + 1]:
        if turn.db is not UNSET:
            # As `convert` does: where the lists differ in length, the longer one counts.
            searches += max(len(turn.db.search), len(turn.db.result))
    return number + searches


def search_event_of(record: FramesDialogue, number: int, index: int) -> int:
    """Returns the number of the event that a search is.

    The searches of a turn become events right before its utterance.

    Args:
        record: the dialogue as released.
        number: of the wizard's turn that the search stands in, from 0.
        index: of the search in that turn, from 0.
    """
    db = record.turns[number].db
    after = 0 if db is UNSET else max(len(db.search), len(db.result))
    return event_of(record, number) - after + index


def iterate_searches(record: FramesDialogue) -> Iterator[tuple[int, int, Search]]:
    """Yields the searches, each after the numbers of its turn and of itself in that."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, search in enumerate(turn.db.search):
                yield number, index, search


def iterate_results(record: FramesDialogue) -> Iterator[tuple[int, int, list[Package]]]:
    """Yields what searches found, each after the numbers of turn and search."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, packages in enumerate(turn.db.result):
                yield number, index, packages


def iterate_slots(turn: Turn) -> Iterator[tuple[str, Slot]]:
    """Yields the slots of the acts with references, with their paths below the labels."""
    for i, act in enumerate(turn.labels.acts):
        for j, slot in enumerate(act.args):
            yield f".acts[{i}].args[{j}]", slot


def iterate_noted(slot: Slot) -> Iterator[tuple[str, str]]:
    """Yields the slots named in references, with their paths below the value."""
    if type(slot.val) is list:
        for i, reference in enumerate(slot.val):
            for j, note in enumerate(reference.annotations):
                yield f"[{i}].annotations[{j}]", note.key
