"""SIMMC 1's released dialogues, API calls and retrieval candidates."""

from __future__ import annotations

import re
from typing import Any

from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Scene = dict[str, dict[str, str | list[str]]]
"""Visible things by name (``OBJECT_1``), each with its attributes."""

Graph = dict[str, dict[str, str | int | float | bool | list[Any] | None]]
"""Things talked about by name, each with its attributes."""


class ActSlots(Record):
    """A dialogue act and its slots, each a pair of name and value."""

    act: str
    slots: list[list[str]]


Belief = list[ActSlots | list[Any]] | dict[str, Any]
"""Acts of a turn. The public form has ``{}``; a few turns hold an empty list in place of an act."""


class LabelObject(Record):
    """A thing that a turn refers to.

    Attributes:
        obj_idx: its number among the things of the dialogue, the n of ``OBJECT_n``.
        obj_name: its name, where one is given.
        obj_type: its kind, where one is given.
    """

    obj_idx: int
    obj_name: str | UnsetType = UNSET
    obj_type: str | UnsetType = UNSET


class TurnLabel(Record):
    """An act of a turn with the things it refers to.

    Attributes:
        act: such as ``DA:ASK:GET:CLOTHING``.
        objects: those things; empty where the act is about none.
        slots: what fills the act, kept as it stands.
    """

    act: str
    objects: list[LabelObject]
    slots: Any = UNSET


class Turn(Record):
    """A user utterance and the assistant's answer.

    The public form has only the first six fields.

    Attributes:
        turn_idx: its place in the dialogue, from 0.
        domain: ``fashion`` or ``furniture``.
        transcript: what the user says.
        system_transcript: what the assistant answers; "" for the last turn of the public form.
        belief_state: acts of the user with their slots; ``{}`` in the public form.
        visual_objects: what is in view; empty at the first turn.
        system_belief_state: acts of the assistant.
        transcript_annotated: intents of the user with spans, a Python ``repr`` as text.
        system_transcript_annotated: those of the assistant, likewise.
        turn_label: acts of the user with the things they are about.
        system_turn_label: acts of the assistant, likewise.
        state_graph_0: things talked about, before the user speaks.
        state_graph_1: the same after the user spoke.
        state_graph_2: the same after the answer.
        raw_assistant_keystrokes: what the assistant pressed in the shop, kept as it stands.
    """

    turn_idx: int
    domain: str
    transcript: str
    system_transcript: str
    belief_state: Belief | UnsetType = UNSET
    visual_objects: Scene | UnsetType = UNSET
    system_belief_state: Belief | UnsetType = UNSET
    transcript_annotated: str | UnsetType = UNSET
    system_transcript_annotated: str | UnsetType = UNSET
    turn_label: list[TurnLabel] | UnsetType = UNSET
    system_turn_label: list[TurnLabel] | UnsetType = UNSET
    state_graph_0: Graph | UnsetType = UNSET
    state_graph_1: Graph | UnsetType = UNSET
    state_graph_2: Graph | UnsetType = UNSET
    raw_assistant_keystrokes: list[str | dict[str, Any]] | dict[str, Any] | UnsetType = UNSET


class Dialogue1(Record):
    """A dialogue.

    ``dialogue_coref_map`` gives the catalogue id of each ``OBJECT_n``: its keys are catalogue ids,
    its values the numbers.

    Attributes:
        dialogue: its turns in order.
        dialogue_idx: its number among all dialogues of the domain.
        domains: always one, ``fashion`` or ``furniture``.
        dialogue_task_id: its entry in the envelope's ``task_mapping``; fashion only, absent in a
            few.
        dialogue_coref_map: from catalogue ids to the n of each ``OBJECT_n``, in this direction.
    """

    dialogue: list[Turn]
    dialogue_idx: int
    domains: list[str]
    dialogue_task_id: int | UnsetType = UNSET
    dialogue_coref_map: dict[str, int] | UnsetType = UNSET


class Task(Record):
    """The images of a fashion task, as numbers of the catalogue.

    Attributes:
        task_id: what dialogues name it by.
        image_ids: all ten of them.
        focus_image: the one that is in view at first.
        memory_images: those that the user saw earlier, three or none.
        database_images: those that a search can find.
    """

    task_id: int
    image_ids: list[int]
    focus_image: int
    memory_images: list[int]
    database_images: list[int]


class Envelope(Record):
    """What stands around the dialogues.

    Attributes:
        split: as released, such as ``train`` or ``devtest_teststd-format``.
        version: of the release: 1.0 in the first.
        year: of the release.
        domain: ``fashion`` or ``furniture``.
        task_mapping: the images of each task; fashion only, and undocumented.
    """

    split: str
    version: int | float | str
    year: int
    domain: str
    task_mapping: list[Task] | UnsetType = UNSET


class Carousel(Record):
    """Furniture in view: one item in focus, or up to three in a carousel."""

    focus: str | int | None
    carousel: list[str | int] | None


class ApiCall(Record):
    """What the assistant did in a turn.

    Attributes:
        turn_idx: the turn's place in the dialogue, from 0.
        action: its name, the text "None" where nothing was done.
        action_supervision: its arguments, flat in fashion, under ``args`` in furniture; null where
            it has none.
        carousel_state: furniture in view before it; null where there was none.
        action_output_state: furniture that it brought into view; null where it brought none.
        final_carousel_state: furniture in view at the end of the turn; null where there was none.
    """

    turn_idx: int
    action: str
    action_supervision: dict[str, Any] | None
    carousel_state: Carousel | UnsetType | None = UNSET
    action_output_state: Carousel | UnsetType | None = UNSET
    final_carousel_state: Carousel | UnsetType | None = UNSET


class ApiCalls(Record):
    """The actions of a dialogue.

    Attributes:
        dialog_id: the ``dialogue_idx`` of the dialogue.
        actions: one per turn, in order.
        focus_images: the image in view before each action, as catalogue number; fashion only.
        turns: what some extractions keep beside them, kept as it stands.
    """

    dialog_id: int
    actions: list[ApiCall]
    focus_images: list[int] | UnsetType = UNSET
    turns: list[Any] | UnsetType = UNSET


class Choice(Record):
    """The candidate answers of a turn.

    Attributes:
        turn_idx: the turn's place in the dialogue, from 0.
        retrieval_candidates: 100 numbers of texts in the pool.
        gt_index: place of the right one among them. Without it the first is right, or the right one
            is hidden.
    """

    turn_idx: int
    retrieval_candidates: list[int]
    gt_index: int | UnsetType = UNSET


class Choices(Record):
    """The candidates of a dialogue."""

    dialogue_idx: int
    retrieval_candidates: list[Choice]


class Pool(Record):
    """What stands around the candidates: the answers they are numbers of."""

    system_transcript_pool: list[str]
    split: str | UnsetType = UNSET


def domain_of_name(name: str) -> str | None:
    """Returns the domain that a file's name speaks of, null if of none."""
    base = name.rpartition("/")[2]
    # The file's own name first: the folder above may be of both domains.
    for text in (base, name):
        for domain in ("fashion", "furniture"):
            if domain in text:
                return domain
    return None


# Longer names first: ``devtest`` begins like ``dev``.
_SPLIT = re.compile(r"devtest|teststd|train|dev|test")


def split_of_name(name: str) -> str | None:
    """Returns the split that a text speaks of: ``devtest_teststd-format`` is ``devtest``."""
    match = _SPLIT.search(name)
    return match[0] if match else None


def dialogue_id_of(domain: str | None, number: int) -> str:
    """Returns our id of a version 1 dialogue; its number alone is unique in its domain only."""
    return f"{domain or 'simmc'}-{number}"


def _id_of_dialogue(record: Dialogue1, document: str) -> str:
    domain = record.domains[0] if record.domains else domain_of_name(document)
    return dialogue_id_of(domain, record.dialogue_idx)


def domain_of_calls(record: ApiCalls, document: str) -> str:
    """Returns the domain of API calls: that of the file's name, else by their fields."""
    named = domain_of_name(document)
    return named or ("furniture" if record.focus_images is UNSET else "fashion")


FORMATS = (
    FileFormat(
        name="api_calls",
        title="SIMMC API calls",
        pattern=r"(fashion|furniture)_.*_api_calls.*\.json",
        record=ApiCalls,
        layout="array",
        keys=frozenset({"dialog_id", "actions"}),
        dialogue_id=lambda record, document: dialogue_id_of(
            domain_of_calls(record, document), record.dialog_id
        ),
    ),
    FileFormat(
        name="retrieval",
        title="SIMMC retrieval candidates",
        pattern=r"(fashion|furniture)_.*_retrieval_candidates.*\.json",
        record=Choices,
        layout="envelope",
        items="retrieval_candidates",
        envelope=Pool,
        keys=frozenset({"dialogue_idx", "retrieval_candidates"}),
        dialogue_id=lambda record, document: dialogue_id_of(
            domain_of_name(document), record.dialogue_idx
        ),
    ),
    FileFormat(
        name="dials",
        title="SIMMC 1 dialogues",
        pattern=r"(fashion|furniture)_.*(dials|annotated).*\.json",
        record=Dialogue1,
        layout="envelope",
        items="dialogue_data",
        envelope=Envelope,
        keys=frozenset({"dialogue", "dialogue_idx", "domains"}),
        role="main",
        dialogue_id=_id_of_dialogue,
    ),
)
