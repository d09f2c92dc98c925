"""Dialogues by number, fast: the tables of a corpus cut into blocks of a few dialogues.

Parquet stays the truth. A block file holds the same rows as Arrow record batches, one for each
run of :data:`BLOCK` dialogues, so that one dialogue costs one small batch of each table. Where an
index has several parts, the last block of each may have less.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from commonground.findings import Finding
from commonground.model import Dialogue, Object
from commonground.schema import get_table
from commonground.store.arrow import pa
from commonground.store.index.batches import BatchFile, BatchWriter, join_batches, no_rows
from commonground.store.index.ids import DialogueIds
from commonground.store.index.postings import Numbers
from commonground.store.tables.columns import DIALOGUE_TABLES
from commonground.store.tables.rebuild import Columns, list_shown, rebuild_dialogue, rebuild_rows

BLOCK = 16
"""Dialogues of one record batch."""

DECODED = 8
"""Record batches of each table that are kept decoded."""

OBJECT_BLOCK = 256
"""Objects of one record batch."""

BLOCK_TABLES = ("dialogues", *DIALOGUE_TABLES, "findings", "native")
"""Tables whose rows belong to dialogues."""


class BlockWriter:
    """Writes the rows of one table, piece by piece."""

    def __init__(self, path: Path, schema: Any, dialogues: int) -> None:
        self._schema = schema.append(pa.field("ordinal", pa.int32()))
        # Rounded up by negating twice.
        self._blocks = max(1, -(-dialogues // BLOCK))
        self._next = 0
        self._held: list[Any] = []
        self._out = BatchWriter(path, self._schema, "lz4")

    def add(self, table: Any, ordinals: Any) -> None:
        """Adds the rows of some dialogues that follow those added before.

        Args:
            table: Arrow table, in order of dialogues.
            ordinals: number of the dialogue of each row, ascending.
        """
        column = pa.array(np.asarray(ordinals, dtype=np.int32))
        rest = table.append_column(self._schema.field("ordinal"), column)
        blocks = np.asarray(ordinals) // BLOCK
        for block in np.unique(blocks).tolist():
            # Rows come in order of dialogues, so a block's are a run between two bounds.
            first, last = np.searchsorted(blocks, [block, block + 1]).tolist()
            self._fill(block)
            self._held.append(rest.slice(first, last - first))

    def _fill(self, block: int) -> None:
        """Writes all blocks before one."""
        while self._next < block:
            # Also where nothing is held: the number of a batch is the number of its block.
            self._out.write(_as_batch(self._schema, self._held))
            self._held = []
            self._next += 1

    def close(self) -> None:
        """Writes what is left, and ends the file."""
        self._fill(self._blocks)
        self._out.close()


def write_object_blocks(path: Path, table: Any) -> None:
    """Writes the ``objects`` table, in the order given."""
    out = BatchWriter(path, table.schema, "lz4")
    for start in range(0, max(len(table), 1), OBJECT_BLOCK):
        out.write(_as_batch(table.schema, [table.slice(start, OBJECT_BLOCK)]))
    out.close()


def join_blocks(folders: Sequence[Path], target: Path) -> None:
    """Writes the block files of the parts of an index end to end, in the order given."""
    for name in BLOCK_TABLES:
        join_batches([folder / f"{name}.arrow" for folder in folders], target / f"{name}.arrow")


def _as_batch(schema: Any, tables: Sequence[Any]) -> Any:
    # Once combined, each column is one chunk, and the table therefore one batch.
    batches = pa.concat_tables(tables).combine_chunks().to_batches() if tables else []
    return batches[0] if batches else no_rows(schema)


class _BlockFile:
    """One open block file; batches are decoded when they are asked for.

    Args:
        part_starts: the first dialogue of each part, and after them the number of dialogues.
    """

    def __init__(self, path: Path, part_starts: Numbers) -> None:
        self._file = BatchFile(path)
        self._part_starts = part_starts
        # Each part begins a block, and has one even without dialogues.
        blocks = np.maximum(1, -(-np.diff(part_starts) // BLOCK))
        self._first_blocks = np.cumsum([0, *blocks])
        self._lock = threading.Lock()
        self._decoded: OrderedDict[int, Any] = OrderedDict()

    def batch(self, number: int) -> Any:
        # Threads ask for the same batch at once when a page is opened; one of them decodes it.
        with self._lock:
            if number not in self._decoded:
                self._decoded[number] = self._file.read(number)
                if len(self._decoded) > DECODED:
                    self._decoded.popitem(last=False)
            return self._decoded[number]

    def batches(self) -> Any:
        return (self._file.read(number) for number in range(len(self._file)))

    def columns(self, ordinal: int) -> Columns:
        """Returns the rows of one dialogue, column by column."""
        part = int(np.searchsorted(self._part_starts, ordinal, side="right")) - 1
        own = ordinal - int(self._part_starts[part])
        batch = self.batch(int(self._first_blocks[part]) + own // BLOCK)
        first, last = np.searchsorted(batch["ordinal"].to_numpy(), [own, own + 1])
        rows = batch.slice(first, last - first).drop_columns(["ordinal"])
        found: Columns = rows.to_pydict()
        return found


class BlockReader:
    """Reads dialogues of one corpus from its block files; may be used by several threads.

    Args:
        part_starts: the first dialogue of each part of the index, and after them the number of
            dialogues.
    """

    def __init__(self, folder: Path, part_starts: Numbers) -> None:
        self._files = {
            name: _BlockFile(folder / f"{name}.arrow", part_starts) for name in BLOCK_TABLES
        }
        self._objects = _BlockFile(folder / "objects.arrow", part_starts)
        self.ids = DialogueIds(folder)
        self.object_ids: list[str] = [
            each for batch in self._objects.batches() for each in batch["object_id"].to_pylist()
        ]
        self._object_rows = {object_id: row for row, object_id in enumerate(self.object_ids)}

    @cached_property
    def object_uris(self) -> list[str | None]:
        """The picture that each object names, in their order; None where it names none."""
        return [each for batch in self._objects.batches() for each in batch["uri"].to_pylist()]

    def rows(self, table: str, ordinal: int) -> Columns:
        """Returns the rows of a dialogue in one table, column by column; JSON stays text."""
        return self._files[table].columns(ordinal)

    def dialogue(self, ordinal: int) -> Dialogue:
        """Rebuilds a dialogue with everything in it."""
        dialogue = rebuild_dialogue(lambda table: self.rows(table, ordinal))
        dialogue.objects = self.objects(list_shown(dialogue))
        return dialogue

    def objects(self, object_ids: Sequence[str]) -> list[Object]:
        """Returns objects, in the order of the corpus; unknown ids are skipped."""
        rows = sorted(
            self._object_rows[each] for each in set(object_ids) & self._object_rows.keys()
        )
        return self.object_rows(rows)

    def object_rows(self, rows: Sequence[int]) -> list[Object]:
        """Returns the objects of some rows, ascending: one reading for each batch."""
        found: list[Object] = []
        for block, run in groupby(rows, lambda row: row // OBJECT_BLOCK):
            places = pa.array([row % OBJECT_BLOCK for row in run], pa.int32())
            columns = self._objects.batch(block).take(places).to_pydict()
            found += rebuild_rows(Object, "objects", columns)
        return found

    def findings(self, ordinal: int) -> list[Finding]:
        """Returns the findings of a dialogue, in order."""
        columns = self.rows("findings", ordinal)
        names = [name for name in get_table("findings").names if name in columns]
        dialogue_id = self.ids[ordinal]
        return [
            Finding(dialogue_id=dialogue_id, **dict(zip(names, row, strict=True)))
            for row in zip(*(columns[name] for name in names), strict=True)
        ]
