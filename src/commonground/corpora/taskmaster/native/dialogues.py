"""Taskmaster's released JSON files, all four generations.

Generations 1 and 2 share one structure. Generation 3 adds API calls as objects, generation 4
has them as flat annotations. In generations 1 to 3 an utterance without segments or calls
*lacks* the key; in generation 4 all keys are always there.
"""

from __future__ import annotations

from typing import Literal

from commonground.corpora.taskmaster.native.ontology import (
    ApiDeclaration,
    Entities,
    LabelGroup,
    PlainOntology,
)
from commonground.corpora.taskmaster.native.rows import (
    SplitId,
    SplitRow,
    parse_split_ids,
    parse_split_rows,
    render_split_ids,
    render_split_rows,
)
from commonground.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType


class Label(Record):
    """One annotation of a segment: a dotted name such as ``flight_search.origin``."""

    name: str


class Segment(Record):
    """A stretch of an utterance; code points, end exclusive."""

    start_index: int
    end_index: int
    text: str
    annotations: list[Label]


class PlainUtterance(Record):
    """An utterance of generations 1 and 2."""

    index: int
    speaker: Literal["USER", "ASSISTANT"]
    text: str
    segments: list[Segment] | UnsetType = UNSET


class PlainDialogue(Record):
    """A dialogue of generations 1 and 2; ``instruction_id`` names its instructions."""

    conversation_id: str
    instruction_id: str
    utterances: list[PlainUtterance]


class ApiCall(Record):
    """A call of generation 3, with what came back; ``index`` is its utterance's."""

    name: str
    index: int
    args: dict[str, str]
    response: dict[str, str]


class TicketUtterance(Record):
    """An utterance of generation 3."""

    index: int
    speaker: Literal["user", "assistant"]
    text: str
    segments: list[Segment] | UnsetType = UNSET
    apis: list[ApiCall] | UnsetType = UNSET


class TicketDialogue(Record):
    """A dialogue of generation 3."""

    conversation_id: str
    vertical: Literal["Movie Tickets"]
    scenario: str
    instructions: str
    utterances: list[TicketUtterance]


class CoffeeSegment(Record):
    """A stretch of an utterance of generation 4; its offsets are numbers written as text."""

    start_index: int | str
    end_index: int | str
    text: str
    annotations: list[Label]
    annotator_id: str


class CallNote(Record):
    """A part of an API call of generation 4.

    ``context`` is ``api_call_N`` or ``api_response_N``; parts with the same number make one call.
    ``value`` is the API's name, or a request or response as JSON text.
    """

    name: Literal["api_call", "request", "api_response", "response"]
    value: str
    context: str


class CoffeeUtterance(Record):
    """An utterance of generation 4."""

    index: int
    speaker: Literal["user", "assistant"]
    text: str
    segments: list[CoffeeSegment]
    annotations: list[CallNote]


class CoffeeDialogue(Record):
    """A dialogue of generation 4."""

    conversation_id: str
    vertical: Literal["Coffee"]
    scenario: str
    instructions: str | None
    utterances: list[CoffeeUtterance]


class RewardExample(Record):
    """A model's continuation of a dialogue, and its reward.

    ``context`` (a list) and ``generation`` (an object) are JSON texts, kept as they stand.
    """

    conversation_id: str
    context: str
    generation: str
    reward: float


DOMAINS_2 = (
    "flights",
    "food-ordering",
    "hotels",
    "movies",
    "music",
    "restaurant-search",
    "sports",
)
"""The files of generation 2, one per domain."""

_FILES_2 = "(" + "|".join(DOMAINS_2) + r")\.json"
_PLAIN_KEYS = frozenset({"conversation_id", "instruction_id", "utterances"})
_LATER_KEYS = frozenset({"conversation_id", "vertical", "scenario", "instructions", "utterances"})


def _conversation(
    record: PlainDialogue | TicketDialogue | CoffeeDialogue | RewardExample | SplitId,
    _document: str,
) -> str | None:
    return record.conversation_id


def _row_conversation(record: SplitRow, _document: str) -> str | None:
    return record.conversation_id or None


FORMATS = (
    FileFormat(
        name="dialogs1",
        title="Taskmaster-1 dialogues",
        pattern=r"(self|woz)-dialogs\.json",
        record=PlainDialogue,
        layout="array",
        keys=_PLAIN_KEYS,
        role="main",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="splits1",
        title="Taskmaster-1 split list",
        pattern=r"(train|dev|test)\.csv",
        record=SplitId,
        layout="text",
        dialogue_id=_conversation,
        parse_text=parse_split_ids,
        render_text=render_split_ids,
    ),
    FileFormat(
        name="sample1",
        title="Taskmaster-1 sample conversation",
        pattern=r"sample\.json",
        record=PlainDialogue,
        role="reference",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="ontology1",
        title="Taskmaster-1 ontology",
        pattern=r"ontology\.json",
        record=PlainOntology,
        layout="map",
    ),
    # The ontology comes first: its files have the names of the data files.
    FileFormat(
        name="ontology2",
        title="Taskmaster-2 ontology",
        pattern="ontology/" + _FILES_2,
        record=LabelGroup,
        layout="splits",
    ),
    FileFormat(
        name="dialogs2",
        title="Taskmaster-2 dialogues of one domain",
        pattern=_FILES_2,
        record=PlainDialogue,
        layout="array",
        keys=_PLAIN_KEYS,
        role="main",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="dialogs3",
        title="Taskmaster-3 dialogues",
        pattern=r"data_\d+\.json",
        record=TicketDialogue,
        layout="array",
        keys=_LATER_KEYS,
        role="main",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="splits3",
        title="Taskmaster-3 split rows",
        pattern=r"(train|dev|test)(-[a-z]+)?\.tsv",
        record=SplitRow,
        layout="text",
        dialogue_id=_row_conversation,
        parse_text=parse_split_rows,
        render_text=render_split_rows,
    ),
    FileFormat(
        name="apis3",
        title="Taskmaster-3 declaration of APIs",
        pattern=r"apis\.json",
        record=ApiDeclaration,
        layout="map",
    ),
    FileFormat(
        name="entities3",
        title="Taskmaster-3 list of entities",
        pattern=r"entities\.json",
        record=Entities,
        layout="map",
    ),
    FileFormat(
        name="reward3",
        title="Taskmaster-3 reward examples",
        pattern=r"reward_\d+\.json",
        record=RewardExample,
        layout="array",
        keys=frozenset({"conversation_id", "context", "generation", "reward"}),
        role="reference",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="dialogs4",
        title="Taskmaster-4 dialogues",
        pattern=r"data_\d+\.json",
        record=CoffeeDialogue,
        layout="array",
        keys=_LATER_KEYS,
        role="main",
        dialogue_id=_conversation,
    ),
    FileFormat(
        name="reward4",
        title="Taskmaster-4 reward examples",
        pattern=r"reward_\d+\.json",
        record=RewardExample,
        layout="array",
        keys=frozenset({"conversation_id", "context", "generation", "reward"}),
        role="reference",
        dialogue_id=_conversation,
    ),
)
