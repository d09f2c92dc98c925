"""What is annotated on a turn of Frames, in the schema: acts, states, what an offer is of."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, repeat

import msgspec

from commonground.corpora.frames.convert.packages import match_offer
from commonground.corpora.frames.native import DialogueAct, Frame, Package, Slot, Turn
from commonground.files.reading import ConversionError
from commonground.model import Act, Dialogue, Grounding, State
from commonground.records import UNSET
from commonground.rows import Repeated, keep_columns
from commonground.schema import LARGEST_INT


def add_labels(
    dialogue: Dialogue,
    states: States,
    turn: Turn,
    event: int,
    number: int,
    shown: dict[str, Package],
) -> None:
    """Adds the labels of a turn to its dialogue.

    Args:
        dialogue: gets acts and groundings.
        states: get the frames.
        turn: the released turn.
        event: number of its utterance.
        number: of the turn.
        shown: packages found so far, by id; an offer is of one of them.

    Raises:
        ConversionError: a frame number is out of range.
    """
    labels = turn.labels
    path = f".turns[{number}].labels"
    for index, act in enumerate(labels.acts):
        frame = _own_frame(act)
        if frame is not None:
            object_id = match_offer(act.args, shown)
            if object_id is not None:
                dialogue.groundings.append(
                    Grounding(event, object_id, "offered", act.name, str(frame))
                )
        # The slots of an offer describe the frame that it creates; others are about the active one.
        default = labels.active_frame if frame is None else frame
        _add_act(dialogue.acts, act, event, index, default, f"{path}.acts[{index}]")
    if labels.acts_without_refs is not UNSET:
        for index, act in enumerate(labels.acts_without_refs):
            # Only user turns have this layer: it is what the tracking task is given as its input.
            _add_bare_act(dialogue.acts, act, event, index)
    states.add(labels.frames, labels.active_frame, event, path)


def _own_frame(act: DialogueAct) -> int | None:
    """Returns the frame that an act creates; None where it creates none."""
    for slot in act.args:
        # By exact type, since `isinstance` takes True for a number.
        if slot.key == "id" and type(slot.val) is int:
            return slot.val
    return None


def _add_act(
    acts: list[Act], act: DialogueAct, event: int, index: int, frame: int, path: str
) -> None:
    """Adds an act with the frame of each slot.

    A slot in a reference is of the frame referred to; any other is of the frame that the act
    creates, or else of the active frame.
    """
    if not _is_number(frame):
        raise ConversionError(path, "frame numbers from 1 on", frame)
    rows = [
        row
        for number, slot in enumerate(act.args)
        for row in _make_rows(slot, Act(event, "acts", index, act.name, frame=frame), number, path)
    ]
    for count, row in enumerate(rows):
        row.slot_index = count
    acts.extend(rows or [Act(event, "acts", index, act.name)])


def _make_rows(slot: Slot, of: Act, number: int, path: str) -> Iterator[Act]:
    """Yields the rows of an argument: one, or one for each slot of its references.

    An argument without references, and a reference without slots, are a row without slot. ``of``
    is a row of its act, with the frame of what refers to none.
    """
    key, value = slot.key, slot.val
    change = msgspec.structs.replace
    # Only `ref`, `read` and `write` have lists, of the frames that they refer to.
    if type(value) is not list:
        relation = "id" if key == "id" else None
        text = render_value(value)
        yield change(of, slot=key, value=text, relation=relation, argument_index=number)
        return
    if not value:
        yield change(of, frame=None, relation=key, argument_index=number)
    for place, each in enumerate(value):
        if not _is_number(each.frame):
            raise ConversionError(path, "frame numbers from 1 on", each.frame)
        row = change(
            of,
            frame=each.frame,
            relation=key,
            argument_index=number,
            reference_index=place,
            attributes={"fromrange": each.fromrange},
        )
        for note in each.annotations:
            yield change(row, slot=note.key, value=render_value(note.val))
        if not each.annotations:
            yield row


def _add_bare_act(acts: list[Act], act: DialogueAct, event: int, index: int) -> None:
    layer = "acts_without_refs"
    for count, slot in enumerate(act.args):
        value = render_value(slot.val)
        row = Act(event, layer, index, act.name, count, slot.key, value, argument_index=count)
        acts.append(row)
    if not act.args:
        acts.append(Act(event, layer, index, act.name))


class States:
    """The frames of a dialogue as they stand after each of its turns: its rows of ``states``."""

    def __init__(self) -> None:
        self._slots = _Slots()
        # Each frame after each turn: which it is, and where its slots begin and end.
        self._event: list[int] = []
        self._frame: list[int] = []
        self._parent_frame: list[int | None] = []
        self._active: list[bool] = []
        self._ranges: list[range] = []
        self._last: dict[int, tuple[Frame, range]] = {}

    def add(self, frames: list[Frame], active_frame: int, event: int, path: str) -> None:
        """Adds every frame as it stands after a turn.

        Args:
            frames: all of them.
            active_frame: number of the frame that the talk is about.
            event: number of the turn's utterance.
            path: JSON path of the turn's labels.

        Raises:
            ConversionError: the number of a frame is out of range.
        """
        for number, frame in enumerate(frames):
            frame_id, parent = frame.frame_id, frame.frame_parent_id
            last = self._last.get(frame_id)
            # Three of four frames stand as they stood before, and so do their slots, once for all.
            # Equal ones may hold them in another order.
            if last is None or frame != last[0] or list(frame.info) != list(last[0].info):
                if not _is_number(frame_id) or not (parent is None or _is_number(parent)):
                    found = (frame_id, parent)
                    where = f"{path}.frames[{number}]"
                    raise ConversionError(where, "frame numbers from 1 on", found)
                last = self._last[frame_id] = frame, self._slots.add_frame(frame)
            self._event.append(event)
            self._frame.append(frame_id)
            self._parent_frame.append(parent)
            self._active.append(frame_id == active_frame)
            self._ranges.append(last[1])

    def rows(self) -> list[State]:
        """Returns a row for each slot of each frame after each turn."""
        slots = array("i", chain.from_iterable(self._ranges))
        counts = [len(each) for each in self._ranges]
        frames = array("i", chain.from_iterable(map(repeat, range(len(counts)), counts)))
        return keep_columns(
            State,
            event=Repeated(self._event, frames),
            layer=Repeated(["frames"], array("i", bytes(4 * len(slots)))),
            kind=Repeated(self._slots.kind, slots),
            frame=Repeated(self._frame, frames),
            parent_frame=Repeated(self._parent_frame, frames),
            active=Repeated(self._active, frames),
            slot=Repeated(self._slots.slot, slots),
            value=Repeated(self._slots.value, slots),
            negated=Repeated(self._slots.negated, slots),
            item_index=Repeated(self._slots.item_index, slots),
            asked_by=Repeated(self._slots.asked_by, slots),
        )


def _is_number(frame: int) -> bool:
    # Anything larger has no place in a column of 32 bits.
    return -1 <= frame <= LARGEST_INT


class _Slots:
    """What frames hold, and what is asked of them: a slot each, column by column."""

    def __init__(self) -> None:
        self.kind: list[str] = []
        self.slot: list[str | None] = []
        self.value: list[str | None] = []
        self.negated: list[bool | None] = []
        self.item_index: list[int | None] = []
        self.asked_by: list[str | None] = []

    def add_frame(self, frame: Frame) -> range:
        """Adds the slots of a frame, of one that holds nothing an empty one; returns where."""
        first = len(self.kind)
        for slot, values in frame.info.items():
            for item, each in enumerate(values):
                self._add("info", slot, render_value(each.val), each.negated, item)
            if not values:
                self._add("info", slot)
        for item, request in enumerate(frame.requests):
            self._add("request", request.key, None, None, item, request.author)
        for item, question in enumerate(frame.binary_questions):
            value = render_value(question.value)
            self._add("binary_question", question.key, value, None, item, question.author)
        for item, compare in enumerate(frame.compare_requests):
            # A comparison of nothing in particular has no keys, and is a row all the same.
            for key in compare.keys or (None,):
                self._add("compare_request", key, None, None, item, compare.author)
        if len(self.kind) == first:
            self._add("empty")
        return range(first, len(self.kind))

    def _add(
        self,
        kind: str,
        slot: str | None = None,
        value: str | None = None,
        negated: bool | None = None,
        item_index: int | None = None,
        asked_by: str | None = None,
    ) -> None:
        self.kind.append(kind)
        self.slot.append(slot)
        self.value.append(value)
        self.negated.append(negated)
        self.item_index.append(item_index)
        self.asked_by.append(asked_by)


def render_value(value: object) -> str | None:
    """Writes a released value as text: booleans as ``true`` and ``false``, lists as JSON."""
    if value is None or value is UNSET:
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
