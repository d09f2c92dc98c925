"""SIMMC 2's released dialogues: annotations are JSON, things are numbers in a scene."""

from __future__ import annotations

from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Plain = str | int | float | bool | list[str] | None
"""A value: ``price`` and ``customerReview`` are texts in some places, numbers in others."""

SlotValues = dict[str, Plain | dict[str, Plain]]
"""Values by slot; a slot ``Object ID: 37`` holds the values of that thing."""


class ActAttributes(Record):
    """What an act says and asks, and the things it refers to.

    Attributes:
        slot_values: what it says, by slot; the assistant's may be by thing first.
        request_slots: slots that it asks for.
        objects: numbers of things in the scene.
    """

    slot_values: SlotValues
    request_slots: list[str]
    objects: list[int]


class Annotation(Record):
    """The act of an utterance.

    Attributes:
        act: such as ``REQUEST:GET``.
        act_attributes: what fills it.
        disambiguation_label: version 2.1: 1 where the user's reference is ambiguous, else 0.
        disambiguation_candidates: the things in the scene that may be meant.
        disambiguation_candidates_raw: what the annotator wrote: numbers, or words such as ``all``.
    """

    act: str
    act_attributes: ActAttributes
    disambiguation_label: int | UnsetType = UNSET
    disambiguation_candidates: list[int] | UnsetType = UNSET
    disambiguation_candidates_raw: list[int | str] | UnsetType = UNSET


class Turn2(Record):
    """A user utterance and the assistant's answer; a test set may leave out what is to be found.

    Attributes:
        turn_idx: its place in the dialogue, from 0.
        transcript: what the user says.
        system_transcript: what the assistant answers.
        transcript_annotated: the act of the user.
        system_transcript_annotated: the act of the assistant.
        disambiguation_label: version 2.0: 1 where the user's reference is ambiguous, else 0; absent
            on turns that nobody looked at.
    """

    turn_idx: int
    transcript: str
    system_transcript: str | UnsetType = UNSET
    transcript_annotated: Annotation | UnsetType = UNSET
    system_transcript_annotated: Annotation | UnsetType = UNSET
    disambiguation_label: int | UnsetType = UNSET


class Dialogue2(Record):
    """A dialogue.

    Attributes:
        dialogue: its turns in order.
        dialogue_idx: its number among all dialogues.
        scene_ids: the scene that is shown from a turn on, by ``turn_idx`` as text.
        domain: ``fashion`` or ``furniture``.
        mentioned_object_ids: numbers of all things that it refers to.
    """

    dialogue: list[Turn2]
    dialogue_idx: int
    scene_ids: dict[str, str]
    domain: str | UnsetType = UNSET
    mentioned_object_ids: list[int] | UnsetType = UNSET


class Envelope2(Record):
    """What stands around the dialogues.

    Attributes:
        split: as released.
        year: of the release.
        domain: ``fashion/furniture`` where dialogues of both are in the file.
        version: a text, not always of the file that it stands in: ``simmc_2_dstc10`` in the one for
            DSTC 11.
    """

    split: str
    year: int
    domain: str
    version: str


FORMATS = (
    FileFormat(
        name="dials2",
        title="SIMMC 2 dialogues",
        # Candidates of the challenges' retrieval task have names of the same kind.
        pattern=r"simmc2(\.\d+)?_dials_(?!.*retrieval_candidates).*\.json",
        record=Dialogue2,
        layout="envelope",
        items="dialogue_data",
        envelope=Envelope2,
        keys=frozenset({"dialogue", "dialogue_idx", "scene_ids"}),
        role="main",
        dialogue_id=lambda record, _document: str(record.dialogue_idx),
    ),
)
