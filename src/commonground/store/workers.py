"""Maps shards over processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

from commonground.store.arrow import forgo_pandas
from commonground.store.planning import ShardJob
from commonground.store.shards import ShardReport, import_shard

Progress = Callable[[int, int], None]
"""Told now and then how many native bytes are done, and how many there are."""


def run_shards(
    plan: list[ShardJob], context: Any, jobs: int, total: int, progress: Progress | None
) -> list[ShardReport]:
    """Imports every shard, in ``jobs`` processes or in this one, and returns their reports.

    Args:
        plan: the shards.
        context: what the corpus prepared from its side files.
        jobs: number of processes.
        total: native bytes of all shards.
        progress: told how far it is.

    Raises:
        OSError: part files cannot be written.
    """
    if jobs == 1 or len(plan) == 1:
        done = 0

        def step(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, total)

        return [import_shard(job, context, step) for job in plan]
    return _run_processes(plan, context, jobs, total, progress)


_worker_context: Any = None
_worker_done: Any = None


def _start_worker(context: Any, done: Any) -> None:
    global _worker_context, _worker_done
    _worker_context, _worker_done = context, done
    # Ctrl-C reaches every process of a terminal; this one has nothing to say or to tidy up then.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    forgo_pandas()


def _work(job: ShardJob) -> ShardReport:
    def step(count: int) -> None:
        with _worker_done.get_lock():
            _worker_done.value += count

    return import_shard(job, _worker_context, step)


def _processes() -> Any:
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    return multiprocessing.get_context(method)


def run_alone(task: Callable[[Path], int], folder: Path) -> int:
    """Runs a task in a process of its own, where pyarrow need not look for pandas."""
    with ProcessPoolExecutor(1, mp_context=_processes(), initializer=forgo_pandas) as pool:
        return pool.submit(task, folder).result()


def _run_processes(
    plan: list[ShardJob], context: Any, jobs: int, total: int, progress: Progress | None
) -> list[ShardReport]:
    processes = _processes()
    done = processes.Value("q", 0)
    with ProcessPoolExecutor(
        jobs, mp_context=processes, initializer=_start_worker, initargs=(context, done)
    ) as pool:
        futures: list[Future[ShardReport]] = [pool.submit(_work, job) for job in plan]
        waiting = set(futures)
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=0.1, return_when="FIRST_EXCEPTION")
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(done.value, total)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]
