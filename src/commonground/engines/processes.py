"""Pools of processes whose end is sure, and what every process of one does first."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.context import BaseContext
from typing import Any

from commonground.errors import UsageError


def require_posix(what: str) -> None:
    """Refuses on Windows what takes signals or processes that it has not.

    ``what`` needs them, as the beginning of a sentence.

    Raises:
        UsageError: this is Windows.
    """
    if os.name == "nt":
        raise UsageError(f"{what} needs Linux or macOS.", "On Windows, run it in WSL.")


@contextmanager
def open_pool(
    workers: int,
    context: BaseContext,
    initializer: Callable[..., object],
    initargs: tuple[Any, ...] = (),
) -> Iterator[ProcessPoolExecutor]:
    """Gives a pool of processes; if the block ends by an error or Ctrl-C, they are killed."""
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=initializer, initargs=initargs
    )
    try:
        yield pool
    except BaseException:
        kill_pool(pool)
        raise
    pool.shutdown()


def kill_pool(pool: ProcessPoolExecutor) -> None:
    """Ends a pool at once, whatever its processes are at.

    One that dies in the middle of a message leaves the pool's thread waiting for the rest of it;
    for ever, since this process holds the other end of the pipe, too, and waits for the thread.
    """
    processes = list((pool._processes or {}).values())
    results: Any = pool._result_queue
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()
    with suppress(AttributeError, OSError):
        results._writer.close()


def end_with_parent() -> None:
    """Ends this process when the one that started it is gone, however that ended.

    A killed parent cannot tell its pool, and the pool's processes hold both ends of the queue that
    they wait at: without this they would wait for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        # Not ``sys.exit``, which in a thread ends that thread alone.
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Has processes and threads that this thread starts meanwhile never see Ctrl-C.

    It reaches every process of a terminal; the one that the user started ends the others. A process
    begins with the signals blocked that are blocked in the thread that starts it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Multiprocessing's tracker, started with the first process, would unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        # Else whatever this thread starts later could not be stopped by Ctrl-C either.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
