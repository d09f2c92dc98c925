"""Taskmaster's released JSON files, all four generations.

Generations 1 and 2 share one structure. Generation 3 adds API calls as objects, generation 4
has them as flat annotations. In generations 1 to 3 an utterance without segments or calls
*lacks* the key; in generation 4 all keys are always there.
"""

from __future__ import annotations

from typing import Literal

import msgspec

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
from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType


class Label(Record):
    """One annotation of a segment: a dotted name such as ``flight_search.origin``."""

    name: str


class Segment(Record):
    """A stretch of an utterance; code points, end exclusive.

    Attributes:
        start_index: its first code point in the utterance.
        end_index: the code point after its last.
        text: what stands between the two.
        annotations: its labels, one in generation 3, up to four in generation 1.
    """

    start_index: int
    end_index: int
    text: str
    annotations: list[Label]


class PlainUtterance(Record):
    """An utterance of generations 1 and 2.

    Attributes:
        index: its number in the dialogue, from 0.
        speaker: in capitals, unlike in generations 3 and 4.
        text: what was said or written.
        segments: absent where nothing is labelled.
    """

    index: int
    speaker: Literal["USER", "ASSISTANT"]
    text: str
    segments: list[Segment] | UnsetType = UNSET


class PlainDialogue(Record):
    """A dialogue of generations 1 and 2.

    Attributes:
        conversation_id: ``dlg-`` and a UUID.
        instruction_id: name of the instructions that its people were given, such as
            ``pizza-ordering-1``.
        utterances: in order; one speaker may have several in a row.
    """

    conversation_id: str
    instruction_id: str
    utterances: list[PlainUtterance]


class ApiCall(Record):
    """A call of generation 3, with what came back.

    Attributes:
        name: of the API, such as ``find_movies``.
        index: number of the utterance that triggers it and carries it.
        args: texts by name of argument.
        response: texts by name of key, numbered where there are several: ``name.movie_1``.
    """

    name: str
    index: int
    args: dict[str, str]
    response: dict[str, str]


class TicketUtterance(Record):
    """An utterance of generation 3.

    Attributes:
        index: its number in the dialogue, from 0.
        speaker: in lower case.
        text: what was written.
        segments: absent where nothing is labelled.
        apis: absent where it triggers no call; calls stand on user utterances.
    """

    index: int
    speaker: Literal["user", "assistant"]
    text: str
    segments: list[Segment] | UnsetType = UNSET
    apis: list[ApiCall] | UnsetType = UNSET


class TicketDialogue(Record):
    """A dialogue of generation 3.

    Attributes:
        conversation_id: its name in all files of the generation.
        vertical: the subject, the same in all.
        scenario: title of the script that the worker followed.
        instructions: the script itself, prose with directives in double braces.
        utterances: one worker wrote both sides of them.
    """

    conversation_id: str
    vertical: Literal["Movie Tickets"]
    scenario: str
    instructions: str
    utterances: list[TicketUtterance]


class CoffeeSegment(Record):
    """A stretch of an utterance of generation 4.

    Attributes:
        start_index: its first code point, a number written as text.
        end_index: the code point after its last, likewise.
        text: what stands between the two.
        annotations: its labels, always one, ``request``.
        annotator_id: always ``GENERATED``.
    """

    start_index: int | str
    end_index: int | str
    text: str
    annotations: list[Label]
    annotator_id: str


class CallNote(Record):
    """A part of an API call of generation 4.

    Attributes:
        name: which part it is.
        value: the API's name, or a request or response as JSON text. Some of it does not parse.
        context: ``api_call_N`` or ``api_response_N``; parts with the same number make one call. N
            grows over the whole dialogue.
    """

    name: Literal["api_call", "request", "api_response", "response"]
    value: str
    context: str


class CoffeeUtterance(Record):
    """An utterance of generation 4. All keys are always there.

    Attributes:
        index: its number in the dialogue, from 0.
        speaker: in lower case; user and assistant take turns strictly.
        text: what was written.
        segments: empty on all but 82 utterances.
        annotations: parts of API calls, on user utterances.
    """

    index: int
    speaker: Literal["user", "assistant"]
    text: str
    segments: list[CoffeeSegment]
    annotations: list[CallNote]


class CoffeeDialogue(Record):
    """A dialogue of generation 4.

    Attributes:
        conversation_id: ``dlg-`` and a UUID.
        vertical: the subject, the same in all.
        scenario: title of the script that the worker followed, one of 32.
        instructions: the script itself; null in 575 dialogues.
        utterances: two to eight, the user's first.
    """

    conversation_id: str
    vertical: Literal["Coffee"]
    scenario: str
    instructions: str | None
    utterances: list[CoffeeUtterance]


class RewardExample(Record):
    """A model's continuation of a dialogue, and its reward.

    ``context`` (a list) and ``generation`` (an object) are JSON texts, kept as they stand.

    Attributes:
        conversation_id: of the dialogue that is continued; in generation 4 none of those released.
        context: what came before, a JSON list as text, kept as it stands.
        generation: what the model went on with, a JSON object as text, kept as it stands.
        reward: 1.0 where it was good, else 0.0.
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

# Such as `(flights|food-ordering|...)\.json`: the names are all that tells their domain.
_FILES_2 = "(" + "|".join(DOMAINS_2) + r")\.json"
_PLAIN_KEYS = frozenset({"conversation_id", "instruction_id", "utterances"})
_LATER_KEYS = frozenset({"conversation_id", "vertical", "scenario", "instructions", "utterances"})


def _conversation(
    record: PlainDialogue | TicketDialogue | CoffeeDialogue | RewardExample | SplitId,
    _document: str,
) -> str | None:
    return record.conversation_id


def _dialogues(
    name: str, title: str, pattern: str, record: type[Record], keys: frozenset[str]
) -> FileFormat:
    return FileFormat(
        name=name,
        title=title,
        pattern=pattern,
        record=record,
        layout="array",
        keys=keys,
        role="main",
        dialogue_id=_conversation,
    )


_REWARD = FileFormat(
    name="reward3",
    title="Taskmaster-3 reward examples",
    pattern=r"reward_\d+\.json",
    record=RewardExample,
    layout="array",
    keys=frozenset({"conversation_id", "context", "generation", "reward"}),
    role="reference",
    dialogue_id=_conversation,
)

FORMATS = (
    _dialogues(
        "dialogs1",
        "Taskmaster-1 dialogues",
        r"(self|woz)-dialogs\.json",
        PlainDialogue,
        _PLAIN_KEYS,
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
    _dialogues(
        "dialogs2", "Taskmaster-2 dialogues of one domain", _FILES_2, PlainDialogue, _PLAIN_KEYS
    ),
    # Generations 3 and 4 have files and keys of the same names; each corpus has one of the two.
    _dialogues(
        "dialogs3", "Taskmaster-3 dialogues", r"data_\d+\.json", TicketDialogue, _LATER_KEYS
    ),
    FileFormat(
        name="splits3",
        title="Taskmaster-3 split rows",
        # Such as train-aa.tsv: the lists were cut by `split`, which names its parts so.
        pattern=r"(train|dev|test)(-[a-z]+)?\.tsv",
        record=SplitRow,
        layout="text",
        # A cell that is there and empty names no dialogue.
        dialogue_id=lambda row, _document: row.conversation_id or None,
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
    _REWARD,
    _dialogues(
        "dialogs4", "Taskmaster-4 dialogues", r"data_\d+\.json", CoffeeDialogue, _LATER_KEYS
    ),
    msgspec.structs.replace(_REWARD, name="reward4", title="Taskmaster-4 reward examples"),
)
