"""From flat tables to one row per dialogue with lists in it; Arrow all the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from commonground.errors import StoreError
from commonground.exports.selection import Selection
from commonground.store.tables.columns import DIALOGUE_TABLES, arrow_schema

CHUNK = 1024
"""Dialogues that are nested at a time."""

_KEYS = ("corpus", "dialogue_id")


def _inner_fields(table: str) -> list[Any]:
    return [field for field in arrow_schema(table) if field.name not in _KEYS]


def nest_dialogues(selection: Selection, corpus: str) -> Iterator[Any]:
    """Yields Arrow tables with a row per chosen dialogue: its columns, then a list per table.

    Raises:
        StoreError: the rows of a table are not in the order of the dialogues.
    """
    nested = [pa.field(name, pa.list_(pa.struct(_inner_fields(name)))) for name in DIALOGUE_TABLES]
    schema = pa.schema([*arrow_schema("dialogues"), *nested])
    dialogues = selection.table(corpus, "dialogues")
    cursors = {name: _Cursor(selection, corpus, name) for name in DIALOGUE_TABLES}
    for start in range(0, dialogues.num_rows, CHUNK):
        chunk = dialogues.slice(start, CHUNK)
        lists = [cursors[name].take(start, chunk.num_rows) for name in DIALOGUE_TABLES]
        arrays = [*chunk.combine_chunks().columns, *lists]
        yield pa.Table.from_arrays(arrays, schema=schema)


class _Cursor:
    """Reads the rows of one table along with the dialogues that they belong to."""

    def __init__(self, selection: Selection, corpus: str, table: str) -> None:
        self._where = f"{corpus}/{table}"
        self._type = pa.struct(_inner_fields(table))
        self._names = [field.name for field in self._type]
        self._batches = selection.batches(corpus, table)
        self._ids = pa.array(selection.ids(corpus), pa.string())
        self._pending: list[tuple[Any, Any]] = []
        self._last = -1

    def take(self, start: int, count: int) -> Any:
        """Returns a list array with the rows of each of the next ``count`` dialogues."""
        stop = start + count
        # Until a row of a later chunk has come: a dialogue may go on in the next batch.
        while self._last < stop and self._read():
            pass
        structs, ranks = [], []
        rest = []
        for rows, of_rows in self._pending:
            # Ranks rise, so that as many as are below the end stand first.
            inside = pc.sum(pc.less(of_rows, stop)).as_py() or 0
            structs.append(rows.slice(0, inside))
            ranks.append(of_rows.slice(0, inside))
            if inside < len(rows):
                rest.append((rows.slice(inside), of_rows.slice(inside)))
        self._pending = rest
        return self._list(structs, ranks, start, count)

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        ranks = pc.index_in(batch.column("dialogue_id"), value_set=self._ids)
        if not _is_rising(ranks, self._last):
            advice = "Import the corpus again."
            raise StoreError(f"The rows of {self._where} are out of order.", advice)
        self._last = ranks[-1].as_py()
        columns = [batch.column(name) for name in self._names]
        self._pending.append((pa.StructArray.from_arrays(columns, type=self._type), ranks))
        return True

    def _list(self, structs: Sequence[Any], ranks: Sequence[Any], start: int, count: int) -> Any:
        rows = pa.chunked_array(structs, self._type).combine_chunks()
        found = pc.value_counts(pa.chunked_array(ranks, pa.int32()))
        lengths = dict(
            zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)
        )
        offsets = [0]
        for rank in range(start, start + count):
            offsets.append(offsets[-1] + lengths.get(rank, 0))
        # Offsets into the rows as they are: no row is copied or becomes a Python object.
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), rows)


def _is_rising(ranks: Any, last: int) -> bool:
    # A null is a dialogue that was not chosen.
    if ranks.null_count or ranks[0].as_py() < last:
        return False
    steps = pc.less_equal(ranks.slice(0, len(ranks) - 1), ranks.slice(1))
    # A single row has no steps; Arrow says null of all of nothing unless ``min_count`` is 0.
    return bool(pc.all(steps, min_count=0).as_py())
