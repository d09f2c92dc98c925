"""What of the source stands in no sample, found by reading the samples again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground.export.aligned import Along
from commonground.export.inspect_held import Held, Place, has_number
from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.schema import Column, Table, get_table
from commonground.store.columns import DIALOGUE_TABLES

WHY = "Samples hold of it what the authors of a task allow as input, or ask for."

TABLES = ("dialogues", *DIALOGUE_TABLES, "objects")
"""Tables of which samples may hold values."""

_KEYS = ("corpus", "dialogue_id")
_WORDS = frozenset({"text", "value", "title", "name", "mention", "uri", "object_id"})
_NAMING = frozenset({"text", "value", "name", "object_id", "label", "act", "slot"})
"""Columns that say what a row is about; its numbers mean nothing without."""


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
    is in it stands somewhere. A number or flag is held where the prompt of a task says that it is
    told, and a text of its row is held, too.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        places: where the samples of each dialogue stand.
        tally: counts.
    """
    tables = [_Names.of(get_table(name)) for name in TABLES if name != "objects"]
    rows = {t.name: Along(selection, corpus, t.name, t.names) for t in tables}
    objects = _Objects(selection, corpus)
    for dialogue_id in selection.ids(corpus):
        mine = places.get(dialogue_id, ())
        with ExitStack() as stack:
            files = {path: stack.enter_context(path.open("rb")) for path in {p.path for p in mine}}
            held = Held(_read(files, mine), (place.told for place in mine))
        for table in tables:
            found = rows[table.name].take(dialogue_id)
            if table.object_id is not None:
                objects.look(held, [row[table.object_id] for row in found])
            tally.add_rows(table.name, len(found))
            for column, count, lost in _count(held, table, found):
                tally.add(table.name, column, f"{corpus}/{dialogue_id}", count=count, lost=lost)
    objects.count(tally)


class _Names(msgspec.Struct, frozen=True):
    """A table with the places of its columns, looked up once and not for each dialogue."""

    name: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    event: int | None
    object_id: int | None
    naming: tuple[int, ...]

    @classmethod
    def of(cls, table: Table) -> _Names:
        names = table.names
        return cls(
            name=table.name,
            names=names,
            columns=table.columns,
            event=names.index("event") if "event" in names else None,
            object_id=names.index("object_id") if "object_id" in names else None,
            naming=tuple(
                number
                for number, column in enumerate(table.columns)
                if column.name in _NAMING and column.type == "text"
            ),
        )


def _read(files: Mapping[Path, BinaryIO], places: Sequence[Place]) -> Iterator[bytes]:
    for place in places:
        files[place.path].seek(place.start)
        yield files[place.path].read(place.length)


def _count(
    held: Held, table: _Names, rows: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[str, int, int]]:
    """Yields for each column how many values there are, and how many of them are lost.

    Tables have hundreds of rows a dialogue and few different values, so that each different value
    is looked for once.
    """
    if not rows:
        return
    cells = list(zip(*rows, strict=True))
    is_named: list[bool] | None = None
    for column, values in zip(table.columns, cells, strict=True):
        counts = Counter(values)
        del counts[None]
        told = held.list_told(f"{table.name}.{column.name}")
        if told and column.name != "event":
            is_named = _find_named(held, table, cells) if is_named is None else is_named
            events = [None] * len(rows) if table.event is None else cells[table.event]
            found = Counter(zip(values, events, is_named, strict=True))
            lost = counts.total() - sum(
                n
                for (value, event, named), n in found.items()
                if named and has_number(told, value, event)
            )
        else:
            is_held = _choose_look(held, column)
            lost = sum(n for value, n in counts.items() if not is_held(value))
        yield column.name, counts.total(), lost


def _find_named(held: Held, table: _Names, cells: Sequence[Sequence[Any]]) -> list[bool]:
    """Says for each row whether any of its texts that say what it is about is held."""
    if not table.naming:
        return [False] * len(cells[0])
    looks = [_choose_look(held, table.columns[number]) for number in table.naming]
    rows = list(zip(*(cells[number] for number in table.naming), strict=True))
    found = {
        row: any(v is not None and is_held(v) for is_held, v in zip(looks, row, strict=True))
        for row in set(rows)
    }
    return [found[row] for row in rows]


def _choose_look(held: Held, column: Column) -> Callable[[Any], bool]:
    """Returns what says of a value of a column whether it is held."""
    if column.name in _KEYS:
        return lambda _value: held.is_asked
    if column.name == "event":
        return held.events.__contains__
    if column.type == "json":
        return held.has_json
    if column.type != "text":
        return lambda _value: False
    return held.has_words if column.name in _WORDS else held.has_name


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
                if value is not None and _choose_look(held, column)(value):
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
