"""What of the source stands in no sample, found by reading the samples again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.export.aligned import Along
from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.schema import Column, Table, get_table
from commonground.store.columns import DIALOGUE_TABLES

WHY = "Samples hold of it what the authors of a task allow as input, or ask for."

TABLES = ("dialogues", *DIALOGUE_TABLES, "objects")
"""Tables of which samples may hold values."""

_KEYS = ("corpus", "dialogue_id")
_WORDS = frozenset({"text", "value", "title", "name", "mention", "uri", "object_id"})
_NUMBER = re.compile(r"\d+: ")


class Place(msgspec.Struct, frozen=True):
    """Where a sample stands: its file, first byte and bytes."""

    path: Path
    start: int
    length: int


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

    Attributes:
        events: numbers of the events that they are about.
    """

    def __init__(self, samples: Iterable[bytes]) -> None:
        read = [msgspec.json.decode(line, type=_Sample) for line in samples]
        self.events = {each.metadata.event for each in read}
        self.is_asked = bool(read)
        self._contents = [text for s in read for text in (s.input[-1]["content"], s.target)]
        lines = (line for text in self._contents for line in text.split("\n"))
        self._names: set[str] = set()
        # A history grows from sample to sample, so that most lines were there before.
        for piece in dict.fromkeys(_NUMBER.sub("", line, count=1) for line in lines):
            self._names.update(_list_texts(piece))
        self._text = "\n".join(self._names)
        self.has_words = cache(self._has_words)

    def has_name(self, name: str) -> bool:
        """Says whether a text stands by itself: as a value, a key or a line."""
        return name in self._names

    def has_json(self, text: str) -> bool:
        """Says whether every key, text and number of a JSON text stands somewhere."""
        return self.has_words(text) or all(map(self.has_words, _list_texts(text)))

    def _has_words(self, text: str) -> bool:
        """Says whether a text stands somewhere, be it inside of another."""
        if text in self._names:
            return True
        if "\n" in text:
            return any(text in content for content in self._contents)
        pattern = rf"(?<!\w){re.escape(text)}(?!\w)"
        return text in self._text and re.search(pattern, self._text) is not None


def _list_texts(piece: str) -> Iterator[str]:
    """Yields the keys, texts and numbers of JSON; what is no JSON as it is."""
    try:
        yield from _walk(msgspec.json.decode(piece))
    except msgspec.DecodeError:
        yield piece


def _walk(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _walk(each)
    elif isinstance(value, str):
        yield value
    elif value is not None:
        yield msgspec.json.encode(value).decode()


class Tally:
    """Counts the values that no sample holds, over the corpora."""

    def __init__(self) -> None:
        self._all: Counter[tuple[str, str]] = Counter()
        self._lost: Counter[tuple[str, str]] = Counter()
        self._rows: Counter[str] = Counter()
        self._examples: dict[tuple[str, str], str] = {}

    def add_rows(self, table: str, count: int) -> None:
        """Counts rows, be they held or not."""
        self._rows[table] += count

    def add(self, table: str, column: str, where: str, *, count: int, lost: int) -> None:
        """Counts values, and those of them that are lost at a place."""
        self._all[table, column] += count
        if lost:
            self._lost[table, column] += lost
            self._examples.setdefault((table, column), where)

    def report(self, loss: Loss) -> None:
        """Adds what is lost: whole tables where nothing but keys is held, else columns."""
        for table in filter(self._rows.get, TABLES):
            columns = [c for c in get_table(table).names if self._all[table, c]]
            lost = [c for c in columns if self._lost[table, c]]
            own = [c for c in columns if c not in (*_KEYS, "event")]
            if all(self._lost[table, c] == self._all[table, c] for c in own):
                example = self._examples[table, own[0]]
                loss.add(table, example, WHY, count=self._rows[table], kind="table")
                continue
            for column in lost:
                name, count = f"{table}.{column}", self._lost[table, column]
                loss.add(name, self._examples[table, column], WHY, count=count, kind="column")


def count_unheld(
    selection: Selection, corpus: str, places: Mapping[str, Sequence[Place]], tally: Tally
) -> None:
    """Counts every value of a corpus that none of the samples of its dialogue holds.

    A name is held where it stands by itself, a text also inside of another, JSON where all that
    is in it stands somewhere. Numbers and flags count as lost, since no sample says of one which
    column it is from; the events that samples are about are known.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        places: where the samples of each dialogue stand.
        tally: counts.
    """
    tables = [get_table(name) for name in TABLES if name != "objects"]
    rows = {t.name: Along(selection, corpus, t.name, t.names) for t in tables}
    objects = _Objects(selection, corpus)
    for dialogue_id in selection.ids(corpus):
        held = Held(_read(places.get(dialogue_id, ())))
        for table in tables:
            found = rows[table.name].take(dialogue_id)
            tally.add_rows(table.name, len(found))
            for column, values in zip(table.columns, zip(*found, strict=True), strict=False):
                if column.name == "object_id":
                    objects.look(held, values)
                where = f"{corpus}/{dialogue_id}"
                _count(held, table, column, values, tally, where)
    objects.count(tally)


def _read(places: Sequence[Place]) -> Iterator[bytes]:
    for place in places:
        with place.path.open("rb") as file:
            file.seek(place.start)
            yield file.read(place.length)


def _count(
    held: Held, table: Table, column: Column, values: Iterable[Any], tally: Tally, where: str
) -> None:
    counts = Counter(values)
    del counts[None]
    lost = sum(count for value, count in counts.items() if not _is_held(held, column, value))
    tally.add(table.name, column.name, where, count=counts.total(), lost=lost)


def _is_held(held: Held, column: Column, value: Any) -> bool:
    if column.name in _KEYS:
        return held.is_asked
    if column.name == "event":
        return value in held.events
    if column.type == "json":
        return held.has_json(value)
    if column.type != "text":
        return False
    return held.has_words(value) if column.name in _WORDS else held.has_name(value)


class _Objects:
    """The objects of a corpus, looked for in the dialogues that use them."""

    def __init__(self, selection: Selection, corpus: str) -> None:
        self._corpus = corpus
        self._table = get_table("objects")
        found: dict[str, tuple[Any, ...]] = {}
        for batch in selection.batches(corpus, "objects", self._table.names):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                found[row[1]] = row
        self._rows = found
        self._held: dict[str, set[str]] = {key: set() for key in found}

    def look(self, held: Held, keys: Iterable[str | None]) -> None:
        """Looks for the objects of a dialogue in its samples."""
        for key in self._held.keys() & set(keys):
            for column, value in zip(self._table.columns, self._rows[key], strict=True):
                if value is not None and _is_held(held, column, value):
                    self._held[key].add(column.name)

    def count(self, tally: Tally) -> None:
        """Counts the values that were not found."""
        tally.add_rows("objects", len(self._rows))
        for key, row in self._rows.items():
            for column, value in zip(self._table.columns, row, strict=True):
                if value is not None:
                    lost = column.name not in self._held[key]
                    where = f"{self._corpus} object_id {key}"
                    tally.add("objects", column.name, where, count=1, lost=lost)
