"""One shard of an import: a pure function from documents to part files and a report.

:func:`import_shard` is what a process pool maps today and what a distributed engine can map
tomorrow: it needs the job, the corpus's context and a folder to write to, nothing else.
"""

from __future__ import annotations

import gc
import hashlib
import re
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from commonground.checks import run_rules
from commonground.corpora import get_corpus
from commonground.errors import SourceError
from commonground.files import faults
from commonground.files.dividing import Division, RawRecord, ReadRecord, decode_raw
from commonground.files.documents import divide_whole
from commonground.files.formats import FileFormat
from commonground.files.reading import ConversionError, Where
from commonground.files.sources import Document
from commonground.findings import Examined, Finding
from commonground.model import Dialogue
from commonground.store.arrow import pa
from commonground.store.importing.planning import ShardJob, Slice
from commonground.store.layout.manifest import PartFile, SourceFile
from commonground.store.tables.columns import NativeRow, PlacedDialogue, PlacedEntry
from commonground.store.tables.writing import PartWriter


class ShardReport(msgspec.Struct):
    """What one worker imported.

    Attributes:
        part: number of the part files.
        packed: its :class:`SourceFile` records and dialogue ids, packed: of many small
            files, one report each would be most of what an import keeps in memory.
        counts: rows per table.
        splits: dialogues per split.
        findings: findings per code.
        left_out: records that no dialogue could be made of.
    """

    part: int
    packed: bytes
    parts: list[PartFile]
    counts: dict[str, int]
    splits: dict[str, int]
    findings: dict[str, int]
    left_out: int

    def unpack(self) -> Packed:
        """Returns sources and dialogue ids."""
        return _UNPACK.decode(self.packed)


class Packed(msgspec.Struct, array_like=True):
    """The long part of a report: files, and ids of the dialogues in them."""

    sources: list[SourceFile]
    dialogue_ids: list[str]


_UNPACK = msgspec.msgpack.Decoder(Packed)


Progress = Callable[[int, bool], None]
"""Called with the native bytes dealt with since its last call, and whether these end a slice."""

_STEP_BYTES = 1 << 18
"""Native bytes after which progress is reported within a slice: often enough to follow by eye."""


class Divider:
    """Divides documents, and keeps one of which only a part was wanted: the rest is wanted next."""

    def __init__(self) -> None:
        self._kept: tuple[Document, str, Divided] | None = None

    def divide(self, document: Document, fmt: FileFormat, *, keep: bool) -> Divided:
        """Reads a document and divides it into records.

        Args:
            keep: whether another part of it may be wanted soon.

        Raises:
            SourceError: it cannot be read.
        """
        if self._kept is not None and self._kept[:2] == (document, fmt.name):
            return self._kept[2]
        self._kept = None  # before the next one is read, so that only one is in memory
        data = document.read()
        divided = Divided(
            hashlib.sha256(data).hexdigest(), len(data), divide_whole(document, data, fmt)
        )
        if keep:
            self._kept = document, fmt.name, divided
        return divided


class Divided(msgspec.Struct, frozen=True):
    """A document that was read.

    Attributes:
        sha256: of the whole file, in hexadecimal digits.
        size: in bytes.
        division: its records, and what is wrong with it.
    """

    sha256: str
    size: int
    division: Division


def import_shard(
    job: ShardJob,
    context: Any,
    divider: Divider | None = None,
    progress: Progress | None = None,
) -> ShardReport:
    """Imports the documents of one shard.

    Args:
        context: what the corpus prepared from its side files.
        divider: keeps documents that several shards share; None for a new one.

    Raises:
        OSError: the part files cannot be written.
    """
    for left in Path(job.folder).glob(f"*-{job.part:05}.parquet"):
        left.unlink()  # of a process that died over this shard
    collecting = gc.isenabled()
    # Records and dialogues form no cycles, and to look for some among millions of objects takes
    # long.
    gc.disable()
    try:
        with PartWriter(
            Path(job.folder), job.part, job.corpus, findings_only=job.findings_only
        ) as writer:
            report = _Shard(job, context, writer, divider or Divider(), progress).run()
        # Only now: to leave the block is what closes the parts and takes their checksums.
        report.parts = writer.parts
        return report
    finally:
        if collecting:
            gc.enable()
        # Arrow keeps what it freed for later use; one shard after another that adds up in each
        # process.
        pa.default_memory_pool().release_unused()


class _Shard:
    def __init__(
        self,
        job: ShardJob,
        context: Any,
        writer: PartWriter,
        divider: Divider,
        progress: Progress | None,
    ) -> None:
        entry = get_corpus(job.corpus)
        self._job = job
        self._context = context
        self._writer = writer
        self._divider = divider
        self._progress = progress
        self._entry = entry
        self._formats = {fmt.name: fmt for fmt in entry.formats(job.columns)}
        rules = entry.rules() if job.check else ()
        self._rules = {
            name: [rule for rule in rules if rule.format == name] for name in self._formats
        }
        self._convert = entry.converter().convert
        self._entries_of = entry.entries()
        # A dict is a set that keeps its order.
        self._ids: dict[str, None] = {}
        self._sources: list[SourceFile] = []
        self._codes: Counter[str] = Counter()
        self._left_out = 0
        self._reported = 0  # native bytes whose progress was reported

    def run(self) -> ShardReport:
        for piece in self._job.slices:
            reported = self._reported
            self._sources.append(self._document(piece))
            self._call_progress(reported + piece.size - self._reported, last=True)
        for piece in self._job.deadly:
            self._report([faults.DEADLY.finding(piece.document.name, found=piece.describe())])
            self._sources.append(_source_unread(piece))
        if self._job.with_orphans:
            self._orphans()
        self._writer.flush()
        return ShardReport(
            self._job.part,
            msgspec.msgpack.encode(Packed(self._sources, list(self._ids))),
            [],
            dict(self._writer.counts),
            dict(self._writer.splits),
            dict(self._codes + self._writer.rejected),
            self._left_out,
        )

    def _report(self, findings: list[Finding]) -> None:
        if findings:
            self._writer.add_findings(findings)
            self._codes.update(finding.code for finding in findings)

    def _document(self, piece: Slice) -> SourceFile:
        document, fmt = piece.document, self._formats[piece.format]
        try:
            divided = self._divide(piece, fmt)
        except SourceError as error:
            self._report([faults.UNREADABLE.finding(document.name, found=str(error))])
            return _source_unread(piece)
        # What is wrong with the whole document is reported once, by its first piece.
        if piece.number == 0:
            self._report(divided.division.findings)
        records = _cut(divided.division, piece)
        made = 0
        begun, size = self._reported, piece.size
        for number, raw in enumerate(records):
            made += self._record(document.name, raw, fmt)
            passed = size * number // len(records) - (self._reported - begun)
            if passed >= _STEP_BYTES:
                self._call_progress(passed, last=False)
        return SourceFile(document.name, divided.size, divided.sha256, fmt.name, len(records), made)

    def _divide(self, piece: Slice, fmt: FileFormat) -> Divided:
        document = piece.document
        try:
            return self._divider.divide(document, fmt, keep=piece.of > 1)
        except MemoryError:
            # What was asked for at once was too much; all that was there before still is.
            raise SourceError(f"{document.name} is larger than the memory left.") from None

    def _call_progress(self, count: int, *, last: bool) -> None:
        self._reported += count
        if self._progress is not None:
            self._progress(count, last)

    def _record(self, name: str, raw: RawRecord, fmt: FileFormat) -> int:
        """Imports one record and returns the number of dialogues that came of it."""
        read = decode_raw(name, raw, fmt)
        findings = read.findings
        dialogue: Dialogue | None = None
        if fmt.role == "main" and read.record is not None and not raw.is_envelope:
            where = Where(name, raw.path, fmt.name, raw.split, raw.key)
            dialogue, more = self._converted(read.record, where)
            findings = findings + more
        dialogue_id = dialogue.dialogue_id if dialogue else _belongs_to(read, raw, fmt, name)
        self._writer.add_native(NativeRow(dialogue_id, fmt.name, name, raw.path, _utf8(raw.data)))
        if dialogue is not None:
            self._writer.add_dialogue(PlacedDialogue(dialogue, name, raw.path))
        elif fmt.role == "main" and not raw.is_envelope:
            self._left_out += 1
        if read.record is not None and (raw.is_envelope or fmt.role != "main"):
            where = Where(name, raw.path, fmt.name, raw.split, raw.key)
            findings = findings + self._add_entries(read.record, where)
        if read.record is not None and not raw.is_envelope:
            examined = Examined(dialogue, self._context, name)
            findings = findings + run_rules(
                self._rules[fmt.name], read.record, examined, raw.path, dialogue_id
            )
        self._report(findings)
        return int(dialogue is not None)

    def _converted(self, record: Any, where: Where) -> tuple[Dialogue | None, list[Finding]]:
        try:
            dialogue = self._convert(record, where, self._context)
        except ConversionError as error:
            finding = faults.NOT_CONVERTED.finding(
                where.document,
                where.path + error.path,
                expected=error.expected,
                found=repr(error.found),
            )
            return None, [finding]
        # Whatever a converter raises costs this dialogue and not the import.
        except Exception as error:
            return None, [_converter_failed(error, where)]
        return dialogue, self._claim_id(dialogue, where)

    def _add_entries(self, record: Any, where: Where) -> list[Finding]:
        """Adds what a record says that is in no dialogue."""
        if self._entries_of is None:
            return []
        try:
            found = list(self._entries_of(record, where))
        except Exception as error:
            return [_converter_failed(error, where)]
        for each in found:
            self._writer.add_entry(PlacedEntry(each, where.document, where.path))
        return []

    def _claim_id(self, dialogue: Dialogue, where: Where) -> list[Finding]:
        wanted, count = dialogue.dialogue_id, 2
        findings = []
        if wanted in self._ids or wanted in self._job.taken:
            while f"{wanted}~{count}" in self._ids or f"{wanted}~{count}" in self._job.taken:
                count += 1
            dialogue.dialogue_id = f"{wanted}~{count}"
            finding = faults.DUPLICATE_ID.finding(
                where.document, where.path, dialogue_id=dialogue.dialogue_id, found=wanted
            )
            findings.append(finding)
        self._ids[dialogue.dialogue_id] = None
        return findings

    def _orphans(self) -> None:
        source = self._entry.orphans()
        for dialogue in source(self._context) if source else ():
            where = Where("", "", "")
            self._report(self._claim_id(dialogue, where))
            self._writer.add_dialogue(PlacedDialogue(dialogue, "", ""))
            self._report([faults.ORPHAN.finding(None, dialogue_id=dialogue.dialogue_id)])
        shared = self._entry.shared_objects()
        for each in shared(self._context) if shared else ():
            self._writer.add_object(each)


def _source_unread(piece: Slice) -> SourceFile:
    return SourceFile(piece.document.name, piece.document.size, None, piece.format)


def _cut(division: Division, piece: Slice) -> list[RawRecord]:
    if piece.of == 1:
        return division.records
    count = len(division.records)
    return division.records[
        # Neighbouring pieces share a bound, so no record is lost or taken twice, whatever the
        # remainder.
        count * piece.number // piece.of : count * (piece.number + 1) // piece.of
    ]


def _converter_failed(error: Exception, where: Where) -> Finding:
    last = traceback.extract_tb(error.__traceback__)[-1]
    found = f"{type(error).__name__}: {error} ({last.name}:{last.lineno})"
    return faults.CONVERTER_FAILED.finding(where.document, where.path, found=found)


def _belongs_to(read: ReadRecord, raw: RawRecord, fmt: FileFormat, name: str) -> str | None:
    if fmt.dialogue_id is None or read.record is None or raw.is_envelope:
        return None
    return fmt.dialogue_id(read.record, name)


def _utf8(data: bytes) -> bytes:
    """Returns bytes that are UTF-8: others get backslash escapes (and had a finding).

    The backslashes are escaped themselves, so that what stands around a JSON text stays as it is.
    """
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="surrogateescape")
        # Two backslashes are one in a JSON text, so that the record stays JSON that can be read.
        return _NOT_UTF8.sub(lambda bad: f"\\\\x{ord(bad[0]) - 0xDC00:02x}", text).encode()
    return data


# ``surrogateescape`` puts a byte that is no UTF-8 at U+DC00 plus its value.
_NOT_UTF8 = re.compile(r"[\udc80-\udcff]")
