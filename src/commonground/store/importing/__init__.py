"""Imports released files into the store: plan, map over shards, swap in."""

from __future__ import annotations

import errno
import itertools
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pyarrow.compute as pc

from commonground import __version__
from commonground.corpora import Entry
from commonground.engines.engine import Engine
from commonground.errors import SourceError, StoreError
from commonground.files import faults
from commonground.files.formats import Columns
from commonground.files.reading import Options
from commonground.files.remote import is_remote
from commonground.files.sources import Document, safe_name
from commonground.store.arrow import pa, read_parquet
from commonground.store.identify import identify_documents
from commonground.store.importing.duplicates import resolve_duplicates
from commonground.store.importing.own_splits import (
    Request,
    Splitter,
    apply_splits,
    is_released,
    make_splitter,
)
from commonground.store.importing.planning import Intake, plan_shards, prepare_context
from commonground.store.importing.shards import ShardReport
from commonground.store.importing.summary import ImportSummary, Replacement, summarise
from commonground.store.importing.totals import merge_objects, nothing_converted, sum_up
from commonground.store.importing.workers import Progress, run_shards
from commonground.store.index import write_index
from commonground.store.layers import keep_layers
from commonground.store.layout.generations import (
    lock_corpus,
    new_generation,
    put_in_force,
    remove_stale,
)
from commonground.store.layout.integrity import is_sound
from commonground.store.layout.manifest import (
    SourceFile,
    StoreManifest,
    load_manifest,
    part_files,
    save_manifest,
)
from commonground.store.layout.mirrors import find_origin, name_store
from commonground.store.layout.remote import bring_store
from commonground.store.layout.source_files import iterate_sources

PARALLEL_FROM_BYTES = 12 << 20
"""Below this two processes cost more than they give."""


Confirm = Callable[[Replacement], bool]
"""Asked before most dialogues of the previous import go; says whether they may."""


def import_corpus(
    entry: Entry,
    paths: Sequence[str | Path],
    *,
    store: Path,
    images: Path | None = None,
    splits: Request | None = None,
    columns: Columns = (),
    jobs: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    indexing: Progress | None = None,
    force: bool = False,
    check: bool = True,
    replace: bool | Confirm = False,
) -> ImportSummary:
    """Imports released files of one corpus, replacing what the store had of it.

    Whatever happens, the store has the old import or the new one, whole. Importing the very
    same files again does nothing, unless a part of the previous import is damaged.

    Args:
        paths: files, folders or zip archives.
        store: folder of the store, made if need be, or its address in an object store.
        images: folder of the images; None where none are at hand.
        splits: splits of one's own; None for the released ones. A released file in another folder
            may be named here, too.
        columns: columns of the files, each after the field that it is; for corpora of tables.
        jobs: processes; None chooses by the size of the import. What is written is the same.
        engine: what runs the shards instead of processes of this machine; None for these.
        progress: called with bytes read, and bytes to read in all.
        indexing: called with rows in the index, which is written last, and rows in all.
        force: import even what is there unchanged.
        check: run the corpus's rules; structural faults are found in any case.
        replace: whether more than half of the dialogues that the store has may go; or a
            function that is asked then.

    Raises:
        SourceError, FormatError: nothing could be imported, or a list of splits cannot be read.
        StoreError: the store cannot be written, or most of what it has would go.
        UsageError: there can be no such splits.
    """
    began = time.perf_counter()
    if images is not None and not images.is_dir():
        raise SourceError(
            f"{safe_name(str(images))} is not a folder.", "Name the folder that holds the images."
        )
    folder = str(images.resolve()) if images else None
    request = splits or Request()
    is_plain = request.splits is not None and request.holdout is None and request.apart is None
    if request.splits is not None and is_plain and is_released(entry, request.splits):
        paths, request = [*paths, request.splits], Request()
    splitter = make_splitter(entry, request)
    intake = Intake(
        entry=entry,
        identified=identify_documents(entry, _place(paths, engine), columns),
        options=Options(entry.name, folder),
        check=check,
        splitter=splitter,
        columns=columns,
    )
    if splitter is not None:
        intake.identified.findings.extend(splitter.findings)
    store = bring_store(store, [entry.name])
    with lock_corpus(store, entry.name):
        remove_stale(store, entry.name)
        summary = None if force else _find_unchanged(intake, store)
        if summary is None:
            run = _Run(jobs, engine, progress, indexing)
            summary = _write_import(intake, store, run, replace)
        # Again: the previous import is out of force now, and goes unless somebody reads it.
        remove_stale(store, entry.name)
        summary.seconds = time.perf_counter() - began
        return summary


def _place(paths: Sequence[str | Path], engine: Engine | None) -> Sequence[str | Path]:
    """Writes paths in full for workers, which may stand in another folder than this process."""
    if engine is None:
        return paths
    return [each if is_remote(each) else Path(each).absolute() for each in paths]


def _find_unchanged(intake: Intake, store: Path) -> ImportSummary | None:
    """Returns a summary if the store has these very files, whole; else None."""
    present = _load_or_none(store, intake.entry.name)
    if present is None or not is_unchanged(store, present, intake):
        return None
    if not is_sound(store, present):
        return None
    return summarise(intake, present, store, unchanged=True)


def _load_or_none(store: Path, corpus: str) -> StoreManifest | None:
    """Reads a manifest; None too where it is damaged or of another version."""
    try:
        return load_manifest(store, corpus)
    except StoreError:
        return None


def is_unchanged(store: Path, manifest: StoreManifest, intake: Intake) -> bool:
    """Says whether an import would give what is in the store already.

    Args:
        manifest: of the import in force.
    """
    # The other way round is fine: an import with findings serves readers who want none.
    if intake.check and not manifest.checked:
        return False
    # Another version may make something else of the same bytes.
    if manifest.commonground != __version__ or manifest.images != intake.images:
        return False
    if manifest.named_columns != intake.columns:
        return False
    if manifest.simulated != intake.identified.simulated:
        return False
    if not _has_splits(manifest, intake.splitter):
        return False
    # What killed a process once, such as too little memory, may be gone by now.
    if faults.DEADLY.code in manifest.findings:
        return False
    try:
        # Sizes first: they cost nothing, and most files that changed have another.
        return all(
            _compare_files(store, manifest, intake, same) for same in (_has_size, _has_bytes)
        )
    except (SourceError, StoreError):
        return False


def _has_splits(manifest: StoreManifest, splitter: Splitter | None) -> bool:
    if splitter is None or manifest.own_splits is None:
        return splitter is None and manifest.own_splits is None
    return manifest.own_splits.is_like(splitter.asked)


def _compare_files(
    store: Path,
    manifest: StoreManifest,
    intake: Intake,
    same: Callable[[SourceFile, Document], bool],
) -> bool:
    """Says whether the same files of the same formats are there, both lists in order of name."""
    listed = iterate_sources(store, manifest)
    before = (each for each in listed if each.format is not None)
    return all(
        old is not None
        and new is not None
        and (old.name, old.format) == (new[0].name, new[1].name)
        and same(old, new[0])
        for old, new in itertools.zip_longest(before, intake.identified.known)
    )


def _has_size(before: SourceFile, document: Document) -> bool:
    return before.size == document.size


def _has_bytes(before: SourceFile, document: Document) -> bool:
    return before.sha256 == document.find_sha256()


def check_files(
    entry: Entry,
    paths: Sequence[str | Path],
    *,
    folder: Path,
    columns: Columns = (),
    jobs: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> StoreManifest:
    """Reads and checks files as an import would, and stores nothing but the findings.

    Args:
        paths: files, folders or zip archives.
        folder: an empty store for the findings.
        columns: columns of the files, each after the field that it is; for corpora of tables.
        jobs: processes; None chooses by the size of the files.
        engine: what runs the shards instead of processes of this machine; None for these.

    Raises:
        SourceError, FormatError: there is nothing of this corpus.
        StoreError: the findings cannot be written.
    """
    identified = identify_documents(entry, _place(paths, engine), columns)
    intake = Intake(
        entry=entry,
        identified=identified,
        options=Options(entry.name),
        findings_only=True,
        columns=columns,
    )
    # Shaped like a store with one import, so that the findings are read like any other's.
    data = folder / entry.name / "data-check"
    try:
        data.mkdir(parents=True)
        reports = _Run(jobs, engine, progress).map_shards(intake, data)
        manifest = sum_up(intake, data, reports)
        save_manifest(folder, manifest)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    return manifest


def _write_import(
    intake: Intake,
    store: Path,
    run: _Run,
    replace: bool | Confirm,
) -> ImportSummary:
    corpus = intake.entry.name
    try:
        with new_generation(store, corpus) as folder:
            reports = run.map_shards(intake, folder, store)
            manifest = sum_up(intake, folder, reports)
            if not manifest.counts.get("dialogues"):
                raise nothing_converted(intake, folder)
            replaced = _compare(intake, store, manifest)
            if replaced is not None:
                _refuse_loss(corpus, replaced, replace)
            layers = keep_layers(store, manifest)
            merge_objects(manifest, folder)
            if intake.splitter is not None:
                apply_splits(store, manifest, intake.splitter, intake.entry.manifest)
            manifest.index = write_index(store, manifest, run.indexing, run.count_jobs(intake))
            put_in_force(store, manifest)
    except OSError as error:
        advice = "What was there before is untouched."
        if error.errno == errno.ENOSPC:
            advice = f"Free some space, or choose another --store. {advice}"
        reason = error.strerror or error
        raise StoreError(
            f"{name_store(store)}/{corpus} cannot be written: {reason}.", advice
        ) from error
    summary = summarise(intake, manifest, store, replaced=replaced)
    summary.shards = len(reports)
    summary.layers = layers
    return summary


def _compare(intake: Intake, store: Path, manifest: StoreManifest) -> Replacement | None:
    """Returns what the new import replaces; None where nothing that can be read was there."""
    before = _load_or_none(store, manifest.corpus)
    if before is None:
        return None
    try:
        old, new = (_read_ids(store, each) for each in (before, manifest))
    except (OSError, pa.ArrowException):
        return None  # damaged: the new import mends it
    return Replacement(
        dialogues=len(old),
        gone=pc.sum(pc.invert(pc.is_in(old, value_set=new)), min_count=0).as_py(),
        imported_at=before.imported_at,
        by=len(new),
        unit=intake.entry.manifest.unit,
    )


def _read_ids(store: Path, manifest: StoreManifest) -> pa.ChunkedArray:
    files = part_files(store, manifest, "dialogues")
    tables = (read_parquet(path, ["dialogue_id"]) for path in files)
    columns = (each["dialogue_id"].cast("string") for each in tables)
    return pa.chunked_array([chunk for each in columns for chunk in each.chunks], pa.string())


def _refuse_loss(corpus: str, replaced: Replacement, replace: bool | Confirm) -> None:
    if not replaced.loses_most or replace is True:
        return
    if replace is not False and replace(replaced):
        return
    raise StoreError(
        f"{corpus}: this would replace {replaced.describe()}.",
        "Nothing was replaced. If that is intended, pass --replace (in Python: "
        "replace=True), or choose another --store.",
    )


class _Run(msgspec.Struct, frozen=True):
    """How an import is run.

    Attributes:
        jobs: processes; None chooses by size.
        engine: what runs the shards instead; None for processes of this machine.
        indexing: called with how far the index is, which comes last; None for nobody.
    """

    jobs: int | None
    engine: Engine | None
    progress: Progress | None
    indexing: Progress | None = None

    def count_jobs(self, intake: Intake) -> int:
        """Returns how many processes of this machine work on an import."""
        if self.jobs is not None:
            return self.jobs
        return (os.cpu_count() or 1) if intake.size >= PARALLEL_FROM_BYTES else 1

    def map_shards(
        self, intake: Intake, folder: Path, store: Path | None = None
    ) -> list[ShardReport]:
        """Imports every document into part files of a folder.

        Args:
            store: None where findings are all that is wanted.
        """
        size, jobs = intake.size, self.count_jobs(intake)
        context = prepare_context(intake)
        # Workers of an engine may stand in another folder than this process.
        plan = plan_shards(intake, folder.resolve() if self.engine else folder)
        origin = find_origin(store) if store is not None else None
        if origin is not None and self.engine is not None:
            # Workers elsewhere have the object store in common with this process, and no disk.
            upload = str(origin / intake.entry.name / folder.name)
            plan = [msgspec.structs.replace(job, upload=upload) for job in plan]
        reports = run_shards(plan, context, jobs, size, self.progress, self.engine)
        return resolve_duplicates(plan, reports, context)
