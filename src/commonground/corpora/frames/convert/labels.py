"""What is annotated on a turn of Frames, in the schema: acts, states, what an offer is of."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from commonground.corpora.frames.convert.packages import match_offer
from commonground.corpora.frames.native import DialogueAct, Frame, Package, Slot, Turn
from commonground.files.reading import ConversionError
from commonground.model import Act, Dialogue, Grounding, State
from commonground.records import UNSET
from commonground.schema import LARGEST_INT


def add_labels(
    dialogue: Dialogue, turn: Turn, event: int, number: int, shown: dict[str, Package]
) -> None:
    """Adds the labels of a turn to its dialogue.

    Args:
        dialogue: gets them.
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
    _add_states(dialogue.states, labels.frames, labels.active_frame, event, path)


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
    # Anything larger has no place in a column of 32 bits.
    if not -1 <= frame <= LARGEST_INT:
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

    An argument without references, and a reference without slots, are a row without slot.

    Args:
        slot: the argument.
        of: a row of its act, with the frame of what refers to none.
        number: of the argument among the released ones of its act.
        path: JSON path of the act.
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
        if not -1 <= each.frame <= LARGEST_INT:
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


def _add_states(
    states: list[State], frames: list[Frame], active_frame: int, event: int, path: str
) -> None:
    """Adds every frame as it stands after a turn; there are many, so this loop is kept flat."""
    add, layer = states.append, "frames"
    for number, frame in enumerate(frames):
        frame_id, parent = frame.frame_id, frame.frame_parent_id
        if not -1 <= frame_id <= LARGEST_INT or not (parent is None or -1 <= parent <= LARGEST_INT):
            found = (frame_id, parent)
            raise ConversionError(f"{path}.frames[{number}]", "frame numbers from 1 on", found)
        active = frame_id == active_frame
        before = len(states)
        for slot, values in frame.info.items():
            for item, each in enumerate(values):
                val = each.val
                # Most values are texts: to ask here saves nearly every row a call.
                text = val if type(val) is str else render_value(val)
                negated = each.negated
                add(
                    State(event, layer, "info", frame_id, parent, active, slot, text, negated, item)
                )
            if not values:
                add(State(event, layer, "info", frame_id, parent, active, slot))
        if frame.requests or frame.binary_questions or frame.compare_requests:
            for kind, key, value, item, author in _list_questions(frame):
                row = State(
                    event, layer, kind, frame_id, parent, active, key, value, None, item, author
                )
                add(row)
        if len(states) == before:
            add(State(event, layer, "empty", frame_id, parent, active))


def _list_questions(frame: Frame) -> Iterator[tuple[str, str | None, str | None, int, str]]:
    """Yields the open questions of a frame: kind, slot, value, number, and who asks."""
    for item, request in enumerate(frame.requests):
        yield "request", request.key, None, item, request.author
    for item, question in enumerate(frame.binary_questions):
        value = render_value(question.value)
        yield "binary_question", question.key, value, item, question.author
    for item, compare in enumerate(frame.compare_requests):
        # A comparison of nothing in particular has no keys, and is a row all the same.
        for key in compare.keys or (None,):
            yield "compare_request", key, None, item, compare.author


def render_value(value: object) -> str | None:
    """Writes a released value as text: booleans as ``true`` and ``false``, lists as JSON."""
    if type(value) is str:
        return value
    # Not ``==``: 1 equals True to Python, and is a number here.
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None or value is UNSET:
        return None
    return msgspec.json.encode(value).decode()
