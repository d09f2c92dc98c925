"""JSON files of chats, among them exports of Slack and Discord, and WhatsApp's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from commonground.corpora.chats.gathering import (
    LISTS,
    Chat,
    Row,
    find_columns,
    gather_objects,
    group_rows,
    make_chat,
    read_cell,
)
from commonground.corpora.chats.tables import TableRow, split_lines
from commonground.files.formats import Columns, FileFormat, MissingColumn, OddRow, RowsRecord
from commonground.files.salvage import salvage_document
from commonground.records import Record

_SLACK = {
    "speaker": ["user_profile.display_name", "user_profile.real_name", "username", "user"],
    "text": ["text"],
    "time": ["ts"],
    "id": ["ts"],
    "reply": ["thread_ts"],
    "picture": ["files"],
}
_DISCORD = {
    "speaker": ["author.nickname", "author.name"],
    "text": ["content"],
    "time": ["timestamp"],
    "id": ["id"],
    "reply": ["reference.messageId"],
    "picture": ["attachments"],
}
_DISCORD_TABLE = {"speaker": ["Author"], "text": ["Content"], "time": ["Date"]}
_WHATSAPP = {
    "speaker": ["speaker"],
    "text": ["text"],
    "time": ["time"],
    "picture": ["picture"],
    "head": ["head"],
}


class People(Record):
    """A file ``users.json``: of an export of Slack, the list of those who are in it.

    Attributes:
        listed: what the file holds.
    """

    listed: Any

    def names(self) -> dict[str, str]:
        """Returns the name that is shown of each person, by id; none of files of other makers."""
        found = {}
        for each in self.listed if isinstance(self.listed, list) else ():
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                name = next((value for path in _NAMES if (value := _find(each, path))), None)
                if name is not None:
                    found[each["id"]] = name
        return found


_NAMES = ("profile.display_name", "profile.real_name", "real_name", "name")
"""Where Slack keeps what people are called, what it shows first."""


def _find(user: dict[str, Any], path: str) -> str | None:
    value: Any = user
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value.strip() else None


def gather_people(data: bytes, _named: Columns) -> Iterator[RowsRecord]:
    """Reads a file of people as one record."""
    try:
        yield RowsRecord("item 1", People(listed=msgspec.json.decode(data)))
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        yield RowsRecord("item 1", OddRow(1, data.decode(errors="backslashreplace"), "JSON"))


def render_people(records: Sequence[Any]) -> bytes:
    """Writes a file of people, which is one record."""
    texts = (
        each.text.encode() if isinstance(each, OddRow) else msgspec.json.encode(each.listed)
        for each in records
    )
    return b"".join(texts)


def name_people(chat: Chat, names: Mapping[str, str]) -> Chat:
    """Returns a chat of Slack with names in the place of ids, where its messages have ids only.

    A chat of another messenger stays as it is.
    """
    if not names or chat.columns.get("speaker") != _SLACK["speaker"]:
        return chat
    rows = [_name_person(row, chat, names) for row in chat.rows]
    return msgspec.structs.replace(chat, rows=rows)


def _name_person(row: Row, chat: Chat, names: Mapping[str, str]) -> Row:
    user = row.cells.get("user")
    if user not in names or read_cell(row.cells, chat.columns, "speaker") != user:
        return row
    return msgspec.structs.replace(row, cells={**row.cells, "username": names[user]})


def gather_json(data: bytes, named: Columns) -> Iterator[RowsRecord | MissingColumn]:
    """Gathers a JSON file: a list of messages or of dialogues, or one dialogue.

    Of a file that is broken, the items that are whole are read.
    """
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        lines = _salvage_items(data)
    else:
        if isinstance(value, dict):
            yield from _gather_object(value, data)
            return
        items = value if isinstance(value, list) else [value]
        lines = [_make_line(number, item) for number, item in enumerate(items, 1)]
    cells = [each.cells for each in lines if isinstance(each, TableRow)]
    header = list(dict.fromkeys(column for each in cells for column in each))
    columns = _find_whole(header, named)
    if columns is not None:
        yield from group_rows(lines, columns, "item", is_whole=True)
    else:
        yield from gather_objects(lines, header, named, "item")


def _find_whole(header: Sequence[str], named: Columns) -> dict[str, list[str]] | None:
    """Returns the columns of a list of messages that are all of one dialogue; None of another."""
    if not named and {"type", "ts", "text"} <= set(header):
        return _SLACK
    if not named and set(LISTS) & set(header):
        return None
    found = find_columns(header, named, needed=("speaker", "text"))
    return found if isinstance(found, dict) and "dialogue" not in found else None


def _make_line(number: int, item: Any) -> TableRow | OddRow:
    text = msgspec.json.encode(item).decode()
    return (
        TableRow(number, item, text)
        if isinstance(item, dict)
        else OddRow(number, text, "an object")
    )


_LIST = FileFormat(name="list", title="", pattern="", record=dict, layout="array")
_EXPORT = FileFormat(
    name="export", title="", pattern="", record=dict, layout="envelope", items="messages"
)


def _salvage_items(data: bytes) -> list[TableRow | OddRow]:
    """Lists the items of a list that is not JSON as a whole, each by itself."""
    is_list = data.lstrip().startswith(b"[")
    found: list[TableRow | OddRow] = []
    for piece in salvage_document(data, _LIST if is_list else _EXPORT):
        raw, number = data[piece.start : piece.end].strip(), len(found) + 1
        if piece.kind == "around" or not raw:
            continue
        try:
            found.append(_make_line(number, msgspec.json.decode(raw)))
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            text = raw.decode(errors="backslashreplace")
            found.append(OddRow(number, text, "JSON"))
    return found or [OddRow(1, data.decode(errors="backslashreplace"), "JSON")]


def _gather_object(value: dict[str, Any], data: bytes) -> Iterator[RowsRecord]:
    """Gathers a file that is one object: an export of Discord, or a dialogue for training."""
    messages = value.get("messages")
    if "channel" in value and isinstance(messages, list):
        lines = [_make_line(number, item) for number, item in enumerate(messages, 1)]
        for each in group_rows(lines, _DISCORD, "item", is_whole=True):
            if isinstance(each.record, Chat):
                each.record.around = {**value, "messages": []}
            yield each
        return
    chat = make_chat(TableRow(1, value, ""), "item")
    if chat is not None:
        chat.is_whole = True
    text = data.strip().decode(errors="backslashreplace")
    odd = OddRow(1, text, "a list of messages or dialogues")
    yield RowsRecord("item 1", chat or odd)


def list_discord_columns(header: Sequence[str]) -> dict[str, list[str]] | None:
    """Returns what the columns of a table are that Discord's exporter writes; None of any other."""
    known = {column for columns in _DISCORD_TABLE.values() for column in columns}
    return _DISCORD_TABLE if known | {"AuthorID"} <= set(header) else None


_HEAD = re.compile(
    r"\u200e?\[?(?P<one>\d{1,4})(?P<mark>[./-])(?P<two>\d{1,2})(?P=mark)(?P<three>\d{1,4})\.?,? "
    r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?)(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[ ]?[Mm]\.?)?"
    r"(?:\] | - )\u200e?(?:(?P<speaker>[^:\n]+): )?"
)
"""What stands before a message: ``[31/01/2026, 12:00:05] Ann:`` or ``1/31/26, 9:05 PM - Ann:``."""

_SENT_FILE = re.compile(r"\u200e?(?:<[^<>:]+: (?P<iphone>[^<>]+)>|(?P<android>\S+) \([^()]+\)\s*)")
"""A file that was sent: ``<attached: IMG-1.jpg>`` or ``IMG-1.jpg (file attached)``."""

_EXAMPLE = "[31/01/2026, 12:00:05] Ann: a message"

NOTICES = "WhatsApp"
"""Who speaks where the file names nobody: notices that somebody joined, or changed the subject."""


class _Order(NamedTuple):
    """In which order dates have day, month and year."""

    day: int
    month: int
    year: int


_ORDERS = (_Order(0, 1, 2), _Order(1, 0, 2), _Order(2, 1, 0))
"""Day first, month first, year first."""


def gather_whatsapp(data: bytes, _named: Columns) -> Iterator[RowsRecord]:
    """Gathers the text that WhatsApp exports into one dialogue."""
    lines = split_lines(data.removesuffix(b"\n"))
    heads = [_HEAD.match(line) if isinstance(line, str) else None for line in lines]
    order = _find_order([head for head in heads if head is not None])
    if order is None:
        text = data.removesuffix(b"\n").decode(errors="backslashreplace")
        yield RowsRecord("line 1", OddRow(1, text, _EXAMPLE))
        return
    found: list[TableRow | OddRow] = []
    for number, (line, head) in enumerate(zip(lines, heads, strict=True), 1):
        last = found[-1] if found else None
        if isinstance(line, OddRow):
            found.append(line)
        elif head is not None:
            found.append(TableRow(number, _read_message(head, order, line), line))
        elif isinstance(last, TableRow):
            last.cells["text"] += f"\n{line}"
        elif line.strip():
            found.append(OddRow(number, line, _EXAMPLE))
    for each in found:
        if isinstance(each, TableRow):
            _take_picture(each.cells)
    yield from group_rows(found, _WHATSAPP, "line", is_whole=True)


def _read_message(head: re.Match[str], order: _Order, line: str) -> dict[str, Any]:
    moment = _read_moment(head, order)
    return {
        "head": head[0],
        "time": "" if moment is None else moment.isoformat(),
        "speaker": head["speaker"] or NOTICES,
        "text": line[head.end() :],
    }


def _take_picture(cells: dict[str, Any]) -> None:
    cells["text"] = cells["text"].removesuffix("\r")
    sent = _SENT_FILE.match(cells["text"])
    if sent is not None:
        name = sent["iphone"] or sent["android"]
        cells["picture"] = [{"url": name, "name": name}]


def _find_order(heads: Sequence[re.Match[str]]) -> _Order | None:
    """Finds the order of day and month that makes dates of all heads.

    Of two, it is the one by which time never goes back; then the one with the month first where
    clocks have AM and PM, as in America, and the day first elsewhere.
    """
    possible = {}
    for order in _ORDERS:
        moments = [moment for head in heads if (moment := _read_moment(head, order)) is not None]
        if moments and len(moments) == len(heads):
            possible[order] = moments
    steady = [order for order, moments in possible.items() if moments == sorted(moments)]
    orders = steady or list(possible)
    is_american = any(head["half"] for head in heads)
    return orders[-1 if is_american else 0] if orders else None


def _read_moment(head: re.Match[str], order: _Order) -> datetime | None:
    parts = (head["one"], head["two"], head["three"])
    if len(parts[order.year]) not in (2, 4) or any(len(parts[i]) > 2 for i in order[:2]):
        return None
    year = int(parts[order.year]) + (2000 if len(parts[order.year]) == 2 else 0)
    hour, minute, second = map(int, (head["clock"] + ":0").split(":")[:3])
    if head["half"]:
        hour = hour % 12 + (12 if head["half"].lower() == "p" else 0)
    try:
        return datetime(year, int(parts[order.month]), int(parts[order.day]), hour, minute, second)
    except ValueError:
        return None


def render_json(records: Sequence[Any], lines: Sequence[TableRow | OddRow]) -> bytes:
    """Writes the items of a JSON file, or the object that it is.

    ``records`` are chats and odd rows, ``lines`` their items, in the order of the file.
    """
    chats = [each for each in records if isinstance(each, Chat)]
    if len(chats) == 1 and chats[0].is_whole and isinstance(chats[0].around, dict):
        place = "conversations" if chats[0].around.get("conversations") == [] else "messages"
        odd = [(each.line, parse_item(each.text)) for each in records if isinstance(each, OddRow)]
        items = [*odd, *((row.line, row.cells) for row in chats[0].rows)]
        ordered = [item for _, item in sorted(items, key=lambda pair: pair[0])]
        return msgspec.json.encode({**chats[0].around, place: ordered})
    texts = (
        each.text if isinstance(each, OddRow) else msgspec.json.encode(each.cells).decode()
        for each in lines
    )
    return f"[{','.join(texts)}]".encode()


def parse_item(text: str) -> Any:
    """Reads JSON; any other text stays as it is."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text


def render_whatsapp(lines: Sequence[TableRow | OddRow]) -> bytes:
    """Writes messages as WhatsApp does, each in the line that it had."""
    texts = (
        each.text if isinstance(each, OddRow) else each.cells["head"] + each.cells["text"]
        for each in lines
    )
    return "".join(f"{text}\n" for text in texts).encode()
