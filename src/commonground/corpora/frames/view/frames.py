"""What the frames of a dialogue hold after each turn, and what each turn changed in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from commonground.corpora.frames.vocabulary import MARKS
from commonground.model import Dialogue, State

Kind = Literal["mark", "info", "request", "binary_question", "compare_request"]
Change = Literal["added", "changed", "removed"]

_KINDS = {
    "mark": 0,
    "info": 1,
    "request": 2,
    "binary_question": 3,
    "compare_request": 4,
}
_FIRST_SLOTS = (
    "intent or_city dst_city str_date end_date flex duration min_duration max_duration n_adults "
    "n_children budget price seat name category gst_rating"
)
_PLACES = {slot: place for place, slot in enumerate(_FIRST_SLOTS.split())}


class Value(msgspec.Struct, frozen=True, gc=False):
    """A value of a slot, and whether the frame says that it is not that; None where unknown."""

    text: str | None
    negated: bool = False


Values = tuple[Value, ...]
Place = tuple[Kind, str]


class Snapshot(msgspec.Struct, gc=False):
    """A frame as it stands after a turn.

    Attributes:
        frame: its number.
        parent: the frame it was made from; None for the first.
        active: whether the talk is about it.
        held: its values by kind and slot.
    """

    frame: int
    parent: int | None
    active: bool
    held: dict[Place, Values] = {}


class Entry(msgspec.Struct, kw_only=True, gc=False):
    """A line of a frame card.

    Attributes:
        kind: ``mark`` for the slots in capitals that record what happened to the frame.
        slot: its name as published.
        values: what it holds now; what it held, where it was removed. Equal values stand once.
        change: what the turn did to it; None where nothing.
        before: what it held before, where it was changed.
    """

    kind: Kind
    slot: str
    values: Values
    change: Change | None = None
    before: Values = ()


class FrameCard(msgspec.Struct, kw_only=True, gc=False):
    """A frame at a turn.

    Attributes:
        frame: its number.
        label: the hotel or city it is about at the end of the dialogue; None where neither.
        active: whether it is the one that the turn talks about.
        created: whether it is new in this turn; then the changes are against its parent.
        parent: number of the frame it was made from.
        entries: the whole frame where it is active, else what the turn changed.
        unchanged: number of entries that are not listed.
    """

    frame: int
    label: str | None
    active: bool
    created: bool
    parent: int | None
    entries: list[Entry]
    unchanged: int


class Standing(msgspec.Struct, kw_only=True, gc=False):
    """A frame as it stands from one turn that changes it to the next one.

    Attributes:
        frame: its number.
        label: as on its cards.
        first: event from which it stands so.
        until: event that changes it again; None where it stays so.
        entries: all that it holds.
    """

    frame: int
    label: str | None
    first: int
    until: int | None = None
    entries: list[Entry]


Moments = dict[int, dict[int, Snapshot]]


def read_snapshots(dialogue: Dialogue) -> Moments:
    """Returns the frames after each utterance: by event, then by number."""
    moments: Moments = {}
    for state in dialogue.states:
        frames = moments.setdefault(state.event, {})
        if state.frame is None:
            continue
        snapshot = frames.get(state.frame)
        if snapshot is None:
            active = bool(state.active)
            snapshot = frames[state.frame] = Snapshot(state.frame, state.parent_frame, active)
        if state.slot is not None:
            _hold(snapshot.held, state, state.slot)
    return moments


def _hold(held: dict[Place, Values], state: State, slot: str) -> None:
    kind: Kind = "info"
    if state.kind in _KINDS:
        kind = state.kind  # type: ignore[assignment]  # one of the keys
    if slot in MARKS and kind == "info":
        kind = "mark"
    values = held.get((kind, slot), ())
    if state.value is not None or state.negated is not None:
        value = Value(state.value, bool(state.negated))
        # 8,286 of the 10,054 lists of several values hold one twice: people need to see it once.
        if value not in values:
            values = (*values, value)
    held[kind, slot] = values


def label_frames(moments: Moments) -> dict[int, str]:
    """Names each frame by the hotel, else the city, that it holds last."""
    labels: dict[int, str] = {}
    for frames in moments.values():
        for number, snapshot in frames.items():
            label = _label(snapshot)
            if label:
                labels[number] = label
    return labels


def _label(snapshot: Snapshot) -> str | None:
    for slot in ("name", "dst_city"):
        for value in snapshot.held.get(("info", slot), ()):
            # "-1" stands for anything.
            if value.text and not value.negated and value.text != "-1":
                return value.text
    return None


def make_cards(
    before: Mapping[int, Snapshot], after: Mapping[int, Snapshot], labels: Mapping[int, str]
) -> list[FrameCard]:
    """Describes what a turn did to the frames: the active one first, then those it changed.

    Args:
        before: the frames after the turn before, by number.
        after: the frames after the turn.
        labels: names of the frames that have one.
    """
    cards = []
    for number, snapshot in after.items():
        created = number not in before
        old = before.get(number)
        if old and not snapshot.active and old.held == snapshot.held:
            continue
        if created and snapshot.parent is not None:
            # The parent may have been made in this very turn.
            old = before.get(snapshot.parent) or after.get(snapshot.parent)
        entries = compare_values(old.held if old else {}, snapshot.held)
        listed = entries if snapshot.active else [each for each in entries if each.change]
        if listed or created or snapshot.active:
            card = FrameCard(
                frame=number,
                label=labels.get(number),
                active=snapshot.active,
                created=created,
                parent=snapshot.parent,
                entries=listed,
                unchanged=len(entries) - len(listed),
            )
            cards.append(card)
    return sorted(cards, key=lambda card: not card.active)


def list_standing(moments: Moments, labels: Mapping[int, str]) -> list[Standing]:
    """Returns every frame in every shape that it had, by number and then in order of turns."""
    found: dict[int, list[Standing]] = {}
    last: dict[int, Mapping[Place, Values]] = {}
    for event, frames in moments.items():
        for number, snapshot in frames.items():
            if number in last and last[number] == snapshot.held:
                continue
            if number in last:
                found[number][-1].until = event
            entries = compare_values(snapshot.held, snapshot.held)
            each = Standing(frame=number, label=labels.get(number), first=event, entries=entries)
            found.setdefault(number, []).append(each)
            last[number] = snapshot.held
    return [each for number in sorted(found) for each in found[number]]


def compare_values(before: Mapping[Place, Values], after: Mapping[Place, Values]) -> list[Entry]:
    """Returns all entries of both, in a fixed order, each with what became of it.

    The order of the values of one slot means nothing.
    """
    entries = []
    for kind, slot in sorted({*before, *after}, key=_order):
        old, new = before.get((kind, slot)), after.get((kind, slot))
        if new is None:
            entry = Entry(kind=kind, slot=slot, values=old or (), change="removed")
        elif old is None:
            entry = Entry(kind=kind, slot=slot, values=new, change="added")
        elif old == new or set(old) == set(new):
            entry = Entry(kind=kind, slot=slot, values=new)
        else:
            entry = Entry(kind=kind, slot=slot, values=new, change="changed", before=old)
        entries.append(entry)
    return entries


def _order(place: Place) -> tuple[int, int, str]:
    kind, slot = place
    return _KINDS[kind], _PLACES.get(slot, len(_PLACES)), slot
