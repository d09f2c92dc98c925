"""What should hold of chats.

The first digit of a code names the form of the file (1 CSV, 2 JSON Lines, 3 Parquet), the other two
the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from commonground.corpora.chats.convert import list_splits
from commonground.corpora.chats.gathering import Chat, Row, read_cell
from commonground.corpora.chats.native import FORMATS
from commonground.corpora.chats.times import parse_moment
from commonground.findings import Place, Ruleset, declare_in_each

_CHATS = [each for each in FORMATS if each.role == "main"]
_FILES = [Ruleset(f"CG-CHATS-{digit}", fmt.name) for digit, fmt in enumerate(_CHATS, 1)]
_every_file = partial(declare_in_each, _FILES, "warning")


def _place(chat: Chat, row: Row, field: str, expected: str, found: object) -> Place:
    return Place(f"[{chat.unit} {row.line}].{chat.columns[field][0]}", expected, str(found))


@_every_file(1)
def unreadable_time(chat: Chat) -> Iterator[Place]:
    """A time cannot be read.

    Nothing says how long after the first message it was written, so rows stay in the order of the
    file.

    Write dates as 2026-01-31T12:00:00, or numbers of seconds.
    """
    for row in chat.rows:
        time = read_cell(row.cells, chat.columns, "time")
        if time not in (None, "") and parse_moment(time) is None:
            yield _place(chat, row, "time", "a time", time)


@_every_file(2)
def two_splits(chat: Chat) -> Iterator[Place]:
    """The rows of a dialogue name several splits.

    The dialogue is in none of them: in both, training data would be test data.

    Give all rows of a dialogue the same split.
    """
    splits = list_splits(chat)
    for row in chat.rows:
        split = read_cell(row.cells, chat.columns, "split")
        if len(splits) > 1 and str(split or "") not in ("", splits[0]):
            yield _place(chat, row, "split", splits[0], split)


@_every_file(3)
def empty_text(chat: Chat) -> Iterator[Place]:
    """A text is empty.

    It counts as a message of no words.

    Leave the row out if nothing was said.
    """
    for row in chat.rows:
        text = read_cell(row.cells, chat.columns, "text")
        if text is not None and not str(text).strip():
            yield _place(chat, row, "text", "words", text)


@_every_file(4)
def reply_to_nothing(chat: Chat) -> Iterator[Place]:
    """A message replies to one that is not in its dialogue.

    Who follows replies will find a hole.

    See whether a row is missing, or in another dialogue.
    """
    ids = {str(read_cell(row.cells, chat.columns, "id")) for row in chat.rows}
    for row in chat.rows:
        reply = read_cell(row.cells, chat.columns, "reply")
        if "id" in chat.columns and reply not in (None, "") and str(reply) not in ids:
            yield _place(chat, row, "reply", "an id of the dialogue", reply)
