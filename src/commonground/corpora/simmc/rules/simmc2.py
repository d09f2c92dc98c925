"""Rules on SIMMC 2 dialogues."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.convert.simmc2 import THING
from commonground.corpora.simmc.native.simmc2 import Annotation, Dialogue2, Turn2
from commonground.findings import Place, Ruleset

rules = Ruleset("CG-SIMMC-", "dials2", known=0)


def _annotations(record: Dialogue2) -> Iterator[tuple[str, Annotation]]:
    for index, turn in enumerate(record.dialogue):
        for field in ("transcript_annotated", "system_transcript_annotated"):
            annotation = getattr(turn, field)
            if annotation is not UNSET:
                yield f".dialogue[{index}].{field}", annotation


@rules.error(201)
def turn_order(record: Dialogue2) -> Iterator[Place]:
    """A turn's `turn_idx` is not its place in the dialogue.

    Scenes are joined by this number.

    Number the turns from 0 in order.
    """
    for index, turn in enumerate(record.dialogue):
        if turn.turn_idx != index:
            yield Place(f".dialogue[{index}].turn_idx", str(index), str(turn.turn_idx))


@rules.warning(202, known=2)
def scene_too_late(record: Dialogue2) -> Iterator[Place]:
    """A scene is scheduled for a turn that the dialogue does not have.

    The scene was never seen. It is displayed at the last event, with its turn as attribute.

    Leave the scene out.
    """
    turns = {str(turn.turn_idx) for turn in record.dialogue}
    for turn, scene in record.scene_ids.items():
        if turn not in turns:
            yield Place(f'.scene_ids["{turn}"]', f"a turn below {len(turns)}", scene)


@rules.error(203)
def no_scene(record: Dialogue2) -> Iterator[Place]:
    """No scene is shown at the first turn.

    The objects under discussion cannot be seen.

    Check whether the dialogue was cut at its beginning.
    """
    if "0" not in record.scene_ids:
        yield Place(".scene_ids", "a scene at turn 0", ", ".join(record.scene_ids) or None)


@rules.error(204)
def unmentioned(record: Dialogue2) -> Iterator[Place]:
    """An object is referred to that is not listed as mentioned in the dialogue.

    `mentioned_object_ids` is supposed to list all of them.

    Use the references of the turns instead.
    """
    if record.mentioned_object_ids is UNSET:
        return
    known = set(record.mentioned_object_ids)
    for path, annotation in _annotations(record):
        for number in annotation.act_attributes.objects:
            if number not in known:
                yield Place(f"{path}.act_attributes.objects", "a thing mentioned", str(number))


@rules.note(205, known=155)
def never_used(record: Dialogue2) -> Iterator[Place]:
    """An object is listed as mentioned, but no turn refers to it.

    The list does not reflect the references.

    Use the references of the turns instead.
    """
    if record.mentioned_object_ids is UNSET:
        return
    used = {n for _, each in _annotations(record) for n in each.act_attributes.objects}
    annotated = any(turn.transcript_annotated is not UNSET for turn in record.dialogue)
    for place, number in enumerate(record.mentioned_object_ids if annotated else ()):
        if number not in used:
            yield Place(f".mentioned_object_ids[{place}]", None, str(number))


@rules.note(206, known=113)
def number_or_word(record: Dialogue2) -> Iterator[Place]:
    """A price or review that a user asks for is a number where others are words.

    `price` and `customerReview` hold `cheap` or `good` in some turns, numbers in others.

    Compare like with like.
    """
    # Looks for numbers, those of single things apart.
    for path, annotation in _annotations(record):
        for slot in ("price", "customerReview"):
            value = annotation.act_attributes.slot_values.get(slot)
            if isinstance(value, int | float):
                yield Place(f"{path}.act_attributes.slot_values.{slot}", "a word", str(value))


@rules.warning(207)
def stray_values(record: Dialogue2) -> Iterator[Place]:
    """Values are given for an object that the act does not refer to.

    The values cannot be joined with the references.

    Check which object is meant.
    """
    for path, annotation in _annotations(record):
        for slot, value in annotation.act_attributes.slot_values.items():
            match = THING.match(slot)
            if not isinstance(value, dict):
                continue
            if match is None or int(match[1]) not in annotation.act_attributes.objects:
                where = f'{path}.act_attributes.slot_values["{slot}"]'
                yield Place(where, "a thing that the act refers to", slot)


def _label(turn: Turn2) -> int | None:
    if turn.disambiguation_label is not UNSET:
        return turn.disambiguation_label
    annotation = turn.transcript_annotated
    if annotation is UNSET or annotation.disambiguation_label is UNSET:
        return None
    return annotation.disambiguation_label


@rules.warning(208)
def label_and_answer(record: Dialogue2) -> Iterator[Place]:
    """A reference is marked as ambiguous but the assistant does not ask, or the other way round.

    The label and the answer contradict each other.

    Trust neither for this turn.
    """
    for index, turn in enumerate(record.dialogue):
        answer, label = turn.system_transcript_annotated, _label(turn)
        if answer is UNSET or label is None:
            continue
        if (label == 1) != (answer.act == "REQUEST:DISAMBIGUATE"):
            yield Place(f".dialogue[{index}]", f"an answer to label {label}", answer.act)


@rules.note(209, known=1)
def label_and_candidates(record: Dialogue2) -> Iterator[Place]:
    """A reference is marked as ambiguous but no candidates are given, or the other way round.

    A model trained on the candidates gets none for the turn.

    Leave the turn out.
    """
    for index, turn in enumerate(record.dialogue):
        annotation, label = turn.transcript_annotated, _label(turn)
        if annotation is UNSET or annotation.disambiguation_candidates is UNSET:
            continue
        numbers = annotation.disambiguation_candidates
        if label is not None and (label == 1) != bool(numbers):
            path = f".dialogue[{index}].transcript_annotated.disambiguation_candidates"
            yield Place(path, f"candidates that fit label {label}", str(numbers))
