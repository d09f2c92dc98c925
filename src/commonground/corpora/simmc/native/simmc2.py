"""SIMMC 2's released dialogues: annotations are JSON, things are numbers in a scene."""

from __future__ import annotations

from commonground.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Plain = str | int | float | bool | list[str] | None
"""A value: ``price`` and ``customerReview`` are texts in some places, numbers in others."""

SlotValues = dict[str, Plain | dict[str, Plain]]
"""Values by slot; a slot ``Object ID: 37`` holds the values of that thing."""


class ActAttributes(Record):
    """What an act says and asks, and the things it refers to."""

    slot_values: SlotValues
    request_slots: list[str]
    objects: list[int]


class Annotation(Record):
    """The act of an utterance.

    Version 2.1 says here whether a user's reference is ambiguous, and between which things;
    ``disambiguation_candidates_raw`` holds what the annotator wrote: numbers, or words such as
    ``all``.
    """

    act: str
    act_attributes: ActAttributes
    disambiguation_label: int | UnsetType = UNSET
    disambiguation_candidates: list[int] | UnsetType = UNSET
    disambiguation_candidates_raw: list[int | str] | UnsetType = UNSET


class Turn2(Record):
    """A user utterance and the assistant's answer; a test set may leave out what is to be found.

    Version 2.0 has ``disambiguation_label`` here, on the turns that were looked at only.
    """

    turn_idx: int
    transcript: str
    system_transcript: str | UnsetType = UNSET
    transcript_annotated: Annotation | UnsetType = UNSET
    system_transcript_annotated: Annotation | UnsetType = UNSET
    disambiguation_label: int | UnsetType = UNSET


class Dialogue2(Record):
    """A dialogue; ``scene_ids`` gives the scene that is shown from a turn on."""

    dialogue: list[Turn2]
    dialogue_idx: int
    scene_ids: dict[str, str]
    domain: str | UnsetType = UNSET
    mentioned_object_ids: list[int] | UnsetType = UNSET


class Envelope2(Record):
    """What stands around the dialogues."""

    split: str
    year: int
    domain: str
    version: str


FORMATS = (
    FileFormat(
        name="dials2",
        title="SIMMC 2 dialogues",
        pattern=r"simmc2(\.\d+)?_dials_.*\.json",
        record=Dialogue2,
        layout="envelope",
        items="dialogue_data",
        envelope=Envelope2,
        keys=frozenset({"dialogue", "dialogue_idx", "scene_ids"}),
        role="main",
        dialogue_id=lambda record, _document: str(record.dialogue_idx),
    ),
)
