"""Writes the part files of one shard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from commonground.files import faults
from commonground.files.listings import hash_file
from commonground.files.outputs import sync_path
from commonground.findings import Finding
from commonground.model import Object
from commonground.store.arrow import pa, pq
from commonground.store.layout.manifest import PartFile
from commonground.store.tables import columns
from commonground.store.tables.columns import NativeRow, PlacedDialogue, PlacedEntry

FLUSH_BYTES = 8 << 20
"""Native bytes after which the rows gathered so far are written as one row group.

A shard of the usual 6 MB is one group; a second, small one took 4 % of the time of an import of
PhotoBook.
"""


class PartWriter:
    """Gathers dialogues and writes them, one Parquet file per table that has rows.

    Memory is bounded by :data:`FLUSH_BYTES` of native text and what becomes of it.

    Args:
        part: number of the part files.
        findings_only: write nothing but findings, as a check does.

    Attributes:
        counts: rows per table.
        splits: dialogues per split.
        rejected: findings per code, of dialogues that fit no column.
        parts: what was written, once the writer is closed.
    """

    def __init__(
        self, folder: Path, part: int, corpus: str, *, findings_only: bool = False
    ) -> None:
        self._findings_only = findings_only
        self._folder = folder
        self._part = part
        self._corpus = corpus
        self._writers: dict[str, Any] = {}
        self._placed: list[PlacedDialogue] = []
        self._native: list[NativeRow] = []
        self._findings: list[Finding] = []
        self._objects: list[Object] = []
        self._entries: list[PlacedEntry] = []
        self._object_ids: set[str] = set()
        self._pending_bytes = 0
        self.counts: Counter[str] = Counter()
        self.splits: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()
        self.parts: list[PartFile] = []

    def add_dialogue(self, placed: PlacedDialogue) -> None:
        """Adds a dialogue with everything in it."""
        self.splits[placed.dialogue.split or ""] += 1
        if self._findings_only:
            return
        self._placed.append(placed)
        for each in placed.dialogue.objects:
            self.add_object(each)

    def add_object(self, each: Object) -> None:
        """Adds an object unless one of that id was added."""
        if each.object_id not in self._object_ids and not self._findings_only:
            self._object_ids.add(each.object_id)
            self._objects.append(each)

    def add_entry(self, each: PlacedEntry) -> None:
        """Adds what a file says that is in no dialogue."""
        if not self._findings_only:
            self._entries.append(each)

    def add_native(self, row: NativeRow) -> None:
        """Adds a released record, and writes what is pending when that is enough."""
        if not self._findings_only:
            self._native.append(row)
        self._pending_bytes += len(row.json)
        if self._pending_bytes >= FLUSH_BYTES:
            self.flush()

    def add_findings(self, findings: list[Finding]) -> None:
        """Adds findings, which are written together with the records that are pending."""
        self._findings.extend(findings)

    def flush(self) -> None:
        """Writes the pending rows of every table to its part file, and forgets them."""
        corpus = self._corpus
        if self._placed:
            for table, rows in self._build_dialogues().items():
                self._write(table, rows)
        if self._entries:
            self._write("entries", columns.build_entries(corpus, self._entries))
        pending: dict[str, Sequence[Any]] = {
            "objects": self._objects,
            "findings": self._findings,
            "native": self._native,
        }
        for table, structs in pending.items():
            if structs:
                self._write(table, columns.build_rows(table, corpus, structs))
        self._placed, self._native, self._findings = [], [], []
        self._objects, self._entries = [], []
        self._pending_bytes = 0

    def _build_dialogues(self) -> dict[str, pa.Table]:
        """Builds the rows of the pending dialogues; those that fit no column become findings."""
        try:
            return columns.build_tables(self._corpus, self._placed)
        except columns.UNFIT:
            pass  # which of them it is, is found one by one
        fitting = []
        for each in self._placed:
            try:
                columns.build_tables(self._corpus, [each])
            except columns.UNFIT as error:
                self._reject(each, str(error))
            else:
                fitting.append(each)
        return columns.build_tables(self._corpus, fitting) if fitting else {}

    def _reject(self, placed: PlacedDialogue, why: str) -> None:
        self.splits[placed.dialogue.split or ""] -= 1
        finding = faults.NOT_CONVERTED.finding(
            placed.source_file,
            placed.source_path,
            expected="values that fit the tables",
            found=why,
            dialogue_id=placed.dialogue.dialogue_id,
        )
        self._findings.append(finding)
        self.rejected[finding.code] += 1

    def _write(self, table: str, rows: pa.Table) -> None:
        writer = self._writers.get(table)
        if writer is None:
            path = self._folder / part_name(table, self._part)
            writer = self._writers[table] = open_parquet(path, rows.schema)
        writer.write_table(rows)
        self.counts[table] += rows.num_rows

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.flush()
        for table, writer in self._writers.items():
            writer.close()
            if kind is None:
                path = self._folder / part_name(table, self._part)
                self.parts.append(settle_part(path, self.counts[table]))


def part_name(table: str, part: int) -> str:
    """Returns the name of a part file."""
    return f"{table}-{part:05}.parquet"


def settle_part(path: Path, rows: int) -> PartFile:
    """Waits until a file that was written is on the disk, and returns what the manifest says of it.

    Raises:
        OSError: the disk does not take it.
    """
    sync_path(path)
    return PartFile(path.name, rows, path.stat().st_size, hash_file(path))


def write_part(path: Path, rows: pa.Table) -> PartFile:
    """Writes a part file, in place of one that may be there, and settles it.

    Raises:
        OSError: it cannot be written.
    """
    staged = path.with_name(f"{path.name}.new")
    with open_parquet(staged, rows.schema) as writer:
        writer.write_table(rows)
    staged.replace(path)
    return settle_part(path, rows.num_rows)


def open_parquet(path: Path, schema: pa.Schema) -> Any:
    """Opens a Parquet file for writing, as every file of a store is written."""
    # A dictionary pays where values repeat; of texts it would be another copy of all. So do the
    # smallest and the largest value, by which readers pass over parts.
    repeating = [name for name in schema.names if name not in columns.HARDLY_REPEATING]
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=repeating,
        write_statistics=repeating,
        # Else readers would get back the dictionaries that the rows were built as, not plain text.
        store_schema=False,
        write_page_checksum=True,
    )
