"""Reads tables in pieces of whole dialogues, so that no table is in memory at once.

Tables are written in the order of the files, dialogue by dialogue, and their row groups can be
taken one after the other. A table that is in another order is read whole and sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.store.arrow import pa
from commonground.store.index.postings import Numbers
from commonground.store.layout.integrity import open_part
from commonground.store.tables.columns import arrow_schema


class TablePiece(msgspec.Struct, frozen=True):
    """Rows of one table that belong to some dialogues, all that these have.

    Attributes:
        table: Arrow table, without the columns that say which corpus and dialogue it is; only
            that of the dialogues has their ids.
        ordinals: number of the dialogue of each row, ascending.
    """

    table: Any
    ordinals: Numbers


class Ordinals:
    """The number of each dialogue by its id, in 12 bytes for each of many.

    Ids are compared by 64 bits of them: that two of a million share those happens once in tens of
    millions of indexes.

    Args:
        ids: in order of the numbers.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        numbers = _number_ids(ids)
        self._order = np.argsort(numbers, kind="stable").astype(np.int32)
        self._sorted = numbers[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def find(self, ids: Iterable[str]) -> Numbers:
        """Returns the number of each dialogue; -1 where it is none of these."""
        wanted = _number_ids(ids)
        if not len(self):
            return np.full(len(wanted), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self) - 1)
        found: Numbers = np.where(self._sorted[places] == wanted, self._order[places], -1)
        return found


def _number_ids(ids: Iterable[str]) -> Numbers:
    # Of texts, ``hash`` differs from process to process; none of these numbers is kept.
    return np.fromiter(map(hash, ids), dtype=np.int64)


class TableReader:
    """Reads one table, or what some files have of it.

    Args:
        files: its files, in order.
        ordinals: numbers of the dialogues that are wanted.
    """

    def __init__(self, files: Sequence[Path], name: str, ordinals: Ordinals) -> None:
        self._files = files
        self._by_event = name == "events"
        self._keeps_ids = name == "dialogues"
        self._ordinals = ordinals
        self._schema = arrow_schema(name)

    @property
    def schema(self) -> Any:
        """The Arrow schema of the pieces."""
        dropped = ("corpus",) if self._keeps_ids else ("corpus", "dialogue_id")
        names = [name for name in self._schema.names if name not in dropped]
        return pa.schema([self._schema.field(name) for name in names])

    def pieces(self) -> Iterator[TablePiece]:
        """Yields the rows of the wanted dialogues, in order of dialogues."""
        # A pass over the keys alone, a small part of the bytes: once pieces were given out, it
        # would be too late to sort.
        if not self._in_order():
            yield self._sorted()
            return
        held: list[TablePiece] = []
        for found in self._groups():
            if not len(found.ordinals):
                continue
            # The last dialogue of a group may go on in the next one.
            cut = int(np.searchsorted(found.ordinals, found.ordinals[-1]))
            if cut or (held and held[-1].ordinals[-1] != found.ordinals[0]):
                yield from _joined([*held, _slice(found, 0, cut)])
                held = []
            held.append(_slice(found, cut, len(found.ordinals)))
        yield from _joined(held)

    def _groups(self) -> Iterator[TablePiece]:
        for file in self._files:
            with open_part(file) as opened:
                for group in range(opened.num_row_groups):
                    yield self._piece(opened.read_row_group(group, use_threads=False))

    def _piece(self, table: Any) -> TablePiece:
        ordinals = self._ordinals_of(table["dialogue_id"])
        wanted = ordinals >= 0
        plain = table.select(self._schema.names).cast(self._schema).select(self.schema.names)
        if not wanted.all():
            plain = plain.filter(pa.array(wanted))
        return TablePiece(plain, ordinals[wanted])

    def _ordinals_of(self, column: Any) -> Numbers:
        """Returns the number of the dialogue of each row; -1 where it is none of the wanted."""
        encoded = column.combine_chunks().dictionary_encode()
        known = self._ordinals.find(encoded.dictionary.to_pylist())
        # The -1 at the end is what null ids point at.
        numbers = np.append(known, -1)
        found: Numbers = numbers[encoded.indices.fill_null(len(known)).to_numpy(False)]
        return found

    def _in_order(self) -> bool:
        last = -1
        for keys in self._keys():
            if len(keys) and (keys[0] < last or np.any(np.diff(keys) < 0)):
                return False
            last = int(keys[-1]) if len(keys) else last
        return True

    def _keys(self) -> Iterator[Numbers]:
        columns = ["dialogue_id", "event"] if self._by_event else ["dialogue_id"]
        for file in self._files:
            with open_part(file) as opened:
                for group in range(opened.num_row_groups):
                    table = opened.read_row_group(group, columns=columns, use_threads=False)
                    ordinals = self._ordinals_of(table["dialogue_id"])
                    keys = self._key(ordinals, table)
                    yield keys[ordinals >= 0]

    def _key(self, ordinals: Numbers, table: Any) -> Numbers:
        # Both in one number, the dialogue above the event: it sorts as the pair does, and many
        # times faster.
        return ordinals << 32 | table["event"].to_numpy() if self._by_event else ordinals

    def _sorted(self) -> TablePiece:
        found = list(self._groups())
        table = pa.concat_tables([each.table for each in found])
        ordinals = np.concatenate([each.ordinals for each in found])
        # Stable, so that rows of one event stay in the order in which they were written.
        order = np.argsort(self._key(ordinals, table), kind="stable")
        return TablePiece(table.take(pa.array(order)), ordinals[order])


def read_ids(files: Iterable[Path]) -> Iterator[str]:
    """Yields the ids of dialogues in the order of the files of their table."""
    for path in files:
        with open_part(path) as file:
            column = file.read(["dialogue_id"], use_threads=False)["dialogue_id"]
        yield from column.to_pylist()


def has_strangers(path: Path, ordinals: Ordinals) -> bool:
    """Tells whether a file of a table has rows of dialogues other than those numbered."""
    with open_part(path) as opened:
        for group in range(opened.num_row_groups):
            table = opened.read_row_group(group, ["dialogue_id"], use_threads=False)
            column = table["dialogue_id"].combine_chunks()
            if np.any(ordinals.find(column.unique().drop_null().to_pylist()) < 0):
                return True
    return False


def _slice(piece: TablePiece, first: int, last: int) -> TablePiece:
    return TablePiece(piece.table.slice(first, last - first), piece.ordinals[first:last])


def _joined(pieces: Sequence[TablePiece]) -> Iterator[TablePiece]:
    """Yields some pieces as one; nothing where they hold nothing."""
    given = [each for each in pieces if len(each.ordinals)]
    if given:
        table = pa.concat_tables([each.table for each in given]).combine_chunks()
        yield TablePiece(table, np.concatenate([each.ordinals for each in given]))
