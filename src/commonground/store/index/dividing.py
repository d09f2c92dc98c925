"""Makes the index of a corpus in parts, by several processes, and puts the parts together.

A part is of the dialogues of some files of the import that follow each other. Which files those are
depends on the import alone, so that any number of processes makes the same index, and the memory of
each depends on the size of a part, not on that of the corpus.
"""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from commonground.engines.processes import end_with_parent, open_pool
from commonground.errors import StoreError
from commonground.store.arrow import forgo_pandas, pa, read_parquet
from commonground.store.index.blocks import join_blocks, write_object_blocks
from commonground.store.index.building import ORDER, build_part
from commonground.store.index.full_text import join_texts
from commonground.store.index.ids import join_ids
from commonground.store.index.pieces import Ordinals, has_strangers, read_ids
from commonground.store.index.postings import join_postings, write_event_dialogues
from commonground.store.index.summaries import join_digests
from commonground.store.layout.manifest import StoreManifest, part_files
from commonground.store.tables.columns import arrow_schema

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with rows done and rows in all."""

ROWS = 500_000
"""Rows of a part, about: fewer make parts that a search has to look into one by one, more take more
memory than a process should have."""

_PARTS_EACH = 2
"""Parts that are worth a process: to make one takes about as long as to start one."""

_LOOK_S = 0.1
"""Seconds between two looks at how far the processes are."""


class Tables(msgspec.Struct, frozen=True):
    """The tables of an import, which need not be in force yet."""

    store: Path
    manifest: StoreManifest

    def files(self, name: str) -> list[Path]:
        """Lists the Parquet files of a table, in the order of their rows."""
        return part_files(self.store, self.manifest, name)


PartFiles = dict[str, list[Path]]
"""The files that a part of an index is made from, by table and in order.

They have the rows of its dialogues, and perhaps of others.
"""


def build_index(
    tables: Tables,
    folder: Path,
    progress: Progress,
    jobs: int = 1,
    only: Sequence[str] | None = None,
) -> None:
    """Writes the index of an import, or of some of its dialogues, to an empty folder.

    Args:
        tables: of the import; dialogues are numbered in the order of their table.
        jobs: processes that make it, if it has several parts.
        only: ids of the dialogues that it is of, in order; None for all.
    """
    total = sum(tables.manifest.counts.get(name, 0) for name in ORDER)
    done = _Progress(progress, total)
    plan = plan_parts(tables, is_whole=only is None)
    if len(plan) == 1:
        ids = read_ids(plan[0]["dialogues"]) if only is None else only
        build_part(plan[0], Ordinals(ids), folder, done.add)
        _finish([folder], folder)
    else:
        parts = folder / "parts"
        parts.mkdir()
        folders = [parts / f"{number:05}" for number in range(len(plan))]
        jobs = min(jobs, len(plan) // _PARTS_EACH)
        _build_parts(tables, plan, folders, jobs, done)
        _join(folders, folder)
        shutil.rmtree(parts)
    write_object_blocks(folder / "objects.arrow", _read_objects(tables))
    progress(total, total)


def _read_objects(tables: Tables) -> Any:
    schema = arrow_schema("objects")
    read = [read_parquet(path) for path in tables.files("objects")]
    whole = pa.concat_tables([schema.empty_table(), *(each.cast(schema) for each in read)])
    return whole.drop_columns(["corpus"])


def _build_parts(
    tables: Tables, plan: Sequence[PartFiles], folders: Sequence[Path], jobs: int, done: _Progress
) -> None:
    """Makes the parts of an index, each planned with the files written with its dialogues."""
    if jobs < 2:
        whole = _add_shared(tables, plan, map(_survey, plan))
        for part, folder in zip(whole, folders, strict=True):
            _build(part, folder, done.add)
        return
    # A fork would copy this process's threads' locks, some of them held for ever.
    context = multiprocessing.get_context("spawn")
    # Without a lock, which a process that dies would hold for ever: each place is written by the
    # one process that makes the part.
    counts = context.RawArray("q", len(plan))
    with open_pool(jobs, context, _start, (counts,)) as pool:
        shared = _wait([pool.submit(_survey, part) for part in plan], counts, done)
        tasks = zip(count(), _add_shared(tables, plan, shared), folders, strict=False)
        _wait([pool.submit(_build_there, *task) for task in tasks], counts, done)


def _wait(futures: Sequence[Future[T]], counts: Any, done: _Progress) -> list[T]:
    """Waits for processes; raises what one of them raised.

    Args:
        counts: rows that are done, by part.
    """
    waiting = set(futures)
    while waiting:
        finished, waiting = wait(waiting, timeout=_LOOK_S, return_when="FIRST_EXCEPTION")
        try:
            for each in finished:
                each.result()
        except BrokenProcessPool as error:
            raise StoreError(
                "A process that built the index was killed.",
                "Check whether the machine has memory left, or use a single process.",
            ) from error
        done.reach(sum(counts))
    return [each.result() for each in futures]


def _join(folders: Sequence[Path], target: Path) -> None:
    """Puts parts together, in order."""
    starts = [np.load(folder / "event_starts.npy") for folder in folders]
    part_starts = np.cumsum([0, *(len(each) - 1 for each in starts)])
    event_bases = np.cumsum([0, *(int(each[-1]) for each in starts)])
    join_postings(folders, part_starts, event_bases, target)
    join_blocks(folders, target)
    join_digests(folders, target)
    join_texts(folders, target)
    _finish(folders, target)


def _finish(folders: Sequence[Path], target: Path) -> None:
    """Writes what is known once the parts are together.

    Args:
        folders: of the parts, in order.
        target: folder of the index; that of its only part, if there is one.
    """
    lengths = (len(np.load(folder / "event_starts.npy", mmap_mode="r")) - 1 for folder in folders)
    np.save(target / "part_starts.npy", np.cumsum([0, *lengths]))
    join_ids(folders, target)
    write_event_dialogues(target)


def plan_parts(tables: Tables, *, is_whole: bool = True) -> list[PartFiles]:
    """Divides the files of an import among the parts of its index.

    Args:
        is_whole: whether it is of all dialogues; else there is one part, since each file may have
            few of them.
    """
    groups = _group(tables.manifest) if is_whole else []
    return [_plan(tables, group) for group in (groups if len(groups) > 1 else [None])]


def _plan(tables: Tables, group: frozenset[str] | None) -> PartFiles:
    """Plans a part.

    Args:
        group: endings of the names of its files; None for all.
    """
    return {
        name: [path for path in tables.files(name) if group is None or _ending(path.name) in group]
        for name in ORDER
    }


def _group(manifest: StoreManifest) -> list[frozenset[str]]:
    """Groups files that were written with some dialogues, until a group has enough rows."""
    rows: dict[str, int] = {}
    for part in manifest.parts:
        if part.table in ORDER:
            rows[_ending(part.name)] = rows.get(_ending(part.name), 0) + part.rows
    groups: list[frozenset[str]] = []
    group: list[str] = []
    for part in manifest.parts:
        if part.table == "dialogues":
            group.append(_ending(part.name))
            if sum(map(rows.__getitem__, group)) >= ROWS:
                groups.append(frozenset(group))
                group = []
    # What is left is no part of its own, which would be one more for every search to look into.
    if groups:
        groups[-1] |= frozenset(group)
    return groups


def _ending(name: str) -> str:
    return name.rpartition("-")[2]


def _add_shared(
    tables: Tables, plan: Sequence[PartFiles], shared: Iterable[list[str]]
) -> list[PartFiles]:
    """Adds to every part the files with rows of dialogues of other parts.

    Args:
        plan: the parts, each with the files that were written with its dialogues.
        shared: names of the files that are to be added, as found for each part.
    """
    grouped = {path.name for part in plan for files in part.values() for path in files}
    names = set(chain.from_iterable(shared))
    whole = {name: tables.files(name) for name in ORDER}
    return [
        {
            name: [
                path
                for path in whole[name]
                # What was written with no dialogues, such as a layer, may be of any.
                if path in files or path.name in names or path.name not in grouped
            ]
            for name, files in part.items()
        }
        for part in plan
    ]


def _read_ordinals(part: PartFiles) -> Ordinals:
    return Ordinals(read_ids(part["dialogues"]))


def _survey(part: PartFiles) -> list[str]:
    """Names the files of a part that have rows of dialogues of other parts."""
    ordinals = _read_ordinals(part)
    return [
        path.name
        for name, files in part.items()
        for path in files
        if name != "dialogues" and has_strangers(path, ordinals)
    ]


def _build(part: PartFiles, folder: Path, progress: Callable[[int], None]) -> None:
    # Emptied, as a process may have died over it.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    build_part(part, _read_ordinals(part), folder, progress)


class _Progress:
    """Says how far an index is."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        progress(0, total)

    def add(self, rows: int) -> None:
        self.reach(self._done + rows)

    def reach(self, done: int) -> None:
        self._done = done
        # Rows that are in the import, but of no dialogue, are never in the index.
        self._progress(min(done, self._total), self._total)


# What follows runs in the processes.

_done: Any = None


def _start(done: Any) -> None:
    global _done
    _done = done
    end_with_parent()
    # Ctrl-C reaches every process of a terminal; anyone who started this one ends it then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    forgo_pandas()


def _build_there(place: int, part: PartFiles, folder: Path) -> None:
    def add(rows: int) -> None:
        _done[place] += rows

    _build(part, folder, add)
    # Arrow keeps what it freed for later use; one part after another that adds up.
    pa.default_memory_pool().release_unused()
