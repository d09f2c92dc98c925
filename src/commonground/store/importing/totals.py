"""What the shards of an import add up to: a manifest, each object once, or why there is nothing."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import reduce
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from commonground import __version__
from commonground.errors import FormatError
from commonground.printing import count_of
from commonground.schema import SCHEMA_VERSION, hash_columns
from commonground.store.arrow import pa, read_parquet
from commonground.store.importing.planning import Intake
from commonground.store.importing.shards import ShardReport
from commonground.store.layout.manifest import PartFile, SourceFile, StoreManifest
from commonground.store.layout.source_files import is_many, write_sources
from commonground.store.tables.columns import int32_array
from commonground.store.tables.writing import PartWriter, write_part

LISTING_PART = 99_999
"""Number of the part file that holds the findings of no shard."""


def sum_up(intake: Intake, folder: Path, reports: Sequence[ShardReport]) -> StoreManifest:
    """Makes the manifest of an import, and writes the findings that belong to no shard.

    Args:
        reports: of the shards, in order.
    """
    identified = intake.identified
    listed = _write_listing_findings(intake, folder)
    parts = [*listed, *(part for report in reports for part in report.parts)]
    counts = Counter({part.table: part.rows for part in listed})
    splits: Counter[str] = Counter()
    findings: Counter[str] = Counter(finding.code for finding in identified.findings)
    for report in reports:
        counts.update(report.counts)
        splits.update(report.splits)
        findings.update(report.findings)
    sources: list[SourceFile] = []
    if is_many(len(identified.known) + len(identified.left_alone)):
        parts.append(write_sources(folder, _iterate_sources(intake, reports)))
    else:
        sources = list(_iterate_sources(intake, reports))
    return StoreManifest(
        schema_version=SCHEMA_VERSION,
        commonground=__version__,
        corpus=intake.entry.name,
        data=folder.name,
        imported_at=datetime.now(UTC),
        images=intake.images,
        checked=intake.check,
        sources=sources,
        parts=sorted(parts, key=lambda part: part.name),
        counts=dict(counts),
        splits=dict(sorted(splits.items())),
        findings=dict(sorted(findings.items())),
        left_out=sum(report.left_out for report in reports),
        simulated=identified.simulated,
        columns=hash_columns(),
        named_columns=intake.columns,
    )


def _iterate_sources(intake: Intake, reports: Sequence[ShardReport]) -> Iterator[SourceFile]:
    """Yields each file once, in order of name; those of one shard are in memory at a time."""
    name = attrgetter("name")
    # Shards have documents in this order, but for those that ended a process, which come last.
    imported = (each for report in reports for each in sorted(report.unpack().sources, key=name))
    left_alone = (
        SourceFile(document.name, document.size, None, None)
        for document in sorted(intake.identified.left_alone, key=name)
    )
    # A document that was divided is in several shards, one after the other.
    for _, same in groupby(heapq.merge(imported, left_alone, key=name), key=name):
        yield reduce(_add_sources, same)


def _write_listing_findings(intake: Intake, folder: Path) -> list[PartFile]:
    findings = intake.identified.findings
    if not findings:
        return []
    with PartWriter(folder, LISTING_PART, intake.entry.name) as writer:
        writer.add_findings(findings)
    return writer.parts


def _add_sources(one: SourceFile, other: SourceFile) -> SourceFile:
    return SourceFile(
        one.name,
        one.size,
        # A piece over which a worker died was not hashed.
        one.sha256 or other.sha256,
        one.format,
        one.records + other.records,
        one.dialogues + other.dialogues,
    )


def nothing_converted(intake: Intake, folder: Path) -> FormatError:
    """Makes the error for an import without a dialogue, which says the first fault found."""
    files = len(intake.identified.known)
    return FormatError(
        f"No dialogue of {intake.entry.name} could be read from {count_of(files, 'file')}."
        f"{_describe_first_fault(folder)}",
        "What was in the store before is untouched.",
    )


def _describe_first_fault(folder: Path) -> str:
    path = min(folder.glob("findings-*.parquet"), default=None)
    if path is None:
        return ""
    row = read_parquet(path).slice(0, 1).to_pylist()[0]
    where = " ".join(filter(None, (row["source_file"], row["source_path"])))
    fault = f" The first error: {where}: {row['message']}"
    if row["expected"]:
        fault += f" Expected {row['expected']}, found {row['found'] or 'nothing'}."
    return fault


def merge_objects(manifest: StoreManifest, folder: Path) -> None:
    """Makes one file of the objects of all shards, each object once, and tells the manifest so.

    Raises:
        OSError: it cannot be written.
    """
    parts = [part for part in manifest.parts if part.table == "objects"]
    if len(parts) < 2:
        return
    table = pa.concat_tables([read_parquet(folder / part.name) for part in parts])
    first: dict[str, int] = {}
    for row, object_id in enumerate(table["object_id"].to_pylist()):
        # The first one counts, in order of parts, as it does within a shard.
        first.setdefault(object_id, row)
    merged = table.take(int32_array(array("i", first.values())))
    settled = write_part(folder / parts[0].name, merged)
    for part in parts[1:]:
        (folder / part.name).unlink()
    others = [part for part in manifest.parts if part.table != "objects"]
    manifest.parts = sorted([*others, settled], key=lambda part: part.name)
    manifest.counts["objects"] = merged.num_rows
