"""Breaks simulated dialogues, one rule at a time.

Each planter changes a dialogue and returns the JSON path of the fault; it raises
:class:`UnsuitedError` where the dialogue lacks what it would break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from commonground.corpora.frames.native import (
    Database,
    DialogueAct,
    Frame,
    FramesDialogue,
    InfoValue,
    Package,
    Search,
    Slot,
    Turn,
)
from commonground.records import UNSET

Planter = Callable[[FramesDialogue], str]


class UnsuitedError(Exception):
    """The dialogue has nothing that could be broken in this way."""


class Planted(msgspec.Struct, frozen=True):
    """A way to break a rule: its code, the planter, and codes that must fire with it."""

    code: str
    planter: Planter
    also: frozenset[str]


PLANTS: list[Planted] = []


def plant(code: str, also: str = "") -> Callable[[Planter], Planter]:
    """Marks a planter with the rule that it breaks."""

    def keep(planter: Planter) -> Planter:
        codes = frozenset(f"CG-FRAMES-{each}" for each in also.split())
        PLANTS.append(Planted(f"CG-FRAMES-{code}", planter, codes))
        return planter

    return keep


def last(record: FramesDialogue, author: str | None = None) -> tuple[str, Turn]:
    """Returns the last turn with its path, where it is the author's."""
    turn = record.turns[-1]
    if author not in (None, turn.author):
        raise UnsuitedError
    return f".turns[{len(record.turns) - 1}]", turn


def slots(
    record: FramesDialogue, author: str, act: str, key: str
) -> Iterator[tuple[str, Turn, DialogueAct, Slot]]:
    for number, turn in enumerate(record.turns):
        for i, each in enumerate(turn.labels.acts):
            for j, slot in enumerate(each.args):
                if (turn.author, each.name, slot.key) == (author, act, key):
                    yield f".turns[{number}].labels.acts[{i}].args[{j}]", turn, each, slot


def slot_of(
    record: FramesDialogue, author: str, act: str, key: str
) -> tuple[str, Turn, DialogueAct, Slot]:
    """Returns the first such slot with its path, turn and act."""
    found = next(slots(record, author, act, key), None)
    if found is None:
        raise UnsuitedError
    return found


def other_frame(turn: Turn) -> Frame:
    """Returns the last frame that is not active."""
    others = [f for f in turn.labels.frames if f.frame_id != turn.labels.active_frame]
    if not others:
        raise UnsuitedError
    return others[-1]


def database(turn: Turn) -> Database:
    if turn.db is UNSET:
        raise UnsuitedError
    return turn.db


def search_of(record: FramesDialogue, *, of: int = 1) -> tuple[str, Turn, list[Search]]:
    """Returns the searches of the first turn that has ``of``, with the path of its database."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET and len(turn.db.search) == of:
            return f".turns[{number}].db", turn, turn.db.search
    raise UnsuitedError


def result_of(record: FramesDialogue, *, most: int = 10) -> tuple[str, list[Package]]:
    """Returns the first result that is not empty, with its path."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, found in enumerate(turn.db.result):
                if found and len(found) <= most:
                    return f".turns[{number}].db.result[{index}]", found
    raise UnsuitedError


def hold(record: FramesDialogue, slot: str, value: InfoValue) -> str:
    """Adds a value to the last frame of the last turn and returns its path."""
    path, turn = last(record)
    frames = turn.labels.frames
    values = frames[-1].info.setdefault(slot, [])
    values.append(value)
    return f"{path}.labels.frames[{len(frames) - 1}].info.{slot}[{len(values) - 1}]"
