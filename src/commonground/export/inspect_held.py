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


def _unpack(told: bytes) -> Iterator[tuple[str, bool, float | bool, int | None]]:
    """Yields column, whether it is a flag (in a set, true is 1), value and event."""
    for column, value, event in msgspec.msgpack.decode(told):
        yield column, isinstance(value, bool), value, event


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
        self._told = {each for packed in told for each in _unpack(packed)}
        self._columns = {column for column, *_ in self._told}
        self.events = {each.metadata.event for each in read}
        self.events.update(event for column, *_, event in self._told if column == "events.event")
        self.is_asked = bool(read)
        self._contents = [text for s in read for text in (s.input[-1]["content"], s.target)]
        lines = (line for text in self._contents for line in text.split("\n"))
        self._names: set[str] = set()
        # A history grows from sample to sample, so that most lines were there before. Blank lines
        # part the inputs; a blank text stands in JSON.
        for piece in dict.fromkeys(_NUMBER.sub("", line, count=1) for line in lines):
            if piece:
                self._names.update(_list_texts(piece))
        self._text = "\n".join(self._names)
        self.has_words = cache(self._has_words)

    def has_number(self, column: str, value: float | bool, event: int | None) -> bool:
        """Says whether a number or flag is told.

        Args:
            column: ``spans.start_char``.
            value: the number or flag.
            event: of its row; null where that has none.
        """
        is_flag = isinstance(value, bool)
        return any((column, is_flag, value, at) in self._told for at in (event, None))

    def tells(self, column: str) -> bool:
        """Says whether any number or flag of a column is told."""
        return column in self._columns

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
        pattern = rf"(?<!\w){re.escape(text)}(?!\w)"
        return text in self._text and re.search(pattern, self._text) is not None


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
