"""Plans an import: what side files say comes first, then documents in shards of like size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.dividing import ReadRecord, iterate_records
from commonground.errors import SourceError
from commonground.formats import FileFormat
from commonground.reading import Main, Options, Side
from commonground.sources import Document
from commonground.store.identify import Identified

SHARD_BYTES = 64 << 20
"""Native bytes of one shard, about."""

_CUTTABLE = frozenset({"array", "envelope", "splits"})
"""Layouts whose records can be dealt out to several shards."""


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be imported.

    Attributes:
        entry: the corpus.
        identified: the documents.
        options: what the corpus is told.
        check: whether to run the corpus's rules.
        findings_only: whether to check the documents and store nothing else.
    """

    entry: Entry
    identified: Identified
    options: Options
    check: bool = True
    findings_only: bool = False

    @property
    def size(self) -> int:
        """Native bytes of all documents."""
        return sum(document.size for document, _ in self.identified.known)


class Slice(msgspec.Struct, frozen=True):
    """A document, or the ``number``-th of ``of`` equal parts of its records."""

    document: Document
    format: str
    number: int = 0
    of: int = 1


class ShardJob(msgspec.Struct, frozen=True):
    """What one worker is to import.

    Attributes:
        corpus: name of the corpus.
        part: number of the part files.
        slices: the documents.
        folder: data folder to write to.
        with_orphans: whether to add what only side files know of.
        taken: dialogue ids that other shards have.
        findings_only: whether to check the documents and store nothing else.
        check: whether to run the corpus's rules.
    """

    corpus: str
    part: int
    slices: list[Slice]
    folder: str
    with_orphans: bool = False
    taken: frozenset[str] = frozenset()
    findings_only: bool = False
    check: bool = True


def prepare_context(intake: Intake) -> Any:
    """Returns what the corpus gathers from its files before any dialogue is converted."""
    known = intake.identified.known
    mains = (Main(document, fmt) for document, fmt in known if fmt.role == "main")
    return intake.entry.converter().prepare(read_sides(intake.identified), mains, intake.options)


def read_sides(identified: Identified) -> Iterator[Side]:
    """Yields the records of the side files; what is wrong with a file, its shard reports."""
    for document, fmt in identified.known:
        if fmt.role != "side":
            continue
        try:
            for read in iterate_records(document, fmt):
                if read.record is not None:
                    yield _make_side(document, fmt, read)
        except SourceError:
            continue


def _make_side(document: Document, fmt: FileFormat, read: ReadRecord) -> Side:
    raw = read.raw
    return Side(document.name, fmt.name, raw.path, read.record, raw.split, raw.key, raw.is_envelope)


def plan_shards(intake: Intake, folder: Path, *, jobs: int) -> list[ShardJob]:
    """Divides documents into shards of about equal size, at least one per worker.

    A document larger than a shard is divided by its records. What only side files know of, and
    objects of no single dialogue, get a shard of their own.

    Args:
        intake: what is to be imported.
        folder: data folder to write to.
        jobs: processes.
    """
    size = intake.size
    wanted = max(jobs, -(-size // SHARD_BYTES)) if size else 1
    target = max(size // wanted, 1)
    groups = _group(_slice_documents(intake.identified, target, jobs), target, wanted)
    job = ShardJob(
        intake.entry.name,
        0,
        [],
        str(folder),
        findings_only=intake.findings_only,
        check=intake.check,
    )
    change = msgspec.structs.replace
    plan = [change(job, part=part, slices=group) for part, group in enumerate(groups)]
    has_extra = intake.entry.orphans() is not None or intake.entry.shared_objects() is not None
    if has_extra and not intake.findings_only:
        plan.append(change(job, part=len(groups), with_orphans=True))
    return plan


def _slice_documents(identified: Identified, target: int, jobs: int) -> Iterator[Slice]:
    for document, fmt in identified.known:
        cut = 1
        if document.size > target and fmt.layout in _CUTTABLE:
            cut = min(jobs, -(-document.size // target))
        for number in range(cut):
            yield Slice(document, fmt.name, number, cut)


def _group(pieces: Iterable[Slice], target: int, most: int) -> list[list[Slice]]:
    """Puts pieces together, in order, until a group has about ``target`` bytes."""
    groups: list[list[Slice]] = [[]]
    filled = 0
    for piece in pieces:
        if groups[-1] and filled >= target and len(groups) < most:
            groups.append([])
            filled = 0
        groups[-1].append(piece)
        filled += piece.document.size // piece.of
    return groups
