"""SIMMC 1's released dialogues, API calls and retrieval candidates."""

from __future__ import annotations

import re
from typing import Any

from commonground.formats import FileFormat
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
    """A thing that a turn refers to; ``obj_idx`` counts the things of the dialogue."""

    obj_idx: int
    obj_name: str | UnsetType = UNSET
    obj_type: str | UnsetType = UNSET


class TurnLabel(Record):
    """An act of a turn with the things it refers to."""

    act: str
    objects: list[LabelObject]
    slots: Any = UNSET


class Turn(Record):
    """A user utterance and the assistant's answer.

    The public form has only the first six fields, ``belief_state`` as ``{}``, and "" as the last
    answer. ``transcript_annotated`` and its kin are strings that hold a Python ``repr``.
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
    """

    dialogue: list[Turn]
    dialogue_idx: int
    domains: list[str]
    dialogue_task_id: int | UnsetType = UNSET
    dialogue_coref_map: dict[str, int] | UnsetType = UNSET


class Task(Record):
    """The images of a fashion task: one in focus at first, those in memory, those to be found."""

    task_id: int
    image_ids: list[int]
    focus_image: int
    memory_images: list[int]
    database_images: list[int]


class Envelope(Record):
    """What stands around the dialogues; ``task_mapping`` only in fashion files."""

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
    """What the assistant did in a turn; ``action`` may be the text "None".

    Fashion gives ``action_supervision`` flat, furniture under ``args``.
    """

    turn_idx: int
    action: str
    action_supervision: dict[str, Any] | None
    carousel_state: Carousel | UnsetType | None = UNSET
    action_output_state: Carousel | UnsetType | None = UNSET
    final_carousel_state: Carousel | UnsetType | None = UNSET


class ApiCalls(Record):
    """The actions of a dialogue; ``focus_images`` (fashion) is the image before each of them."""

    dialog_id: int
    actions: list[ApiCall]
    focus_images: list[int] | UnsetType = UNSET
    turns: list[Any] | UnsetType = UNSET


class Choice(Record):
    """The 100 candidates of a turn as numbers in the pool.

    ``gt_index`` is the place of the right one among them. Without it the first is right, or the
    right one is hidden.
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


def _id_of_calls(record: ApiCalls, document: str) -> str:
    return dialogue_id_of(domain_of_calls(record, document), record.dialog_id)


def _id_of_choices(record: Choices, document: str) -> str:
    return dialogue_id_of(domain_of_name(document), record.dialogue_idx)


FORMATS = (
    FileFormat(
        name="api_calls",
        title="SIMMC API calls",
        pattern=r"(fashion|furniture)_.*_api_calls.*\.json",
        record=ApiCalls,
        layout="array",
        keys=frozenset({"dialog_id", "actions"}),
        dialogue_id=_id_of_calls,
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
        dialogue_id=_id_of_choices,
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
