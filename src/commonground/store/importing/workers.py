"""Maps shards over processes or a cluster, and goes on where one of them dies."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from commonground.engines.engine import Died, Engine
from commonground.engines.processes import end_with_parent, open_pool
from commonground.errors import StoreError
from commonground.files.remote import is_connected, parse_address, upload_files
from commonground.files.work_folders import temporary_folder
from commonground.store.arrow import forgo_pandas
from commonground.store.importing.planning import ShardJob, Slice
from commonground.store.importing.shards import Divider, ShardReport, import_shard
from commonground.store.layout.remote import fetch_parts

Progress = Callable[[int, int], None]
"""Called with now and then how many native bytes are done, and how many there are."""

_MOST_DEATHS = 20
"""Deaths in one import after which it is given up: then it is not the files."""


def run_shards(
    plan: Sequence[ShardJob],
    context: Any,
    jobs: int,
    total: int,
    progress: Progress | None,
    engine: Engine | None = None,
) -> list[ShardReport]:
    """Imports every shard, in ``jobs`` processes or in this one, and returns their reports.

    A process that dies costs no more than the document that it held, and that only if another
    one dies over it, too; see :data:`commonground.files.faults.DEADLY`.

    Args:
        context: what the corpus prepared from its side files.
        total: native bytes of all shards.
        engine: where they are imported instead; None for processes of this machine.

    Raises:
        OSError: part files cannot be written.
        StoreError: processes died again and again.
    """
    if engine is not None:
        return _Elsewhere(engine, context, total, progress).run(plan)
    if jobs == 1 or len(plan) == 1:
        done = 0

        def step(count: int, _last: bool) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, total)

        divider = Divider()
        return [import_shard(job, context, divider, step) for job in plan]
    return _Run(context, total, progress, may_fork=not is_connected()).run(plan, jobs)


class _Shared:
    """What the processes of a pool tell the one that started them.

    Attributes:
        done: by place in the plan, native bytes that were read.
        held: by place in the plan, the number of the slice that is being read, from 1; 0 where
            none was begun.
    """

    def __init__(self, processes: Any, shards: int) -> None:
        # Without locks, which a process that dies would hold for ever: each place is written by
        # the one process that has the shard. 64 bits, as 32 cannot count the bytes of an import.
        self.done = processes.RawArray("q", shards)
        self.held = processes.RawArray("q", shards)


# An initializer can leave something for its process only in globals. With "fork" nothing of it
# is pickled.
_worker_context: Any = None
_worker_shared: Any = None
_worker_divider: Any = None


def _start_worker(context: Any, shared: _Shared) -> None:
    global _worker_context, _worker_shared, _worker_divider
    # What the process that forked this one has not tidied up yet, such as files that it writes, is
    # not tidied up here as well.
    gc.freeze()
    _worker_context, _worker_shared, _worker_divider = context, shared, Divider()
    end_with_parent()
    # Ctrl-C reaches every process of a terminal; this one has nothing to say or to tidy up then.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    forgo_pandas()


def _work(place: int, job: ShardJob) -> ShardReport:
    held, done = _worker_shared.held, _worker_shared.done
    # 1 says that the shard was begun; each document that is done adds one. If this process dies,
    # the number tells over which document it did.
    held[place] = 1

    def step(count: int, last: bool) -> None:
        held[place] += last
        done[place] += count

    return import_shard(job, _worker_context, _worker_divider, step)


class _Run:
    """An import in several processes."""

    def __init__(
        self, context: Any, total: int, progress: Progress | None, *, may_fork: bool
    ) -> None:
        # A forked process has all modules and the context at once; to send them takes longer
        # than most imports. This process has no threads of its own that could hold a lock then,
        # unless it spoke to an object store.
        can_fork = may_fork and "fork" in multiprocessing.get_all_start_methods()
        method = "fork" if can_fork else "spawn"
        self._processes = multiprocessing.get_context(method)
        self._context = context
        self._total = total
        self._progress = progress
        self._deaths = 0
        self._shown = 0

    def run(self, plan: Sequence[ShardJob], jobs: int) -> list[ShardReport]:
        todo = list(plan)
        reports: dict[int, ShardReport] = {}
        while todo:
            shared = _Shared(self._processes, len(todo))
            reports.update(self._map(todo, jobs, shared))
            for place, job in enumerate(todo):
                # Shards that were under way are suspects and run alone; those that nobody had begun
                # go back to the pool.
                if job.part not in reports and shared.held[place]:
                    reports[job.part] = self._run_alone(job)
            todo = [job for job in todo if job.part not in reports]
        return [reports[job.part] for job in plan]

    def _run_alone(self, job: ShardJob) -> ShardReport:
        """Imports a shard over which a process died, or another did while it was at work.

        Where it dies again, the document that it held then is left out.
        """
        while True:
            shared = _Shared(self._processes, 1)
            reports = self._map([job], 1, shared)
            if reports:
                return reports[job.part]
            job = _leave_out(job, shared.held[0])

    def _map(
        self, jobs: Sequence[ShardJob], workers: int, shared: _Shared
    ) -> dict[int, ShardReport]:
        """Returns the reports of those shards that were finished when a process died, or of all."""
        futures: dict[Future[ShardReport], int] = {}
        held = (self._context, shared)
        with open_pool(workers, self._processes, _start_worker, held) as pool:
            # A worker may die while jobs are still being submitted; what was submitted counts.
            with suppress(BrokenProcessPool):
                for place, job in enumerate(jobs):
                    futures[pool.submit(_work, place, job)] = job.part
            self._watch(futures, shared)
        finished = {}
        for future, part in futures.items():
            with suppress(BrokenProcessPool):
                finished[part] = future.result()
        if len(finished) < len(jobs):
            self._deaths += 1
            if self._deaths > _MOST_DEATHS:
                raise StoreError(
                    f"Processes of this import died {self._deaths} times.",
                    "Check whether the machine has memory left, or pass --jobs 1.",
                )
        return finished

    def _watch(self, futures: dict[Future[ShardReport], int], shared: _Shared) -> None:
        """Waits for all shards; raises what one of them raised, but for the death of a process."""
        waiting = set(futures)
        while waiting:
            # Wakes ten times a second for the sake of progress, and at once where a shard fails.
            finished, waiting = wait(waiting, timeout=0.1, return_when="FIRST_EXCEPTION")
            for future in finished:
                with suppress(BrokenProcessPool):
                    future.result()
            # What is read again after a death is not counted again.
            self._shown = min(max(self._shown, sum(shared.done)), self._total)
            if self._progress is not None:
                self._progress(self._shown, self._total)


def _leave_out(job: ShardJob, held: int) -> ShardJob:
    """Returns a shard without the document that a process held when it died.

    Raises:
        StoreError: it held none.
    """
    if not 0 < held <= len(job.slices):
        raise StoreError(
            "A process of this import died, but not while it read a file.",
            "Check whether the machine has memory left, or pass --jobs 1.",
        )
    deadly: Slice = job.slices[held - 1]
    slices = [*job.slices[: held - 1], *job.slices[held:]]
    return msgspec.structs.replace(job, slices=slices, deadly=(*job.deadly, deadly))


class _Elsewhere:
    """An import on an engine's workers.

    They share a disk or an object store with this process, where what they make is large. Findings
    alone are small, and come back with the reports.
    """

    def __init__(self, engine: Engine, context: Any, total: int, progress: Progress | None) -> None:
        self._engine = engine
        self._context = context
        self._total = total
        self._progress = progress
        self._done = 0

    def run(self, plan: Sequence[ShardJob]) -> list[ShardReport]:
        found = self._map(_import_elsewhere, plan, step=self._step)
        done = [
            self._without_deadly(job) if isinstance(each, Died) else each
            for job, each in zip(plan, found, strict=True)
        ]
        for job, each in zip(plan, done, strict=True):
            if job.findings_only:
                folder = Path(job.folder)
                for part in each.report.parts:
                    (folder / part.name).write_bytes(each.parts[part.name])
            elif job.upload:
                _fetch(job, each.report)
            else:
                _refuse_other_disk(Path(job.folder), each.report)
        return [each.report for each in done]

    def _step(self, weight: int) -> None:
        self._done += weight
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _map(self, work: Any, jobs: Sequence[ShardJob], **how: Any) -> list[Any]:
        sizes = [job.size for job in jobs]
        return self._engine.map(work, jobs, shared=self._context, weights=sizes, **how)

    def _without_deadly(self, job: ShardJob) -> _Done:
        """Imports a shard without those documents over which workers die."""
        deadly = self._find_deadly(job)
        slices = [piece for piece in job.slices if piece not in deadly]
        left = msgspec.structs.replace(job, slices=slices, deadly=tuple(deadly))
        (done,) = self._map(_import_elsewhere, [left])
        if not deadly or isinstance(done, Died):
            raise StoreError(
                "Workers of this import died, and no single file is the cause.",
                "Check whether they have memory left, and try again.",
            )
        self._step(job.size)
        return done  # type: ignore[no-any-return]

    def _find_deadly(self, job: ShardJob) -> list[Slice]:
        """Finds the documents over which workers die, by halves: of many, few do."""
        suspects, deadly = [job.slices], []
        while suspects:
            tried = [msgspec.structs.replace(job, slices=each) for each in suspects]
            # One by one, so that none is suspected for another's fault and tried again.
            ends = [self._map(_try_elsewhere, [each])[0] for each in tried]
            died = [each for each, end in zip(suspects, ends, strict=True) if isinstance(end, Died)]
            deadly += [each[0] for each in died if len(each) == 1]
            halves = ((each[: len(each) // 2], each[len(each) // 2 :]) for each in died)
            suspects = [half for pair in halves if all(pair) for half in pair]
        return sorted(deadly, key=job.slices.index)


class _Done(msgspec.Struct, frozen=True):
    """What comes back from an engine's worker.

    Attributes:
        parts: the bytes of the part files, by name, where nothing but findings is wanted; else they
            are on a disk or in an object store.
    """

    report: ShardReport
    parts: dict[str, bytes] = {}


def _import_elsewhere(context: Any, job: ShardJob) -> _Done:
    """Runs on an engine's worker."""
    forgo_pandas()
    if not job.upload and not job.findings_only:
        return _Done(import_shard(job, context))
    with temporary_folder() as folder:
        report = import_shard(msgspec.structs.replace(job, folder=str(folder)), context)
        if job.findings_only:
            files = (folder / part.name for part in report.parts)
            return _Done(report, {path.name: path.read_bytes() for path in files})
        upload_files([part.name for part in report.parts], folder, parse_address(job.upload))
    return _Done(report)


def _fetch(job: ShardJob, report: ShardReport) -> None:
    """Fetches the parts of a shard that a worker wrote to the object store.

    Raises:
        OSError, StoreError: they cannot be had, or not whole.
    """
    if not fetch_parts(parse_address(job.upload), report.parts, Path(job.folder)):
        raise StoreError(
            f"What a worker wrote to {job.upload} is missing or incomplete.",
            "Check whether all workers use the same server (AWS_ENDPOINT_URL), and try again.",
        )


def _try_elsewhere(context: Any, job: ShardJob) -> None:
    """Reads a shard's documents and keeps nothing; runs on an engine's worker."""
    forgo_pandas()
    with temporary_folder() as folder:
        import_shard(msgspec.structs.replace(job, folder=str(folder)), context)


def _refuse_other_disk(folder: Path, report: ShardReport) -> None:
    """Refuses parts that were written where this process does not see them.

    Raises:
        StoreError: a part is not there.
    """
    for part in report.parts:
        path = folder / part.name
        if not path.exists() or path.stat().st_size != part.size:
            raise StoreError(
                f"A worker wrote {part.name} to a disk that this machine does not see.",
                "Choose a --store on a disk that all workers share, under the same path.",
            )
