"""Imports released files into the store: plan, map over shards, swap in."""

from __future__ import annotations

import errno
import os
import shutil
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.errors import SourceError, StoreError
from commonground.reading import Options
from commonground.store.arrow import pq
from commonground.store.gathering import merge_objects, nothing_converted, sum_up
from commonground.store.identify import identify_documents
from commonground.store.manifest import StoreManifest, part_files, save_manifest
from commonground.store.planning import Intake, ShardJob, plan_shards, prepare_context
from commonground.store.replacing import (
    is_unchanged,
    load_manifest_or_none,
    lock_corpus,
    remove_stale,
)
from commonground.store.shards import ShardReport, import_shard
from commonground.store.workers import Progress, run_alone, run_shards

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
    folder = str(images.resolve()) if images else None
    intake = Intake(
        entry=entry,
        identified=identify_documents(entry, paths),
        options=Options(entry.name, folder),
        check=check,
    )
    with lock_corpus(store, entry.name):
        present = None if force else load_manifest_or_none(store, entry.name)
        if present is not None and not is_unchanged(present, intake):
            present = None
        manifest = present or _write_import(intake, store, jobs, progress)
        seconds = time.perf_counter() - began
        return _summarise(intake, manifest, manifest is present, store, seconds)


def _summarise(
    intake: Intake, manifest: StoreManifest, unchanged: bool, store: Path, seconds: float
) -> ImportSummary:
    strangers = [document.name for document in intake.identified.left_alone]
    left_alone = [name for name in strangers if not name.lower().endswith(PICTURES)]
    return ImportSummary(
        manifest=manifest,
        unchanged=unchanged,
        seconds=seconds,
        left_alone=left_alone,
        pictures=len(strangers) - len(left_alone),
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
    intake = Intake(
        entry=entry, identified=identified, options=Options(entry.name), findings_only=True
    )
    data = folder / entry.name / "data-check"
    try:
        data.mkdir(parents=True)
        manifest = sum_up(intake, data, _map_shards(intake, data, jobs, progress))
        save_manifest(folder, manifest)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    return manifest


def count_errors(store: Path, manifest: StoreManifest) -> int:
    """Counts the findings of severity ``error`` in an import."""
    count = 0
    for path in part_files(store, manifest, "findings"):
        count += pq.read_table(path, columns=["severity"])["severity"].to_pylist().count("error")
    return count


def _write_import(
    intake: Intake, store: Path, jobs: int | None, progress: Progress | None
) -> StoreManifest:
    corpus = intake.entry.name
    folder = store / corpus / f"data-{uuid.uuid4().hex[:12]}"
    remove_stale(store, corpus)
    try:
        folder.mkdir()
        manifest = sum_up(intake, folder, _map_shards(intake, folder, jobs, progress))
        if not manifest.counts.get("dialogues"):
            raise nothing_converted(manifest, folder)
        if len(list(folder.glob("objects-*.parquet"))) > 1:
            manifest.counts["objects"] = run_alone(merge_objects, folder)
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
    remove_stale(store, corpus)
    return manifest


def _map_shards(
    intake: Intake, folder: Path, jobs: int | None, progress: Progress | None
) -> list[ShardReport]:
    size = intake.size
    if jobs is None:
        jobs = (os.cpu_count() or 1) if size >= PARALLEL_FROM_BYTES else 1
    context = prepare_context(intake)
    plan = plan_shards(intake, folder, jobs=jobs)
    reports = run_shards(plan, context, jobs, size, progress)
    return _resolve_duplicates(plan, reports, context)


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
