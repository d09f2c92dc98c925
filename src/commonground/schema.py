"""The tables of a store: every column with its type, its unit and what null means.

This is the single declaration: the Arrow schemas, the SQL views and the reference page in the
docs are made from it. The columns of a table, beside ``corpus`` and ``dialogue_id``, are the
attributes of its class in ``model.py``, under the same names.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from commonground.errors import find_named

SCHEMA_VERSION = 2
"""Raised when a store of before can no longer be read."""

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


_CORPUS = Column("corpus", "text", "Name of the corpus, as in `commonground list`.")
_DIALOGUE = Column("dialogue_id", "text", "Id of the dialogue, unique in its corpus.")
_EVENT = Column("event", "int", "Number of the event in its dialogue, from 0.")
_LAYER = Column("layer", "text", "Whose annotation it is, such as `belief_state` or `segments`.")
_FILE = Column("source_file", "text", "File it was read from, below what was imported.")
_PATH = Column("source_path", "text", "JSON path in that file, or `line N` in a text file.")
_NONE = "The corpus does not say."

TABLES: tuple[Table, ...] = (
    Table(
        "dialogues",
        "a dialogue",
        (
            _CORPUS,
            _DIALOGUE,
            Column("split", "text", "Released split, under its released name.", "In no split."),
            Column("domain", "text", "Topic, image set or product world, as released.", _NONE),
            Column("started_at", "timestamp", "When it began; UTC where that is known.", _NONE),
            Column("n_events", "int", "Number of events."),
            Column("n_utterances", "int", "Number of events that are utterances."),
            Column("attributes", "json", "Released facts about the whole dialogue.", "None."),
            _FILE,
            _PATH,
        ),
    ),
    Table(
        "speakers",
        "a participant of a dialogue",
        (
            _CORPUS,
            _DIALOGUE,
            Column("speaker", "text", "Label as released: `A`, `user`, `wizard`, an author."),
            Column("role", "text", "`user`, `assistant` or `peer`."),
            Column("agent_id", "text", "Who it was, across dialogues.", _NONE),
        ),
    ),
    Table(
        "events",
        "an utterance or an action, in order",
        (
            _CORPUS,
            _DIALOGUE,
            _EVENT,
            Column(
                "kind",
                "text",
                "`utterance`, `action`, or `withheld`: an utterance that the authors keep back.",
            ),
            Column("speaker", "text", "Who spoke or acted."),
            Column("turn", "int", "The corpus's own number of the turn.", "It has none."),
            Column("segment", "int", "The larger part it is in (PhotoBook round).", "No parts."),
            Column("at_s", "float", "Seconds since the dialogue began.", _NONE),
            Column("text", "text", "What was said, verbatim.", "An action, or withheld."),
            Column("name", "text", "What was done.", "It is not an action."),
            Column("arguments", "json", "What the action was given.", "Nothing was given."),
            Column("result", "json", "What the action gave back.", "Nothing came back."),
            Column("native_id", "text", "The corpus's own id of the event.", "It has none."),
            Column("details", "json", "Released facts that no other column holds.", "None."),
        ),
    ),
    Table(
        "spans",
        "a labelled stretch of an utterance",
        (
            _CORPUS,
            _DIALOGUE,
            _EVENT,
            _LAYER,
            Column("start_char", "int", "First code point, from 0."),
            Column("end_char", "int", "Code point behind the last."),
            Column("text", "text", "The stretch as the corpus gives it."),
            Column("label", "text", "Its label; several labels are several rows."),
            Column("attributes", "json", "Released facts about the span.", "None."),
        ),
    ),
    Table(
        "acts",
        "a slot of a dialogue act; an act without slots is one row",
        (
            _CORPUS,
            _DIALOGUE,
            _EVENT,
            _LAYER,
            Column("act_index", "int", "Number of the act at its event and layer, from 0."),
            Column("act", "text", "Name of the act."),
            Column("slot_index", "int", "Number of the slot in its act, from 0.", "No slot."),
            Column("slot", "text", "Name of the slot.", "The act has no slot."),
            Column("value", "text", "Its value as text (`true`, `false` for booleans).", "None."),
            Column("frame", "int", "Frame that the slot refers to.", "It refers to none."),
            Column("relation", "text", "How it refers: `ref`, `read`, `write`, `id`.", "Not."),
            Column(
                "argument_index",
                "int",
                "Number of the released argument in its act, from 0; one that refers to several "
                "things is several rows.",
                "It is `slot_index`.",
            ),
            Column(
                "reference_index",
                "int",
                "Number of the reference in its argument, from 0; its slots share it.",
                "No reference.",
            ),
            Column("attributes", "json", "Released facts about the slot or the act.", "None."),
        ),
    ),
    Table(
        "states",
        "a slot of a state that holds after an event",
        (
            _CORPUS,
            _DIALOGUE,
            _EVENT,
            _LAYER,
            Column("frame", "int", "Number of the frame.", "The state has no frames."),
            Column("parent_frame", "int", "Frame that it came from.", "None."),
            Column("active", "bool", "Whether the frame is the active one.", "No frames."),
            Column("kind", "text", "What the slot is: `info`, `request`, ...; `empty`: nothing."),
            Column("slot", "text", "Name of the slot.", "The state is empty."),
            Column("value", "text", "Its value as text; several values are several rows.", "None."),
            Column("negated", "bool", "Whether the value is ruled out.", _NONE),
            Column(
                "item_index",
                "int",
                "Number of the released item among those of its frame, kind and, for `info`, "
                "slot, from 0; the slots of one comparison share it.",
                "No such items.",
            ),
            Column("asked_by", "text", "Who asks, of a question that is open.", "Nobody asks."),
        ),
    ),
    Table(
        "objects",
        "an image, item, package or persona element, once per corpus",
        (
            _CORPUS,
            Column("object_id", "text", "Id of the object, unique in its corpus."),
            Column("kind", "text", "`image`, `item`, `package`, `persona`, `post`, ..."),
            Column("title", "text", "What a person would call it.", _NONE),
            Column("uri", "text", "Path below the image folder, or a web address.", "None."),
            Column("attributes", "json", "Released facts about it.", "None."),
        ),
    ),
    Table(
        "displays",
        "an object that a viewer had before them",
        (
            _CORPUS,
            _DIALOGUE,
            Column("event", "int", "Event from which on it was seen.", "Seen for a segment."),
            Column("segment", "int", "Segment during which it was seen.", "Seen from an event."),
            Column("viewer", "text", "Speaker who saw it.", "All of them."),
            Column("position", "int", "Place in the display, from 0, row by row.", _NONE),
            Column("object_id", "text", "The object."),
            Column("highlighted", "bool", "Whether it was marked as one to talk about.", _NONE),
            Column("attributes", "json", "Released facts about this showing.", "None."),
        ),
    ),
    Table(
        "groundings",
        "an event that points at an object",
        (
            _CORPUS,
            _DIALOGUE,
            _EVENT,
            Column("object_id", "text", "The object."),
            Column("relation", "text", "`selected`, `mentioned`, `grounded`, `offered`, ..."),
            Column("label", "text", "What was said of it: `common`, `different`, `E`.", "Nothing."),
            Column("mention", "text", "How the event names it: `OBJECT_1`, a frame.", "Not."),
            Column("votes", "json", "Votes of the annotators, as released.", "No votes."),
        ),
    ),
    Table(
        "candidates",
        "one option of a ranking task",
        (
            _CORPUS,
            _DIALOGUE,
            Column("event", "int", "Event to be predicted.", "The whole dialogue's."),
            Column("task", "text", "Name of the task."),
            Column("position", "int", "Place in the released list, from 0."),
            Column("text", "text", "The option, if it is a text.", "It is an object."),
            Column("object_id", "text", "The option, if it is an object.", "It is a text."),
            Column("gold", "bool", "Whether it is the right one.", "Not released."),
            Column("native_id", "text", "The corpus's own id of the option.", "It has none."),
        ),
    ),
    Table(
        "outcomes",
        "a score, rating or answer",
        (
            _CORPUS,
            _DIALOGUE,
            Column("segment", "int", "Part of the dialogue it is for.", "The whole."),
            Column("speaker", "text", "Whose it is.", "Everybody's."),
            Column("name", "text", "What was measured or asked."),
            Column("value", "float", "The number; 1 and 0 for yes and no.", "Not a number."),
            Column("text", "text", "The answer in words.", "Not in words."),
        ),
    ),
    Table(
        "entries",
        "what a released file says that is in no dialogue",
        (
            _CORPUS,
            Column("dialogue_id", "text", "Dialogue it speaks of, at hand or not.", "None."),
            Column("kind", "text", "`split`, `reward`, `answer`, `task`, `file`, ..."),
            Column("entry_id", "text", "Its id, or its number in a list.", "It has none."),
            Column("split", "text", "Released split that it is of.", "Of none."),
            Column("text", "text", "What it says, if that is a text.", "It is none."),
            Column("value", "float", "What it says, if that is a number.", "It is none."),
            Column("attributes", "json", "What else it says.", "Nothing."),
            _FILE,
            _PATH,
        ),
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
        "a place where a rule does not hold",
        (
            _CORPUS,
            Column("dialogue_id", "text", "Dialogue it concerns.", "None in particular."),
            Column("event", "int", "Event it concerns.", "None in particular."),
            Column("code", "text", "Rule, as in `commonground explain CODE`."),
            Column("severity", "text", "`error`, `warning` or `note`."),
            Column("message", "text", "One sentence."),
            Column("expected", "text", "What should be there.", "It goes without saying."),
            Column("found", "text", "What is there, shortened.", "Nothing."),
            Column("source_file", "text", "File, below what was imported.", "The whole."),
            Column("source_path", "text", "JSON path, or `line N`.", "The whole file."),
        ),
    ),
)

UTTERANCES = Table(
    "utterances",
    "an event of kind `utterance`, with what its dialogue and its speaker say of it",
    (
        _CORPUS,
        _DIALOGUE,
        _EVENT,
        Column("split", "text", "Split of the dialogue.", "In no split."),
        Column("domain", "text", "Domain of the dialogue.", _NONE),
        Column("speaker", "text", "Who said it."),
        Column("role", "text", "Role of the speaker: `user`, `assistant` or `peer`.", _NONE),
        Column("turn", "int", "The corpus's own number of the turn.", "It has none."),
        Column("segment", "int", "The larger part it is in (PhotoBook round).", "No parts."),
        Column("at_s", "float", "Seconds since the dialogue began.", _NONE),
        Column("text", "text", "What was said, verbatim."),
    ),
)
"""Rows that are joined from other tables when they are asked for; no file has them."""

TABLE_NAMES: tuple[str, ...] = tuple(table.name for table in TABLES)
_BY_NAME = {table.name: table for table in TABLES}


def get_table(name: str) -> Table:
    """Returns the declaration of one table.

    Raises:
        UsageError: there is no such table.
    """
    return find_named("table", name, _BY_NAME)
