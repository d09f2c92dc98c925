"""Imports released files into the store: plan, map over shards, swap in."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import time
import uuid
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.corpora import Entry
from commonground.errors import FormatError, SourceError, StoreError
from commonground.formats import iterate_records
from commonground.reading import Main, Options, Side
from commonground.schema import SCHEMA_VERSION
from commonground.store.arrow import pa, pq
from commonground.store.columns import int32_array
from commonground.store.identify import Identified, identify_documents
from commonground.store.manifest import (
    SourceFile,
    StoreManifest,
    load_manifest,
    part_files,
    save_manifest,
)
from commonground.store.shards import ShardJob, ShardReport, import_shard, plan_shards
from commonground.store.workers import Progress, run_alone, run_shards
from commonground.store.writing import PartWriter, open_parquet

LISTING_PART = 99_999
"""Number of the part file that holds the findings of no shard."""

PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp")
"""Endings of files that are nothing to read but no strangers either."""

PARALLEL_FROM_BYTES = 12 << 20
"""Below this two processes cost more than they give."""


class ImportSummary(msgspec.Struct, kw_only=True):
    """What an import did.

    Attributes:
        manifest: what is in the store now.
        unchanged: whether the very same files were there already, and nothing was done.
        seconds: how long it took.
        left_alone: files that are of no format of this corpus, pictures not counted.
        pictures: number of picture files among what was named.
        errors: number of findings of severity ``error``.
    """

    manifest: StoreManifest
    unchanged: bool
    seconds: float
    left_alone: list[str]
    pictures: int
    errors: int


def import_corpus(
    entry: Entry,
    paths: Sequence[str | Path],
    *,
    store: Path,
    images: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
    check: bool = True,
) -> ImportSummary:
    """Imports released files of one corpus, replacing what the store had of it.

    Whatever happens, the store has the old import or the new one, whole. Importing the very
    same files again does nothing.

    Args:
        entry: the corpus.
        paths: files, folders or zip archives.
        store: folder of the store; made if need be.
        images: folder of the images; null where none are at hand.
        jobs: processes; null chooses by the size of the import.
        progress: told how far it is.
        force: import even what is there unchanged.
        check: run the corpus's rules; structural faults are found in any case.

    Raises:
        SourceError, FormatError: nothing could be imported.
        StoreError: the store cannot be written.
    """
    began = time.perf_counter()
    if images is not None and not images.is_dir():
        raise SourceError(f"{images} is no folder.", "Name the folder that holds the images.")
    identified = identify_documents(entry, paths)
    options = Options(entry.name, str(images.resolve()) if images else None)
    strangers = [document.name for document in identified.left_alone]
    left_alone = [name for name in strangers if not name.lower().endswith(PICTURES)]
    pictures = len(strangers) - len(left_alone)
    with _locked(store, entry.name):
        present = load_manifest_or_none(store, entry.name)
        if force or present is None or not _is_unchanged(present, identified, options, check):
            manifest = _write_import(entry, identified, options, store, jobs, progress, check)
        else:
            manifest = present
        return ImportSummary(
            manifest=manifest,
            unchanged=manifest is present,
            seconds=time.perf_counter() - began,
            left_alone=left_alone,
            pictures=pictures,
            errors=count_errors(store, manifest),
        )


def check_files(
    entry: Entry,
    paths: Sequence[str | Path],
    *,
    folder: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> StoreManifest:
    """Reads and checks files as an import would, and stores nothing but the findings.

    Args:
        entry: the corpus.
        paths: files, folders or zip archives.
        folder: an empty store for the findings.
        jobs: processes; null chooses by the size of the files.
        progress: told how far it is.

    Raises:
        SourceError, FormatError: there is nothing of this corpus.
        StoreError: the findings cannot be written.
    """
    identified = identify_documents(entry, paths)
    options = Options(entry.name)
    data = folder / entry.name / "data-check"
    try:
        data.mkdir(parents=True)
        reports = _map_shards(entry, identified, options, data, jobs, progress, findings_only=True)
        manifest = _finish(entry, identified, options, data, reports)
        save_manifest(folder, manifest)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    return manifest


def load_manifest_or_none(store: Path, corpus: str) -> StoreManifest | None:
    """Reads a manifest; null too where it is damaged or of another version."""
    try:
        return load_manifest(store, corpus)
    except StoreError:
        return None


def count_errors(store: Path, manifest: StoreManifest) -> int:
    """Counts the findings of severity ``error`` in an import."""
    count = 0
    for path in part_files(store, manifest, "findings"):
        count += pq.read_table(path, columns=["severity"])["severity"].to_pylist().count("error")
    return count


@contextmanager
def _locked(store: Path, corpus: str) -> Iterator[None]:
    """Keeps two imports of one corpus from meeting in one store."""
    folder = store / corpus
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            advice = "Wait for it, or stop it, and try again."
            raise StoreError(f"Another import of {corpus} is under way.", advice) from None
        yield


def _is_unchanged(
    manifest: StoreManifest, identified: Identified, options: Options, check: bool
) -> bool:
    if check and not manifest.checked:
        return False
    if manifest.commonground != __version__ or manifest.images != options.images:
        return False
    before = {s.name: s for s in manifest.sources if s.format is not None}
    now = {document.name: (document, fmt) for document, fmt in identified.known}
    if before.keys() != now.keys():
        return False
    if any(before[name].size != document.size for name, (document, _) in now.items()):
        return False
    try:
        return all(
            before[name].format == fmt.name
            and before[name].sha256 == hashlib.sha256(document.read()).hexdigest()
            for name, (document, fmt) in now.items()
        )
    except SourceError:
        return False


def _write_import(
    entry: Entry,
    identified: Identified,
    options: Options,
    store: Path,
    jobs: int | None,
    progress: Progress | None,
    check: bool,
) -> StoreManifest:
    data = f"data-{uuid.uuid4().hex[:12]}"
    folder = store / entry.name / data
    _remove_stale(store, entry.name)
    try:
        folder.mkdir()
        reports = _map_shards(entry, identified, options, folder, jobs, progress, check=check)
        manifest = _finish(entry, identified, options, folder, reports, check)
        if not manifest.counts.get("dialogues"):
            raise _nothing_converted(entry, manifest, folder)
        if len(list(folder.glob("objects-*.parquet"))) > 1:
            manifest.counts["objects"] = run_alone(_merge_objects, folder)
        save_manifest(store, manifest)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        advice = "What was there before is untouched."
        if error.errno == errno.ENOSPC:
            advice = f"Free some space, or choose another --store. {advice}"
        raise StoreError(f"{folder} cannot be written: {error.strerror}.", advice) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _remove_stale(store, entry.name)
    return manifest


def _remove_stale(store: Path, corpus: str) -> None:
    """Removes data folders that no manifest names: of killed imports, and of the one replaced.

    Where the manifest cannot be read (it is damaged, or of another version), all of them stay: one
    is the import of before.
    """
    try:
        manifest = load_manifest(store, corpus)
    except StoreError:
        return
    for folder in (store / corpus).glob("data-*"):
        if manifest is None or folder.name != manifest.data:
            shutil.rmtree(folder, ignore_errors=True)


def _map_shards(
    entry: Entry,
    identified: Identified,
    options: Options,
    folder: Path,
    jobs: int | None,
    progress: Progress | None,
    *,
    findings_only: bool = False,
    check: bool = True,
) -> list[ShardReport]:
    total = sum(document.size for document, _ in identified.known)
    if jobs is None:
        jobs = (os.cpu_count() or 1) if total >= PARALLEL_FROM_BYTES else 1
    mains = (Main(document, fmt) for document, fmt in identified.known if fmt.role == "main")
    context = entry.converter().prepare(_sides(identified), mains, options)
    has_extra = entry.orphans() is not None or entry.shared_objects() is not None
    orphans = has_extra and not findings_only
    plan = plan_shards(entry, identified.known, folder, jobs=jobs, orphans=orphans)
    plan = [msgspec.structs.replace(job, findings_only=findings_only, check=check) for job in plan]
    reports = run_shards(plan, context, jobs, total, progress)
    return _resolve_duplicates(plan, reports, context)


def _sides(identified: Identified) -> Iterator[Side]:
    for document, fmt in identified.known:
        if fmt.role != "side":
            continue
        try:
            for read in iterate_records(document, fmt):
                if read.record is not None:
                    raw = read.raw
                    yield Side(
                        document.name,
                        fmt.name,
                        raw.path,
                        read.record,
                        raw.split,
                        raw.key,
                        raw.is_envelope,
                    )
        except SourceError:
            continue  # the shard that holds the document reports it


def _resolve_duplicates(
    plan: list[ShardJob], reports: list[ShardReport], context: Any
) -> list[ShardReport]:
    """Imports those shards again that hold ids of an earlier shard, now knowing them."""
    taken: set[str] = set()
    resolved = []
    for job, report in zip(plan, reports, strict=True):
        ids = report.unpack().dialogue_ids
        if taken.isdisjoint(ids):
            resolved.append(report)
        else:
            again = msgspec.structs.replace(job, taken=frozenset(taken))
            resolved.append(import_shard(again, context))
            ids = resolved[-1].unpack().dialogue_ids
        taken.update(ids)
    return resolved


def _finish(
    entry: Entry,
    identified: Identified,
    options: Options,
    folder: Path,
    reports: Sequence[ShardReport],
    check: bool = True,
) -> StoreManifest:
    counts_of_listing = _write_listing_findings(entry, identified, folder)
    counts: Counter[str] = Counter(counts_of_listing)
    splits: Counter[str] = Counter()
    findings: Counter[str] = Counter(finding.code for finding in identified.findings)
    sources: dict[str, SourceFile] = {}
    for report in reports:
        counts.update(report.counts)
        splits.update(report.splits)
        findings.update(report.findings)
        for source in report.unpack().sources:
            sources[source.name] = _add_sources(sources.get(source.name), source)
    for document in identified.left_alone:
        sources[document.name] = SourceFile(document.name, document.size, None, None)
    return StoreManifest(
        schema_version=SCHEMA_VERSION,
        commonground=__version__,
        corpus=entry.name,
        data=folder.name,
        imported_at=datetime.now(UTC),
        images=options.images,
        checked=check,
        sources=[sources[name] for name in sorted(sources)],
        counts=dict(counts),
        splits=dict(sorted(splits.items())),
        findings=dict(sorted(findings.items())),
    )


def _write_listing_findings(entry: Entry, identified: Identified, folder: Path) -> dict[str, int]:
    """Writes the findings of the listing itself, which belong to no shard."""
    if not identified.findings:
        return {}
    with PartWriter(folder, LISTING_PART, entry.name) as writer:
        writer.add_findings(identified.findings)
    return dict(writer.counts)


def _add_sources(one: SourceFile | None, other: SourceFile) -> SourceFile:
    if one is None:
        return other
    return SourceFile(
        one.name,
        one.size,
        one.sha256 or other.sha256,
        one.format,
        one.records + other.records,
        one.dialogues + other.dialogues,
    )


def _nothing_converted(entry: Entry, manifest: StoreManifest, folder: Path) -> FormatError:
    first = ""
    for path in sorted(folder.glob("findings-*.parquet")):
        row = pq.read_table(path).slice(0, 1).to_pylist()[0]
        where = " ".join(filter(None, (row["source_file"], row["source_path"])))
        first = f" The first fault: {where}: {row['message']}"
        if row["expected"]:
            first += f" Expected {row['expected']}, found {row['found'] or 'nothing'}."
        break
    files = sum(source.format is not None for source in manifest.sources)
    return FormatError(
        f"No dialogue of {entry.name} could be read from {files:,} file(s).{first}",
        "What was in the store before is untouched.",
    )


def _merge_objects(folder: Path) -> int:
    """Makes one file of the objects of all shards, each object once; returns their number."""
    parts = sorted(folder.glob("objects-*.parquet"))
    table = pa.concat_tables([pq.read_table(part) for part in parts])
    first: dict[str, int] = {}
    for row, object_id in enumerate(table["object_id"].to_pylist()):
        first.setdefault(object_id, row)
    merged = table.take(int32_array(array("i", first.values())))
    beside = folder / "objects.new"
    with open_parquet(beside, merged.schema) as writer:
        writer.write_table(merged)
    for part in parts[1:]:
        part.unlink()
    beside.replace(parts[0])
    return len(first)
