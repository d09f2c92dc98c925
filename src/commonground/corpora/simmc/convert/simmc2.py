"""SIMMC 2 dialogues: things are numbers in the scenes of a dialogue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from commonground.corpora.simmc.convert.context import Context
from commonground.corpora.simmc.convert.labels import as_text
from commonground.corpora.simmc.native.simmc2 import Annotation, Dialogue2, Turn2
from commonground.files.reading import ConversionError, Where
from commonground.model import (
    Act,
    Dialogue,
    Display,
    Grounding,
    Object,
    Speaker,
    State,
    Utterance,
    Withheld,
)

# Nine digits always fit the column's 32 bits; ASCII, since `\d` takes the digits of any script.
THING = re.compile(r"Object ID: (\d{1,9})\Z", re.ASCII)
# Longer names first: ``devtest`` begins like ``dev``.
_SPLIT = re.compile(r"devtest|teststd|train|mini|dev|test")


def convert_simmc2(record: Dialogue2, where: Where, context: Context) -> Dialogue:
    """Turns a version 2 dialogue into a dialogue.

    Raises:
        ConversionError: a number is out of all bounds.
    """
    match = _SPLIT.search(where.document.rpartition("/")[2])
    builder = _Builder(record, context)
    builder.dialogue.split = match[0] if match else None
    if record.mentioned_object_ids is not UNSET:
        for number in record.mentioned_object_ids:
            builder.thing(number)
    for index, turn in enumerate(record.dialogue):
        builder.add_turn(turn, index, record.scene_ids.get(str(turn.turn_idx)))
    # Two released dialogues have a scene at a turn that is not there (CG-SIMMC-202).
    turns = {str(turn.turn_idx) for turn in record.dialogue}
    for begins, scene in record.scene_ids.items():
        builder.scene(scene)
        if begins not in turns:
            builder.show_late(scene, begins)
    return builder.dialogue


def find_screenshot(scene: str, pictures: Mapping[str, str]) -> str | None:
    """Returns the picture of a scene; None where no pictures are at hand.

    Scenes ``m_X`` have other things in the room of scene ``X`` and are released without a picture
    of their own: the authors' ``visualize_bboxes.py`` takes the prefix away. Image files are known
    by their names without ending; one that is not there is named as released.
    """
    room = scene.removeprefix("m_")
    found = pictures.get(room) or pictures.get(scene)
    return found or (f"{room}.png" if pictures else None)


class _Builder:
    """A dialogue in the making."""

    def __init__(self, record: Dialogue2, context: Context) -> None:
        attributes: dict[str, Any] = {"scene_ids": record.scene_ids}
        if record.mentioned_object_ids is not UNSET:
            attributes["mentioned_object_ids"] = record.mentioned_object_ids
        self.dialogue = Dialogue(
            dialogue_id=str(record.dialogue_idx),
            domain=record.domain or None,
            attributes=attributes,
            speakers=[Speaker("user", "user"), Speaker("assistant", "assistant")],
        )
        self._pictures = context.pictures
        self._described: set[str] = set()

    def thing(self, number: int) -> str:
        """Returns the object id of a thing, and describes it when it is met first."""
        object_id = f"{self.dialogue.dialogue_id}/{number}"
        return self._describe(Object(object_id, "item", attributes={"number": number}))

    def scene(self, name: str) -> str:
        """Returns the object id of a scene, and describes it when it is met first."""
        return self._describe(Object(name, "scene", name, find_screenshot(name, self._pictures)))

    def show_late(self, name: str, turn: str) -> None:
        """Shows a scene that begins at a turn that is not there: after all that is said."""
        dialogue = self.dialogue
        last = len(dialogue.events) - 1 if dialogue.events else None
        shown = Display(self.scene(name), None, last, None, 0, None, {"turn": turn})
        dialogue.displays.append(shown)

    def _describe(self, each: Object) -> str:
        if each.object_id not in self._described:
            self._described.add(each.object_id)
            self.dialogue.objects.append(each)
        return each.object_id

    def add_turn(self, turn: Turn2, index: int, scene: str | None) -> None:
        """Adds the utterances of a turn with what is annotated on them."""
        if not 0 <= turn.turn_idx < 2**31:
            path = f".dialogue[{index}].turn_idx"
            raise ConversionError(path, "a small number", turn.turn_idx)
        dialogue = self.dialogue
        user = len(dialogue.events)
        dialogue.events.append(Utterance("user", turn.transcript, turn.turn_idx))
        if scene is not None:
            dialogue.displays.append(Display(self.scene(scene), event=user, position=0))
        self._annotate(user, "transcript_annotated", turn.transcript_annotated)
        self._add_doubt(user, turn)
        answer = len(dialogue.events)
        if isinstance(turn.system_transcript, str):
            answered = Utterance("assistant", turn.system_transcript, turn.turn_idx)
            dialogue.events.append(answered)
        else:
            dialogue.events.append(Withheld("assistant", turn.turn_idx))
        self._annotate(answer, "system_transcript_annotated", turn.system_transcript_annotated)

    def _annotate(self, event: int, layer: str, annotation: Annotation | UnsetType) -> None:
        if annotation is UNSET:
            return
        act, dialogue = annotation.act, self.dialogue
        rows = _slots(annotation)
        if not rows:
            dialogue.acts.append(Act(event, layer, 0, act))
        for place, (slot, value, thing, relation) in enumerate(rows):
            dialogue.acts.append(Act(event, layer, 0, act, place, slot, value, thing, relation))
        for number in annotation.act_attributes.objects:
            object_id = self.thing(number)
            mentioned = Grounding(event, object_id, "mentioned", act, str(number))
            dialogue.groundings.append(mentioned)

    def _add_doubt(self, event: int, turn: Turn2) -> None:
        """Adds whether a reference is ambiguous, and between which things."""
        said: list[tuple[str, int | str]] = []
        if turn.disambiguation_label is not UNSET:
            said.append(("label", turn.disambiguation_label))
        annotation = turn.transcript_annotated
        if annotation is not UNSET:
            if annotation.disambiguation_label is not UNSET:
                said.append(("label", annotation.disambiguation_label))
            raw = annotation.disambiguation_candidates_raw
            said += [("candidates_raw", each) for each in ([] if raw is UNSET else raw)]
            numbers = annotation.disambiguation_candidates
            for number in [] if numbers is UNSET else numbers:
                row = Grounding(event, self.thing(number), "candidate", None, str(number))
                self.dialogue.groundings.append(row)
        for slot, value in said:
            layer = "disambiguation"
            state = State(event, layer, "annotation", slot=slot, value=as_text(value))
            self.dialogue.states.append(state)


def _slots(annotation: Annotation) -> list[tuple[str, str | None, int | None, str | None]]:
    # Slot, value, number of the thing, and how the act is about it.
    rows: list[tuple[str, str | None, int | None, str | None]] = []
    for slot, value in annotation.act_attributes.slot_values.items():
        match = THING.match(slot)
        if not isinstance(value, dict):
            rows += [(slot, text, None, None) for text in _texts(value)]
        # The attributes of one thing hang below its number: {"Object ID: 37": {"price": ...}}.
        elif match:
            number = int(match[1])
            for name, each in value.items():
                rows += [(name, text, number, "object") for text in _texts(each)]
        else:
            rows += [(f"{slot}.{k}", t, None, None) for k, v in value.items() for t in _texts(v)]
    rows += [(slot, None, None, "request") for slot in annotation.act_attributes.request_slots]
    return rows


def _texts(value: Any) -> list[str | None]:
    values = value if isinstance(value, list) else [value]
    # An empty list keeps its slot: a row without a value.
    return [as_text(each) for each in values] or [None]
