"""What the samples of a dialogue hold: texts as they stand there, numbers as prompts say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.method import Told

_NUMBER = re.compile(r"\d+: ")
_SCALAR = re.compile(r"\[\s*\]|\{\s*\}|[^\s\[\]{},:]+")
_BLANKS = frozenset({"", "null", "[]", "{}"})


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a sample stands, and what numbers it tells.

    Attributes:
        path: its file.
        start: its first byte.
        length: its bytes.
        told: what :func:`pack_told` gave.
    """

    path: Path
    start: int
    length: int
    told: bytes


def pack_told(told: Iterable[Told]) -> bytes:
    """Packs what a sample tells, each number once: there are many samples."""
    return msgspec.msgpack.encode([(t.column, t.value, t.event) for t in dict.fromkeys(told)])


ToldNumbers = set[tuple[bool, float | bool, int | None]]
"""What is told of a column: whether it is a flag (in a set, true is 1), the value, the event."""


def has_number(told: ToldNumbers, value: float | bool | None, event: int | None) -> bool:
    """Says whether a number or flag is told.

    Args:
        told: what is told of its column.
        value: the number or flag; null is never told.
        event: of its row; null where that has none.
    """
    is_flag = isinstance(value, bool)
    return value is not None and any((is_flag, value, at) in told for at in (event, None))


class _Facts(msgspec.Struct):
    event: int | None


class _Sample(msgspec.Struct):
    input: list[dict[str, str]]
    target: str
    metadata: _Facts


class Held:
    """What the samples of one dialogue hold, but for how the task is put.

    Args:
        samples: the lines.
        told: the numbers that they tell, packed.

    Attributes:
        events: numbers of the events that they are about, or tell of.
        is_asked: whether there is any sample.
    """

    def __init__(self, samples: Iterable[bytes], told: Iterable[bytes] = ()) -> None:
        read = [msgspec.json.decode(line, type=_Sample) for line in samples]
        self._told: dict[str, ToldNumbers] = {}
        for packed in dict.fromkeys(told):
            for column, *number in msgspec.msgpack.decode(packed):
                self._told.setdefault(column, set()).add((type(number[0]) is bool, *number))
        self.events = {each.metadata.event for each in read}
        self.events.update(event for *_, event in self.list_told("events.event"))
        self.is_asked = bool(read)
        contents = (text for s in read for text in (s.input[-1]["content"], s.target))
        self._contents = list(dict.fromkeys(contents))
        # A history grows from sample to sample, so that most lines were there before. Blank lines
        # part the inputs; a blank text stands in JSON.
        lines: dict[str, None] = {}
        for text in self._contents:
            lines.update(dict.fromkeys(text.split("\n")))
        self._names = _gather_texts({_drop_number(line) for line in lines} - {""})
        self._text = "\n".join(self._names)
        self.has_words = cache(self._has_words)

    def list_told(self, column: str) -> ToldNumbers:
        """Returns the numbers and flags that are told of a column, such as ``acts.act_index``."""
        return self._told.get(column, set())

    def has_name(self, name: str) -> bool:
        """Says whether a text stands by itself: as a value, a key or a line."""
        return name in self._names

    def has_json(self, text: str) -> bool:
        """Says whether every key, text, number and blank of a JSON text stands somewhere."""
        return self.has_words(text) or all(map(self.has_words, _list_texts(text)))

    def _has_words(self, text: str) -> bool:
        """Says whether a text stands somewhere, be it inside of another; a blank, by itself."""
        if text in self._names:
            return True
        if text in _BLANKS or text.isspace():
            return False
        if "\n" in text:
            return any(text in content for content in self._contents)
        return _stands_in(text, self._text)


def _drop_number(line: str) -> str:
    """Returns a line of a list without the number that it stands under."""
    found = _NUMBER.match(line)
    return line[found.end() :] if found else line


def _stands_in(text: str, whole: str) -> bool:
    """Says whether a text stands in another one with no letter, digit or low line beside it.

    There are too many different texts for a regular expression each.
    """
    at = whole.find(text)
    while at >= 0:
        end = at + len(text)
        if not (_is_in_word(whole[at - 1 : at]) or _is_in_word(whole[end : end + 1])):
            return True
        at = whole.find(text, at + 1)
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _gather_texts(pieces: Iterable[str]) -> set[str]:
    """Returns the keys, texts, numbers and blanks of JSON pieces; what is no JSON as it is."""
    found: set[str] = set()
    between: set[str] = set()
    for piece in pieces:
        if "\\" in piece:
            found.update(_list_texts(piece))
            continue
        if piece[0] == '"' and piece.find('"', 1) == len(piece) - 1 and piece.isprintable():
            found.add(piece[1:-1])
            continue
        if not _is_json(piece):
            found.add(piece)
            continue
        # JSON without escapes is divided by its quotation marks: every other part is a text. This
        # is five times faster than to decode it, and what is between comes again and again.
        parts = piece.split('"')
        found.update(parts[1::2])
        between.update(parts[::2])
    scalars = {scalar for part in between for scalar in _SCALAR.findall(part)}
    found.update(text for scalar in scalars for text in _list_texts(scalar))
    return found


def _is_json(piece: str) -> bool:
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _list_texts(piece: str) -> Iterator[str]:
    """Yields the keys, texts, numbers and blanks of JSON; what is no JSON as it is."""
    try:
        yield from _walk(msgspec.json.decode(piece))
    except msgspec.DecodeError:
        yield piece


def _walk(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif value and isinstance(value, dict | list):
        if isinstance(value, dict):
            yield from value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _walk(each)
    else:
        yield msgspec.json.encode(value).decode()
