"""From dialogues to columns: one Arrow table per table of the schema."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import attrgetter, countOf
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.model import (
    Act,
    Candidate,
    Dialogue,
    Display,
    FileEntry,
    Grounding,
    Outcome,
    Span,
    Speaker,
    State,
)
from commonground.rows import Repeated, Rows, read_column
from commonground.schema import Column, get_table
from commonground.store.arrow import pa
from commonground.store.layout.manifest import ASIDE, SOURCES, SourceFile

_TYPES: dict[str, Any] = {
    "text": pa.string(),
    "json": pa.string(),
    "int": pa.int32(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us"),
}

DIALOGUE_TABLES: tuple[str, ...] = (
    "speakers",
    "events",
    "spans",
    "acts",
    "states",
    "displays",
    "groundings",
    "candidates",
    "outcomes",
)
"""The tables whose rows are the lists of a :class:`Dialogue` under the same names."""

ROW_STRUCTS: dict[str, Any] = {
    "speakers": Speaker,
    "spans": Span,
    "acts": Act,
    "states": State,
    "displays": Display,
    "groundings": Grounding,
    "candidates": Candidate,
    "outcomes": Outcome,
}
"""What a row of these tables is in a :class:`Dialogue`; those of ``events`` are of two kinds."""

HARDLY_REPEATING = frozenset(
    {"text", "json", "arguments", "result", "details", "attributes", "message", "value", "at_s"}
)
"""Columns that are worth neither a dictionary in Parquet nor the smallest and the largest value."""


def arrow_type(column: Column) -> Any:
    """Returns the Arrow type of a column."""
    return _TYPES[column.type]


def arrow_schema(table: str, columns: Sequence[str] | None = None) -> Any:
    """Returns the Arrow schema of a table, or of some columns of it in their order."""
    whole = pa.schema([(c.name, arrow_type(c)) for c in get_table(table).columns])
    return whole if columns is None else pa.schema([whole.field(each) for each in columns])


def part_schema(kind: str) -> Any:
    """Returns the Arrow schema of the part files of a table, or of those that are no table."""
    if kind != SOURCES:
        return arrow_schema("acts" if kind == ASIDE else kind)
    texts = "name", "sha256", "format"
    fields = SourceFile.__struct_fields__
    return pa.schema([(each, pa.string() if each in texts else pa.int64()) for each in fields])


class NativeRow(msgspec.Struct, gc=False):
    """A row of the ``native`` table.

    Attributes:
        dialogue_id: None for what belongs to no dialogue.
        source_path: JSON path in the file.
        json: as it stands there, UTF-8.
    """

    dialogue_id: str | None
    format: str
    source_file: str
    source_path: str
    json: bytes


class PlacedEntry(msgspec.Struct, gc=False):
    """What a file says that is in no dialogue, and where: a file, and a JSON path in it."""

    entry: FileEntry
    source_file: str
    source_path: str


class PlacedDialogue(msgspec.Struct, gc=False):
    """A dialogue, and where its native record stands: a file, and a JSON path in it."""

    dialogue: Dialogue
    source_file: str
    source_path: str


UNFIT = (OverflowError, pa.ArrowInvalid, pa.ArrowTypeError)
"""What building a table raises where a value fits no column, such as a number of 40 digits."""

_encode = msgspec.json.Encoder().encode


def _text_array(values: Sequence[bytes | None]) -> Any:
    """Makes texts of UTF-8, without a Python string of each only to be encoded again."""
    # Not a cast, which would look whether it is UTF-8, and load Arrow's functions for that.
    return pa.array(values, pa.binary()).view(pa.string())


def _column(values: Sequence[Any], column: Column) -> Any:
    if isinstance(values, Repeated):
        return _column(values.values, column).take(int32_array(np.asarray(values.places, np.int32)))
    if column.type == "json":
        return _text_array([None if v is None else _encode(v) for v in values])
    if values and isinstance(values[0], bytes):  # released records
        return _text_array(values)
    return pa.array(values, arrow_type(column))


def int32_array(numbers: array[int] | NDArray[np.int32]) -> Any:
    """Wraps an ``array("i")``, or numpy's, without copying it."""
    return pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])


def _constant(value: str, length: int) -> Any:
    # Zeroed bytes are as many indices 0, four bytes each, all of which point at the one value.
    return pa.DictionaryArray.from_arrays(int32_array(array("i", bytes(4 * length))), [value])


def _repeated(values: list[str], counts: list[int]) -> Any:
    """Repeats each value as often as its count says, as a dictionary array."""
    indices = np.repeat(np.arange(len(values), dtype=np.int32), counts)
    return pa.DictionaryArray.from_arrays(int32_array(indices), values)


def _numbered(counts: list[int]) -> Any:
    """Numbers the rows of each dialogue from 0."""
    sizes = np.array(counts, np.int32)
    begins = np.cumsum(sizes, dtype=np.int32) - sizes
    return int32_array(np.arange(sizes.sum(), dtype=np.int32) - np.repeat(begins, sizes))


def _table(names: Sequence[str], arrays: Sequence[Any]) -> Any:
    return pa.Table.from_arrays(list(arrays), names=list(names))


def build_dialogues(corpus: str, placed: Sequence[PlacedDialogue]) -> Any:
    """Builds rows of the ``dialogues`` table."""
    dialogues = [each.dialogue for each in placed]
    made: dict[str, list[Any]] = {
        "n_events": [len(d.events) for d in dialogues],
        "n_utterances": [countOf(read_column(d.events, "kind"), "utterance") for d in dialogues],
        "source_file": [each.source_file for each in placed],
        "source_path": [each.source_path for each in placed],
    }
    arrays = [_constant(corpus, len(placed))]
    for column in get_table("dialogues").columns[1:]:
        values = made.get(column.name) or [getattr(d, column.name) for d in dialogues]
        arrays.append(_column(values, column))
    return _table(get_table("dialogues").names, arrays)


def build_part(corpus: str, table: str, dialogues: Sequence[Dialogue]) -> Any | None:
    """Builds the rows of one of :data:`DIALOGUE_TABLES` that belong to some dialogues.

    Args:
        table: name of the table, which is that of the lists in ``model.Dialogue``.
        dialogues: whose rows they are, in the order in which they are stored.

    Returns:
        An Arrow table; None where the dialogues have no such rows.
    """
    of_dialogue: Callable[[Dialogue], list[Any]] = attrgetter(table)
    lists = [of_dialogue(dialogue) for dialogue in dialogues]
    counts = [len(rows) for rows in lists]
    if not any(counts):
        return None
    arrays = [
        _constant(corpus, sum(counts)),
        _repeated([d.dialogue_id for d in dialogues], counts),
    ]
    # Corpus and id of the dialogue are made above; the structs of rows have neither.
    columns = get_table(table).columns[2:]
    if table == "events":
        # An event's number is its place in the list, in no field of its own: 0, 1, ... per
        # dialogue.
        arrays.append(_numbered(counts))
        columns = columns[1:]
    arrays += [
        pa.nulls(sum(counts), arrow_type(c)) if values is None else _column(values, c)
        for c, values in zip(columns, _read_columns(lists, columns), strict=True)
    ]
    return _table(get_table(table).names, arrays)


def _read_columns(
    lists: Sequence[list[Any]], columns: Sequence[Column]
) -> Iterator[Sequence[Any] | None]:
    """Yields the values of each column, those of one list after the other's.

    Yields None for a column that has no values.
    """
    kept = [cast("Rows[Any]", each) for each in lists if isinstance(each, Rows)]
    # All rows of a corpus are of one kind, so that a mixture need not be fast.
    rows = [] if kept else list(chain.from_iterable(lists))
    for column in columns:
        name = column.name
        if not kept:
            yield list(map(attrgetter(name), rows))
        elif len(kept) == len(lists) and not any(each.has(name) for each in kept):
            yield None
        else:
            yield _join([read_column(each, name) for each in lists if each])


def _join(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Returns the values of all columns, those of one after the other's."""
    repeated = [each for each in columns if isinstance(each, Repeated)]
    if len(repeated) < len(columns):
        return list(chain.from_iterable(columns))
    places, first = array("i"), 0
    for each in repeated:
        shifted = np.array(each.places, np.int32) + np.int32(first)
        places.frombytes(shifted.tobytes())
        first += len(each.values)
    return Repeated(list(chain.from_iterable(each.values for each in repeated)), places)


def build_tables(corpus: str, placed: Sequence[PlacedDialogue]) -> dict[str, Any]:
    """Builds the rows of all tables that dialogues fill.

    Raises:
        OverflowError, ArrowInvalid: a value fits no column; see :data:`UNFIT`.
    """
    tables = {"dialogues": build_dialogues(corpus, placed)}
    dialogues = [each.dialogue for each in placed]
    for table in DIALOGUE_TABLES:
        rows = build_part(corpus, table, dialogues)
        if rows is not None:
            tables[table] = rows
    return tables


def build_rows(table: str, corpus: str, rows: Sequence[Any]) -> Any:
    """Builds rows of a table of which structs have the columns as fields, all but the corpus.

    Args:
        table: ``objects``, ``findings`` or ``native``.
        rows: the structs; bytes among their values must be UTF-8.
    """
    columns = get_table(table).columns
    arrays = [_constant(corpus, len(rows))]
    arrays += [_column([getattr(row, c.name) for row in rows], c) for c in columns[1:]]
    return _table(get_table(table).names, arrays)


def build_entries(corpus: str, placed: Sequence[PlacedEntry]) -> Any:
    """Builds rows of the ``entries`` table."""
    columns = get_table("entries").columns
    said, where = columns[1:-2], columns[-2:]
    arrays = [_constant(corpus, len(placed))]
    arrays += [_column([getattr(each.entry, c.name) for each in placed], c) for c in said]
    arrays += [_column([getattr(each, c.name) for each in placed], c) for c in where]
    return _table(get_table("entries").names, arrays)
