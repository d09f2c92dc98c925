"""Messages become chats: what a row and a chat are, and by which names columns are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from commonground.corpora.chats.tables import TableRow
from commonground.files.formats import Columns, MissingColumn, OddRow, RowsRecord
from commonground.records import UNSET, Record, UnsetType

Unit = Literal["line", "row", "item"]
"""What messages are counted by: lines of a text, rows of a table, items of a JSON list."""


class Row(Record):
    """A message: its place in the file, from 1, and its cells by column."""

    line: int
    cells: dict[str, Any]


class Chat(Record):
    """The messages of one dialogue.

    Attributes:
        dialogue: its id, as the rows have it; empty where the file says none.
        columns: the columns of its table, by what is taken from them; ``author.name`` is a field
            of a field.
        rows: the messages, in the order of the file.
        around: of a file with a dialogue in each line, the line with its list of messages emptied;
            absent where each line is a message.
        unit: what the places of its messages are counted by.
        is_whole: whether the file is this one dialogue, which has its name then.
    """

    dialogue: str
    columns: dict[str, list[str]]
    rows: list[Row]
    around: dict[str, Any] | UnsetType = UNSET
    unit: Unit = "line"
    is_whole: bool = False


NAMES: dict[str, tuple[str, ...]] = {
    "dialogue": (
        *("dialogue_id", "dialog_id", "dialogue", "dialog", "conversation_id", "conversation"),
        *("conv_id", "convo_id", "chat_id", "chat", "thread_id", "thread", "session_id", "session"),
        *("call_id", "transcript_id"),
    ),
    "speaker": (
        *("speaker", "speaker_id", "author", "sender", "participant", "user_name", "username"),
        *("user_id", "author_id", "sender_id", "user", "name", "from", "who"),
    ),
    "text": ("text", "utterance", "message", "content", "body", "msg", "transcript"),
    "time": (
        *("time", "timestamp", "datetime", "date", "at_s", "created_at", "created_utc", "sent_at"),
        *("start_time", "start", "ts"),
    ),
    "role": ("role", "speaker_role", "speaker_type"),
    "reply": ("reply_to", "in_reply_to", "reply_to_id", "parent_id"),
    "id": ("utterance_id", "message_id", "utt_id", "msg_id", "id"),
    "split": ("split", "data_split"),
    "label": (
        *("label", "labels", "dialogue_act", "dialog_act", "act", "intent", "emotion"),
        *("sentiment",),
    ),
    "picture": ("picture", "image", "photo", "image_path", "image_url"),
}
"""What is taken from a table, and the names by which its column is known, the likeliest first."""

NEEDED = ("dialogue", "speaker", "text")


def find_columns(
    header: Sequence[str], named: Columns, needed: Sequence[str] = NEEDED
) -> dict[str, list[str]] | MissingColumn:
    """Finds which column is what, as the user named it or else by common names."""
    found: dict[str, list[str]] = {}
    for field, column in named:
        if column not in header:
            return MissingColumn(f"{field} called {column}", ", ".join(header))
        found.setdefault(field, []).append(column)
    taken = {column for columns in found.values() for column in columns}
    free = {plain_name(column): column for column in reversed(header) if column not in taken}
    for field, names in NAMES.items():
        known = next((free[name] for name in names if name in free), None)
        if field not in found and known is not None:
            found[field] = [known]
            del free[plain_name(known)]
    if "speaker" not in found and "role" in found:
        found["speaker"] = found["role"]
    missing = [field for field in needed if field not in found]
    if missing:
        return MissingColumn(" or ".join(missing), ", ".join(header))
    return found


def plain_name(column: str) -> str:
    """Writes the name of a column as the common names are: ``Speaker ID`` is ``speaker_id``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"\W+", "_", spaced).strip("_").casefold()


def gather_chats(
    lines: Iterable[TableRow | OddRow], header: Sequence[str], named: Columns, unit: Unit = "line"
) -> Iterator[RowsRecord | MissingColumn]:
    """Gathers the rows of a table into chats, in the order of their first rows."""
    if not header:  # no table at all: what there is, is odd
        yield from (
            RowsRecord(f"{unit} {each.line}", each) for each in lines if isinstance(each, OddRow)
        )
        return
    columns = find_columns(header, named)
    if isinstance(columns, MissingColumn):
        yield columns
        return
    yield from group_rows(lines, columns, unit)


def group_rows(
    lines: Iterable[TableRow | OddRow],
    columns: dict[str, list[str]],
    unit: Unit,
    *,
    is_whole: bool = False,
) -> Iterator[RowsRecord]:
    """Groups rows by dialogue, in the order of their first rows; with ``is_whole`` there is one."""
    chats: dict[str, Chat] = {}
    found: list[tuple[int, Any]] = []
    for each in lines:
        if isinstance(each, OddRow):
            found.append((each.line, each))
            continue
        lacking = _find_lacking(each.cells, columns, is_whole=is_whole)
        if lacking is not None:
            found.append((each.number, OddRow(each.number, each.text, f"a {lacking}")))
            continue
        dialogue = "" if is_whole else str(read_cell(each.cells, columns, "dialogue"))
        if dialogue not in chats:
            chats[dialogue] = Chat(
                dialogue=dialogue, columns=columns, rows=[], unit=unit, is_whole=is_whole
            )
            found.append((each.number, chats[dialogue]))
        chats[dialogue].rows.append(Row(line=each.number, cells=each.cells))
    for number, record in found:
        yield RowsRecord(f"{unit} {number}", record)


def _find_lacking(
    cells: Mapping[str, Any], columns: Mapping[str, Sequence[str]], *, is_whole: bool
) -> str | None:
    """Returns what a row needs and does not have; None where it has all."""
    for field in ("speaker",) if is_whole else ("dialogue", "speaker"):
        value = read_cell(cells, columns, field)
        if not isinstance(value, str | int | float) or not str(value).strip():
            return field
    text, picture = (read_cell(cells, columns, field) for field in ("text", "picture"))
    is_text = isinstance(text, str | int | float) or (text is None and bool(picture))
    return None if is_text else "text"


def read_cell(cells: Mapping[str, Any], columns: Mapping[str, Sequence[str]], field: str) -> Any:
    """Returns what a row has of a field; None where it has nothing."""
    found = [_look_up(cells, column) for column in columns.get(field, ())]
    said = (value for value in found if value is not None and value != "")
    return next(said, next((value for value in found if value is not None), None))


def _look_up(cells: Mapping[str, Any], column: str) -> Any:
    if column in cells or "." not in column:
        return cells.get(column)
    outer, _, inner = column.partition(".")
    around = cells.get(outer)
    return around.get(inner) if isinstance(around, Mapping) else None


LISTS = ("messages", "conversations")
"""Fields that have all messages of a dialogue, in files for training: of OpenAI and of ShareGPT."""

_OPENAI = {"speaker": ["name", "role"], "role": ["role"], "text": ["content"]}
_SHAREGPT = {"speaker": ["from"], "text": ["value"]}


def gather_objects(
    lines: Sequence[TableRow | OddRow], header: Sequence[str], named: Columns, unit: Unit = "line"
) -> Iterator[RowsRecord | MissingColumn]:
    """Gathers objects that are either messages or whole dialogues, as the first one says."""
    first = next((each for each in lines if isinstance(each, TableRow)), None)
    if first is None or named or not any(name in first.cells for name in LISTS):
        yield from gather_chats(lines, header, named, unit)
        return
    for each in lines:
        chat = None if isinstance(each, OddRow) else make_chat(each, unit)
        odd = each if isinstance(each, OddRow) else OddRow(each.number, each.text, "messages")
        yield RowsRecord(f"{unit} {odd.line}", chat or odd)


def make_chat(line: TableRow, unit: Unit) -> Chat | None:
    """Makes a chat of a line that has all of it; None where it has no such list of messages."""
    place = next((name for name in LISTS if isinstance(line.cells.get(name), list)), None)
    if place is None:
        return None
    messages = line.cells[place]
    for columns in (_OPENAI, _SHAREGPT):
        key = columns["speaker"][-1]
        if messages and all(isinstance(each, dict) and each.get(key) for each in messages):
            names = ("id", *NAMES["dialogue"])
            ids = (line.cells.get(name) for name in names)
            dialogue = next((each for each in ids if isinstance(each, str | int)), "")
            rows = [Row(line=line.number, cells=each) for each in messages]
            around = {**line.cells, place: []}
            return Chat(
                dialogue=str(dialogue), columns=columns, rows=rows, around=around, unit=unit
            )
    return None


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
"""What Slack calls the file of a day; the channel is the folder that it is in."""


def name_dialogue(chat: Chat, document: str) -> str:
    """Returns the id of a chat's dialogue; where the file says none, its file and place in it."""
    folder, _, base = document.rpartition("/")
    stem = base.rpartition(".")[0]
    if _DAY.fullmatch(stem) and folder:
        stem = f"{folder.rpartition('/')[2]}-{stem}"
    return chat.dialogue or (stem if chat.is_whole else f"{stem}-{chat.rows[0].line}")


def list_lines(records: Sequence[Any]) -> list[TableRow | OddRow]:
    """Lists the rows of chats, and odd rows, in the order of the file."""
    found: list[tuple[int, TableRow | OddRow]] = []
    for each in records:
        if isinstance(each, OddRow):
            found.append((each.line, each))
        elif each.around is not UNSET:
            place = next(name for name in LISTS if each.around.get(name) == [])
            cells = {**each.around, place: [row.cells for row in each.rows]}
            found.append((each.rows[0].line, TableRow(each.rows[0].line, cells, "")))
        else:
            found += [(row.line, TableRow(row.line, row.cells, "")) for row in each.rows]
    return [line for _, line in sorted(found, key=lambda pair: pair[0])]
