"""What is annotated on a turn of Frames, in the schema: acts, states, what an offer is of."""

from __future__ import annotations

import msgspec

from commonground.corpora.frames.native import DialogueAct, Frame, Package, Reference, Turn
from commonground.corpora.frames.packages import match_offer
from commonground.model import Act, Dialogue, Grounding, State
from commonground.reading import ConversionError
from commonground.records import UNSET

_LARGEST = 2**31 - 1


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
        default = labels.active_frame if frame is None else frame
        _add_act(dialogue.acts, act, event, index, default, f"{path}.acts[{index}]")
    if labels.acts_without_refs is not UNSET:
        for index, act in enumerate(labels.acts_without_refs):
            _add_bare_act(dialogue.acts, act, event, index)
    _add_states(dialogue.states, labels.frames, labels.active_frame, event, path)


def _own_frame(act: DialogueAct) -> int | None:
    """Returns the frame that an act creates; null where it creates none."""
    for slot in act.args:
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
    if not -1 <= frame <= _LARGEST:
        raise ConversionError(path, "frame numbers from 1 on", frame)
    name, count = act.name, 0
    for slot in act.args:
        key, value = slot.key, slot.val
        if type(value) is list:
            count = _add_references(acts, value, (event, index, name, count, key), path)
            continue
        relation = "id" if key == "id" else None
        acts.append(
            Act(event, "acts", index, name, count, key, render_value(value), frame, relation)
        )
        count += 1
    if not count:
        acts.append(Act(event, "acts", index, name))


def _add_references(
    acts: list[Act],
    references: list[Reference],
    place: tuple[int, int, str, int, str],
    path: str,
) -> int:
    """Adds a row per slot of each reference, one without slot for a reference that has none."""
    event, index, name, count, relation = place
    for each in references:
        frame = each.frame
        if not -1 <= frame <= _LARGEST:
            raise ConversionError(path, "frame numbers from 1 on", frame)
        for note in each.annotations:
            value = render_value(note.val)
            acts.append(Act(event, "acts", index, name, count, note.key, value, frame, relation))
            count += 1
        if not each.annotations:
            acts.append(Act(event, "acts", index, name, count, None, None, frame, relation))
            count += 1
    return count


def _add_bare_act(acts: list[Act], act: DialogueAct, event: int, index: int) -> None:
    for count, slot in enumerate(act.args):
        value = render_value(slot.val)
        acts.append(Act(event, "acts_without_refs", index, act.name, count, slot.key, value))
    if not act.args:
        acts.append(Act(event, "acts_without_refs", index, act.name))


def _add_states(
    states: list[State], frames: list[Frame], active_frame: int, event: int, path: str
) -> None:
    """Adds every frame as it stands after a turn; there are many, so this loop is kept flat."""
    add, layer = states.append, "frames"
    for number, frame in enumerate(frames):
        frame_id, parent = frame.frame_id, frame.frame_parent_id
        if not -1 <= frame_id <= _LARGEST or not (parent is None or -1 <= parent <= _LARGEST):
            found = (frame_id, parent)
            raise ConversionError(f"{path}.frames[{number}]", "frame numbers from 1 on", found)
        active = frame_id == active_frame
        before = len(states)
        for slot, values in frame.info.items():
            for each in values:
                val = each.val
                text = val if type(val) is str else render_value(val)
                add(State(event, layer, "info", frame_id, parent, active, slot, text, each.negated))
            if not values:
                add(State(event, layer, "info", frame_id, parent, active, slot))
        for request in frame.requests:
            add(State(event, layer, "request", frame_id, parent, active, request.key))
        for question in frame.binary_questions:
            text = render_value(question.value)
            key = question.key
            add(State(event, layer, "binary_question", frame_id, parent, active, key, text))
        for compare in frame.compare_requests:
            for key in compare.keys:
                add(State(event, layer, "compare_request", frame_id, parent, active, key))
        if len(states) == before:
            add(State(event, layer, "info", frame_id, parent, active))


def render_value(value: object) -> str | None:
    """Writes a released value as text: booleans as ``true`` and ``false``, lists as JSON."""
    if type(value) is str:
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None or value is UNSET:
        return None
    return msgspec.json.encode(value).decode()
