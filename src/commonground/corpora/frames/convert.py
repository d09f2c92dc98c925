"""Frames dialogues in the schema: searches are actions, packages objects, frames states."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

import msgspec

from commonground.corpora.frames.native import (
    DialogueAct,
    Frame,
    FramesDialogue,
    Package,
    Reference,
    Search,
    Turn,
)
from commonground.corpora.frames.packages import match_offer, package_id, package_object
from commonground.model import (
    Act,
    Action,
    Dialogue,
    Display,
    Grounding,
    Outcome,
    Speaker,
    State,
    Utterance,
)
from commonground.reading import ConversionError, Main, Options, Side, Where
from commonground.records import UNSET

FOLD_OF: dict[str, int] = {
    "U21E41CQP": 1,
    "U23KPC9QV": 1,
    "U21RP4FCY": 2,
    "U22HTHYNP": 3,
    "U22K1SX9N": 4,
    "U231PNNA3": 5,
    "U23KR88NT": 6,
    "U24V2QUKC": 7,
    "U260BGVS6": 8,
    "U2709166N": 9,
    "U2AMZ8TLK": 10,
}
"""Fold of each user in the authors' evaluation.

Source: ``get_users_for_fold`` of ``frames/utils.py`` in Maluuba/frames.
"""

_LARGEST = 2**31 - 1


def prepare(sides: Iterable[Side], mains: Iterable[Main], options: Options) -> None:
    """Gathers nothing: the one file says it all."""


def convert(record: FramesDialogue, where: Where, context: None) -> Dialogue:  # noqa: ARG001
    """Turns a released dialogue into one of the schema.

    Raises:
        ConversionError: a time or a frame number is out of range.
    """
    fold = FOLD_OF.get(record.user_id)
    dialogue = Dialogue(
        dialogue_id=record.id,
        split=None if fold is None else f"fold-{fold}",
        started_at=_started_at(record),
        speakers=[
            Speaker("user", "user", record.user_id),
            Speaker("wizard", "assistant", record.wizard_id),
        ],
        outcomes=_outcomes(record),
    )
    began_ms = record.turns[0].timestamp if record.turns else 0
    shown: dict[str, Package] = {}
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            _add_searches(dialogue, turn, number, began_ms, shown)
        event = len(dialogue.events)
        at_s = _seconds(turn.timestamp, began_ms, f".turns[{number}].timestamp")
        dialogue.events.append(Utterance(turn.author, turn.text, number, None, at_s))
        _add_labels(dialogue, turn, event, number, shown)
    return dialogue


def _started_at(record: FramesDialogue) -> datetime | None:
    if not record.turns:
        return None
    began_ms = record.turns[0].timestamp
    try:
        return datetime.fromtimestamp(began_ms / 1000, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        expected = "milliseconds since 1970"
        raise ConversionError(".turns[0].timestamp", expected, began_ms) from None


def _seconds(at_ms: float, began_ms: float, path: str) -> float:
    try:
        return (at_ms - began_ms) / 1000
    except OverflowError:
        raise ConversionError(path, "milliseconds since 1970", at_ms) from None


def _outcomes(record: FramesDialogue) -> list[Outcome]:
    rating, success = record.labels.userSurveyRating, record.labels.wizardSurveyTaskSuccessful
    outcomes = [Outcome("success", float(success), None, "wizard")]
    if rating is not None:
        try:
            outcomes.insert(0, Outcome("rating", float(rating), None, "user"))
        except OverflowError:
            expected = "a rating from 1 to 5"
            raise ConversionError(".labels.userSurveyRating", expected, rating) from None
    return outcomes


def _add_searches(
    dialogue: Dialogue,
    turn: Turn,
    number: int,
    began_ms: float,
    shown: dict[str, Package],
) -> None:
    """Adds the searches of a turn, before what is said in it."""
    assert turn.db is not UNSET  # noqa: S101 - the caller has looked
    pairs = zip_longest(turn.db.search, turn.db.result)
    for index, (search, packages) in enumerate(pairs):
        at_s = None
        if search is not None:
            path = f".turns[{number}].db.search[{index}].timestamp"
            at_s = _search_seconds(search, began_ms, path)
        event = len(dialogue.events)
        found = None
        if packages is not None:
            found = _add_packages(dialogue, packages, event, shown)
        dialogue.events.append(
            Action("wizard", "search", _query(search), found, number, None, at_s)
        )


def _search_seconds(search: Search, began_ms: float, path: str) -> float:
    try:
        return round(search.timestamp - began_ms / 1000, 3)
    except OverflowError:
        raise ConversionError(path, "seconds since 1970", search.timestamp) from None


def _query(search: Search | None) -> dict[str, Any] | None:
    """Returns what was searched for; when it was is the time of the event."""
    if search is None:
        return None
    query: dict[str, Any] = msgspec.to_builtins(search)
    del query["timestamp"]
    return query


def _add_packages(
    dialogue: Dialogue, packages: list[Package], event: int, shown: dict[str, Package]
) -> list[Any]:
    """Adds what a search has found as objects that the wizard sees, and returns it as JSON."""
    found = []
    for position, package in enumerate(packages):
        object_id = package_id(package)
        described = package_object(object_id, package)
        if object_id not in shown:
            shown[object_id] = package
            dialogue.objects.append(described)
        dialogue.displays.append(Display(object_id, "wizard", event, None, position))
        found.append(described.attributes)
    return found


def _add_labels(
    dialogue: Dialogue, turn: Turn, event: int, number: int, shown: dict[str, Package]
) -> None:
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
