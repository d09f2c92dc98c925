"""Plans an import: what side files say comes first, then documents in shards of like size."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.errors import SourceError
from commonground.files.dividing import ReadRecord
from commonground.files.documents import iterate_records
from commonground.files.formats import Columns, FileFormat
from commonground.files.reading import Main, Options, SideRecord
from commonground.files.sources import Document, safe_name
from commonground.store.identify import Identified
from commonground.store.importing.own_splits import Splitter

LEAST_SHARD_BYTES = 6 << 20
MOST_SHARD_BYTES = 64 << 20
"""Less makes many small part files; more takes more memory than a worker should have, 350 MB."""

MOST_SHARDS = 10_000
"""Shards of the largest imports: more are more to keep account of than they gain."""

_SHARDS = 16
"""An import is divided into about this many shards, if they are of a size between the two. The
number of processes has no say in it, so that the same files give the same parts on any machine."""

_CUTTABLE = frozenset({"array", "envelope", "splits", "rows"})
"""Layouts whose records can be dealt out to several shards."""


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be imported.

    Attributes:
        options: of the corpus's reader.
        check: whether to run the corpus's rules.
        findings_only: whether to check the documents and store nothing else.
        splitter: puts dialogues into splits of one's own; None for the released ones.
        columns: columns of tables that the user named.
    """

    entry: Entry
    identified: Identified
    options: Options
    check: bool = True
    findings_only: bool = False
    splitter: Splitter | None = None
    columns: Columns = ()

    @property
    def images(self) -> str | None:
        """The image folder as it is written down; None where none was named."""
        return None if self.options.images is None else safe_name(self.options.images)

    @property
    def size(self) -> int:
        """Native bytes of all documents."""
        return sum(document.size for document, _ in self.identified.known)


class Slice(msgspec.Struct, frozen=True):
    """A document, or a part of its records.

    Attributes:
        number: which part, from 0.
        of: how many parts there are; 1 for the whole.
    """

    document: Document
    format: str
    number: int = 0
    of: int = 1

    @property
    def size(self) -> int:
        """Native bytes of the document, or of its part."""
        return self.document.size // self.of

    def describe(self) -> str:
        """Says how much of the document it is."""
        return "all of it" if self.of == 1 else f"part {self.number + 1} of {self.of}"


class ShardJob(msgspec.Struct, frozen=True):
    """What one worker is to import.

    Attributes:
        part: number of the part files.
        with_orphans: whether to add what only side files know of.
        taken: dialogue ids that other shards have.
        deadly: documents that ended a process which read them.
        findings_only: whether to check the documents and store nothing else.
        check: whether to run the corpus's rules.
        upload: address that workers of an engine write to instead; empty for the folder.
        columns: columns of tables that the user named.
    """

    corpus: str
    part: int
    slices: list[Slice]
    folder: str
    with_orphans: bool = False
    taken: frozenset[str] = frozenset()
    deadly: tuple[Slice, ...] = ()
    findings_only: bool = False
    check: bool = True
    upload: str = ""
    columns: Columns = ()

    @property
    def size(self) -> int:
        """Native bytes of its documents, or of its parts of them."""
        return sum(piece.size for piece in self.slices)


def prepare_context(intake: Intake) -> Any:
    """Returns what the corpus gathers from its files before any dialogue is converted."""
    known = intake.identified.known
    mains = (Main(document, fmt) for document, fmt in known if fmt.role == "main")
    sides = read_sides(intake.identified)
    # All that is gathered is kept, and Python would look through it for waste again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return intake.entry.converter().prepare(sides, mains, intake.options)
    finally:
        if collecting:
            gc.enable()


def read_sides(identified: Identified) -> Iterator[SideRecord]:
    """Yields the records of the side files; what is wrong with a file, its shard reports."""
    for document, fmt in identified.known:
        if fmt.role != "side":
            continue
        try:
            for read in iterate_records(document, fmt):
                is_gap = read.raw.is_envelope and fmt.layout == "splits"
                if read.record is not None and not is_gap:
                    yield _make_side(document, fmt, read)
        except SourceError:
            continue


def _make_side(document: Document, fmt: FileFormat, read: ReadRecord) -> SideRecord:
    raw = read.raw
    return SideRecord(
        document.name, fmt.name, raw.path, read.record, raw.split, raw.key, raw.is_envelope
    )


def plan_shards(intake: Intake, folder: Path) -> list[ShardJob]:
    """Divides documents into shards of about equal size.

    A document larger than a shard is divided by its records. What only side files know of, and
    objects of no single dialogue, get a shard of their own.
    """
    target = min(max(intake.size // _SHARDS, LEAST_SHARD_BYTES), MOST_SHARD_BYTES)
    target = max(target, -(-intake.size // MOST_SHARDS))
    groups = _group(_slice_documents(intake.identified, target), target)
    job = ShardJob(
        intake.entry.name,
        0,
        [],
        str(folder),
        findings_only=intake.findings_only,
        check=intake.check,
        columns=intake.columns,
    )
    change = msgspec.structs.replace
    plan = [change(job, part=part, slices=group) for part, group in enumerate(groups)]
    # Dialogues that only side files know are a finding each; shared objects never are.
    has_objects = intake.entry.shared_objects() is not None and not intake.findings_only
    if intake.entry.orphans() is not None or has_objects:
        plan.append(change(job, part=len(groups), with_orphans=True))
    return plan


def _slice_documents(identified: Identified, target: int) -> Iterator[Slice]:
    for document, fmt in identified.known:
        # Twice negated, the division rounds up: a piece has at most the bytes wanted.
        cut = max(1, -(-document.size // target)) if fmt.layout in _CUTTABLE else 1
        for number in range(cut):
            yield Slice(document, fmt.name, number, cut)


def _group(pieces: Iterable[Slice], target: int) -> list[list[Slice]]:
    """Puts pieces together, in order, until a group has about ``target`` bytes."""
    groups: list[list[Slice]] = [[]]
    filled = 0
    for piece in pieces:
        size = piece.size
        # A piece goes where less of it is too much, so that shards are of like size.
        if groups[-1] and filled + size // 2 >= target:
            groups.append([])
            filled = 0
        groups[-1].append(piece)
        filled += size
    return groups
