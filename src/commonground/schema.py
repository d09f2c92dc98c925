"""The tables of a store: every column with its type, its unit and what null means.

The columns of a table, beside ``corpus`` and ``dialogue_id``, are the fields of its struct in
``model.py``: a field's annotation gives the type, its line in the docstring says what the column
holds and what null means. The Arrow schemas, the SQL views and the reference page in the docs are
made from these tables.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

import msgspec

from commonground.errors import find_named
from commonground.findings import Finding
from commonground.model import (
    Act,
    Candidate,
    Dialogue,
    Display,
    EventRow,
    FileEntry,
    Grounding,
    Object,
    Outcome,
    Span,
    Speaker,
    State,
)

SCHEMA_VERSION = 2
"""Raised when columns stay as they are but mean something else; see :func:`hash_columns`."""

ColumnType = Literal["text", "int", "float", "bool", "timestamp", "json"]
"""``json`` is text that holds one JSON value; ``timestamp`` has microseconds and no zone."""


LARGEST_INT = 2**31 - 1
"""The largest number that a column of type ``int`` holds."""


class Column(msgspec.Struct, frozen=True):
    """A column.

    Attributes:
        name: no SQL keyword, so that it needs no quotes.
        type: see :data:`ColumnType`.
        doc: one sentence: what it holds, its unit, its order or range.
        null: what null means; empty where it never is null.
    """

    name: str
    type: ColumnType
    doc: str
    null: str = ""


class Table(msgspec.Struct, frozen=True):
    """A table: its name, what a row is, and its columns.

    Attributes:
        name: no SQL keyword, so that it needs no quotes.
        row: what a row is, after "a row is".
        columns: in order.
    """

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)


_TYPES: Mapping[Any, ColumnType] = {
    str: "text",
    int: "int",
    float: "float",
    bool: "bool",
    datetime: "timestamp",
    Any: "json",
}

# A field with its lines in the part ``Attributes:`` of a docstring.
_DESCRIBED = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def read_columns(struct: type[msgspec.Struct], first: str = "") -> tuple[Column, ...]:
    """Makes a column of each field of a struct that is no list.

    Args:
        struct: declares the fields, and describes them in its docstring.
        first: names of the columns that stand before the others, divided by spaces; the others
            follow in the order of the fields.
    """
    # Without docstrings (``python -OO``) columns are not described.
    attributes = (inspect.getdoc(struct) or "").partition("Attributes:\n")[2]
    texts = {match[1]: " ".join(match[2].split()) for match in _DESCRIBED.finditer(attributes)}
    columns = {
        field.name: Column(
            field.name, _column_type(field.type), *_read_text(texts.get(field.name, ""))
        )
        for field in msgspec.structs.fields(struct)
        if get_origin(field.type) is not list
    }
    names = dict.fromkeys([*first.split(), *columns])
    return tuple(columns[name] for name in names)


def _column_type(annotation: Any) -> ColumnType:
    kinds = get_args(annotation) or (annotation,)
    kind = next(each for each in kinds if each is not type(None))
    is_literal = isinstance(kind, str) or get_origin(kind) is Literal
    return "text" if is_literal else _TYPES[kind]


def _read_text(text: str) -> tuple[str, str]:
    """Divides the description of a field into what it holds and what null means.

    ``the option; None: it is none.`` has both; ``a score, if any.`` says the same of null.
    """
    said = text.replace("``", "`").removesuffix(".")
    if said.endswith(", if any"):
        doc, null = said.removesuffix(", if any"), "none"
    else:
        doc, _, null = said.partition("; None: ")
    return _write_sentence(doc), _write_sentence(null)


def _write_sentence(words: str) -> str:
    end = "" if not words or words.endswith("...") else "."
    return f"{words[:1].upper()}{words[1:]}{end}"


_CORPUS = Column("corpus", "text", "Name of the corpus, as in `commonground info`.")
_FILE = Column("source_file", "text", "File it was read from, below what was imported.")
_PATH = Column("source_path", "text", "JSON path in that file, or `line N` in a text file.")

_OF_DIALOGUES = read_columns(Dialogue)
_DIALOGUE = _OF_DIALOGUES[0]
_OF_EVENTS = tuple(each for each in read_columns(EventRow) if each.name not in ("split", "role"))


def _of_dialogue(name: str, row: str, struct: type[msgspec.Struct], first: str = "") -> Table:
    return Table(name, row, (_CORPUS, _DIALOGUE, *read_columns(struct, first)))


TABLES: tuple[Table, ...] = (
    Table(
        "dialogues",
        "a dialogue",
        (
            _CORPUS,
            *_OF_DIALOGUES[:4],
            Column("n_events", "int", "Number of events."),
            Column("n_utterances", "int", "Number of events that are utterances."),
            *_OF_DIALOGUES[4:],
            _FILE,
            _PATH,
        ),
    ),
    _of_dialogue("speakers", "a participant of a dialogue", Speaker),
    Table(
        "events",
        "an utterance or an action, in order",
        (_CORPUS, *_OF_EVENTS),
    ),
    _of_dialogue("spans", "a labelled part of an utterance's text", Span),
    _of_dialogue("acts", "a slot of a dialogue act; an act without slots is one row", Act),
    _of_dialogue(
        "states",
        "a slot of the state after an event",
        State,
        "event layer frame parent_frame active",
    ),
    Table(
        "objects",
        "an image, item, package or persona element, once per corpus",
        (_CORPUS, *read_columns(Object)),
    ),
    _of_dialogue(
        "displays",
        "an object that was shown to a viewer",
        Display,
        "event segment viewer position",
    ),
    _of_dialogue("groundings", "an event that refers to an object", Grounding),
    _of_dialogue("candidates", "one option of a ranking task", Candidate),
    _of_dialogue("outcomes", "a score, rating or answer", Outcome, "segment speaker"),
    Table(
        "entries",
        "content of a released file that is in no dialogue",
        (_CORPUS, *read_columns(FileEntry, "dialogue_id"), _FILE, _PATH),
    ),
    Table(
        "native",
        "a released record, byte for byte",
        (
            _CORPUS,
            Column("dialogue_id", "text", "Dialogue it belongs to.", "None in particular."),
            Column("format", "text", "Name of the file format."),
            _FILE,
            _PATH,
            Column("json", "text", "The record as it is in the file."),
        ),
    ),
    Table(
        "findings",
        "a place where a check found something",
        (
            _CORPUS,
            *read_columns(Finding, "dialogue_id event code severity message expected found"),
        ),
    ),
)

_SAID = {column.name: column for column in _OF_EVENTS}

UTTERANCES = Table(
    "utterances",
    "an event of kind `utterance`, with columns of its dialogue and speaker",
    (
        _CORPUS,
        _DIALOGUE,
        _SAID["event"],
        Column("split", "text", "Split of the dialogue.", "In no split."),
        Column("domain", "text", "Domain of the dialogue.", "The corpus does not say."),
        Column("speaker", "text", "Who said it."),
        Column(
            "role",
            "text",
            "Role of the speaker: `user`, `assistant` or `peer`.",
            "The corpus does not say.",
        ),
        _SAID["turn"],
        _SAID["segment"],
        _SAID["at_s"],
        Column("text", "text", "What was said, verbatim."),
    ),
)
"""Rows that are joined from other tables when they are asked for; no file has them."""

MARKS = Table(
    "marks",
    "a mark: an event by which a player calls an image `common` or `different`",
    (
        _CORPUS,
        _DIALOGUE,
        _SAID["event"],
        _SAID["segment"],
        _SAID["speaker"],
        Column("object_id", "text", "The image."),
        Column("label", "text", "The mark: `common` or `different`."),
        Column(
            "is_last", "bool", "Whether it is the speaker's last mark of the image in the segment."
        ),
        Column(
            "correct",
            "bool",
            "Whether the mark agrees with the players' pages.",
            "The image is not on the speaker's page.",
        ),
    ),
)
"""Marks with what they come to, joined like the utterances."""

DIALOGUE_ACTS = Table(
    "dialogue_acts",
    "a dialogue act of one layer of annotation, however many slots it has",
    (
        _CORPUS,
        _DIALOGUE,
        _SAID["event"],
        Column("split", "text", "Split of the dialogue.", "In no split."),
        _SAID["speaker"],
        Column(
            "role",
            "text",
            "Role of the speaker: `user`, `assistant` or `peer`.",
            "The corpus does not say.",
        ),
        Column(
            "layer",
            "text",
            "Set of annotations that it belongs to; the same act may be in several "
            "layers, so count within one.",
        ),
        Column("act_index", "int", "Number of the act at its event and layer, from 0."),
        Column("act", "text", "Name of the act."),
        Column("n_slots", "int", "Number of different slots that it has."),
    ),
)
"""Acts counted once each, where `acts` has a row for every slot."""

LABELS = Table(
    "labels",
    "a label that people gave to an event or a candidate at it, in a layer that was added",
    (
        _CORPUS,
        _DIALOGUE,
        _SAID["event"],
        Column("layer", "text", "Name of the layer that was added."),
        Column("candidate", "text", "What was asked about.", "The event itself."),
        Column("label", "text", "The majority answer, or the adjudicator's.", "No majority."),
        Column("question", "text", "What was asked."),
        Column(
            "candidate_text", "text", "Text of the candidate as people saw it.", "It has no text."
        ),
        Column("votes", "json", "One pair of pseudonym and answer per person."),
        Column("decided_by", "text", "The adjudicator, if people disagreed.", "No adjudication."),
    ),
)
"""Labels of layers that were added, one row each, joined like the utterances."""

VIEWS = (UTTERANCES, DIALOGUE_ACTS, MARKS, LABELS)
"""What SQL and ``Corpus.table`` have beside the tables that are kept."""

TABLE_NAMES: tuple[str, ...] = tuple(table.name for table in TABLES)

LABEL_ACT = "label"
"""Name of the act of every label that people added; its layer says what was asked."""

NAMING_OBJECTS = ("displays", "groundings", "candidates")
"""Tables whose rows name objects: what a dialogue shows, points at or offers."""

_BY_NAME = {table.name: table for table in TABLES}


def quote_sql(text: str) -> str:
    """Writes a text as SQL has it, in quotes."""
    return "'" + text.replace("'", "''") + "'"


def get_table(name: str) -> Table:
    """Returns the declaration of one table.

    Raises:
        UsageError: there is no such table.
    """
    return find_named("table", name, _BY_NAME)


def list_joined(name: str) -> list[str]:
    """Lists the columns of the utterances that come from a table beside the events."""
    theirs, own = get_table(name).names, get_table("events").names
    return [each for each in UTTERANCES.names if each in theirs and each not in own]


def hash_columns() -> str:
    """Returns 12 hexadecimal digits that names, types and order of all columns give."""
    columns = [(t.name, [(c.name, c.type) for c in t.columns]) for t in TABLES]
    return hashlib.sha256(msgspec.json.encode(columns)).hexdigest()[:12]
