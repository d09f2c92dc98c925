"""Maps shards over processes, and goes on where one of them dies."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

import msgspec

from commonground.errors import StoreError
from commonground.processes import end_with_parent
from commonground.store.arrow import forgo_pandas
from commonground.store.importing.planning import ShardJob, Slice
from commonground.store.importing.shards import Divider, ShardReport, import_shard

Progress = Callable[[int, int], None]
"""Told now and then how many native bytes are done, and how many there are."""

_MOST_DEATHS = 20
"""Deaths in one import after which it is given up: then it is not the files."""


def run_shards(
    plan: Sequence[ShardJob], context: Any, jobs: int, total: int, progress: Progress | None
) -> list[ShardReport]:
    """Imports every shard, in ``jobs`` processes or in this one, and returns their reports.

    A process that dies costs no more than the document that it held, and that only if another
    one dies over it, too; see :data:`commonground.faults.DEADLY`.

    Args:
        plan: the shards.
        context: what the corpus prepared from its side files.
        jobs: number of processes.
        total: native bytes of all shards.
        progress: told how far it is.

    Raises:
        OSError: part files cannot be written.
        StoreError: processes died again and again.
    """
    if jobs == 1 or len(plan) == 1:
        done = 0

        def step(count: int, _last: bool) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, total)

        divider = Divider()
        return [import_shard(job, context, divider, step) for job in plan]
    return _Run(context, total, progress).run(plan, jobs)


class _Shared:
    """What the processes of a pool tell the one that started them.

    Attributes:
        done: native bytes that were read.
        held: by place in the plan, the number of the slice that is being read, from 1; 0 where
            none was begun.
    """

    def __init__(self, processes: Any, shards: int) -> None:
        self.done = processes.Value("q", 0)
        # Without a lock: each place is written by the one process that has the shard.
        self.held = processes.RawArray("q", shards)


_worker_context: Any = None
_worker_shared: Any = None
_worker_divider: Any = None


def _start_worker(context: Any, shared: _Shared) -> None:
    global _worker_context, _worker_shared, _worker_divider
    _worker_context, _worker_shared, _worker_divider = context, shared, Divider()
    end_with_parent()
    # Ctrl-C reaches every process of a terminal; this one has nothing to say or to tidy up then.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    forgo_pandas()


def _work(place: int, job: ShardJob) -> ShardReport:
    held = _worker_shared.held
    # 1 says that the shard was begun; each document that is done adds one. If this process dies,
    # the number tells over which document it did.
    held[place] = 1

    def step(count: int, last: bool) -> None:
        held[place] += last
        with _worker_shared.done.get_lock():
            _worker_shared.done.value += count

    return import_shard(job, _worker_context, _worker_divider, step)


class _Run:
    """An import in several processes."""

    def __init__(self, context: Any, total: int, progress: Progress | None) -> None:
        # A forked process has all modules and the context at once; to send them takes longer
        # than most imports. This process has no threads of its own that could hold a lock then.
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
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
        with ProcessPoolExecutor(
            workers,
            mp_context=self._processes,
            initializer=_start_worker,
            initargs=(self._context, shared),
        ) as pool:
            futures: dict[Future[ShardReport], int] = {}
            try:
                with suppress(BrokenProcessPool):
                    for place, job in enumerate(jobs):
                        futures[pool.submit(_work, place, job)] = job.part
                self._watch(futures, shared)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        finished = {}
        for future, part in futures.items():
            with suppress(BrokenProcessPool):
                finished[part] = future.result()
        if len(finished) < len(jobs):
            self._count_death()
        return finished

    def _watch(self, futures: dict[Future[ShardReport], int], shared: _Shared) -> None:
        """Waits for all shards; raises what one of them raised, but for the death of a process."""
        waiting = set(futures)
        while waiting:
            finished, waiting = wait(waiting, timeout=0.1, return_when="FIRST_EXCEPTION")
            for future in finished:
                with suppress(BrokenProcessPool):
                    future.result()
            # What is read again after a death is not counted again.
            self._shown = min(max(self._shown, shared.done.value), self._total)
            if self._progress is not None:
                self._progress(self._shown, self._total)

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise StoreError(
                f"Processes of this import died {self._deaths} times.",
                "See whether the machine has memory left, or give --jobs 1.",
            )


def _leave_out(job: ShardJob, held: int) -> ShardJob:
    """Returns a shard without the document that a process held when it died.

    Raises:
        StoreError: it held none.
    """
    if not 0 < held <= len(job.slices):
        raise StoreError(
            "A process of this import died before it read or after it had read its files.",
            "See whether the machine has memory left, or give --jobs 1.",
        )
    deadly: Slice = job.slices[held - 1]
    slices = [*job.slices[: held - 1], *job.slices[held:]]
    return msgspec.structs.replace(job, slices=slices, deadly=(*job.deadly, deadly))
