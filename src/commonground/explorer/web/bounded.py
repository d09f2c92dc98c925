"""Requests that may take any time and memory, answered by processes that can be ended.

A thread cannot be stopped from outside, and what computes in C looks seldom or never whether it
should stop. So each such request has a process for itself while it is answered, and that is killed
when its time is over; other requests have other processes, and need not wait.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.responses import Response
from starlette.types import Scope

from commonground.engines.processes import end_with_parent
from commonground.errors import CommongroundError
from commonground.explorer.web.workers import (
    PlainRequest,
    PlainResponse,
    Worker,
    run_app,
    without_interrupts,
)

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

NICENESS = 5
"""How far these processes stand back behind those of other pages."""

SPENT = 500_000_000
"""Bytes of memory with which a process is not kept for the next request: most of them stay."""

START_S = 60.0
"""Seconds that a process may take until it can answer."""


class EndedError(Exception):
    """A process ended before it answered.

    Attributes:
        is_late: whether its time was over; else it ended by itself, mostly for want of memory.
    """

    def __init__(self, *, is_late: bool) -> None:
        super().__init__("late" if is_late else "ended")
        self.is_late = is_late


class BoundedWorkers:
    """Processes that answer requests, each within bounds.

    Args:
        open_worker: opens the application in each process; pickled, so a function of a module or
            a ``partial`` of one.
        seconds: how long an answer may take; None for ever.
        memory: bytes that a process may use beside files it maps; None for any number.
        spent: bytes of memory with which a process is not kept for the next request.
        most: requests that are answered at the same time; others wait for their turn.
    """

    def __init__(
        self,
        open_worker: Callable[[], Worker],
        *,
        seconds: float | None,
        memory: int | None = None,
        spent: int = SPENT,
        most: int = 2,
    ) -> None:
        self._open_worker = open_worker
        self._seconds = seconds
        self._memory = memory
        self._spent = spent
        self._limiter = CapacityLimiter(most)
        self._idle: _Process | None = None
        self._all: set[_Process] = set()
        self._closed = False
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Starts a process, unless there is one: the next request need not wait for that."""
        with self._lock:
            if not self._all and not self._closed:
                self._idle = self._start()

    async def answer(self, scope: Scope) -> Response:
        """Answers a request.

        Raises:
            CommongroundError: the application cannot be opened.
            EndedError: it took too long, or too much memory.
        """
        request = PlainRequest.of(scope)
        made = await run_sync(self._answer, request, limiter=self._limiter)
        return made.as_response()

    def _answer(self, request: PlainRequest) -> PlainResponse:
        with self._lock:
            if self._closed:
                raise EndedError(is_late=False)
            process, self._idle = self._idle or self._start(), None
        is_kept = False
        try:
            made, is_spent = process.ask(request, self._seconds)
            is_kept = not is_spent
        finally:
            with self._lock:
                # One is enough to wait for the next request.
                if is_kept and self._idle is None and not self._closed:
                    self._idle = process
                else:
                    process.kill()
                    self._all.discard(process)
        return made

    def _start(self) -> _Process:
        process = _Process(self._open_worker, self._memory, self._spent)
        self._all.add(process)
        return process

    def close(self) -> None:
        """Ends all processes, whatever they are at."""
        with self._lock:
            self._closed = True
            for process in self._all:
                process.kill()


class _Process:
    """A process that answers one request after the other.

    Args:
        open_worker: opens the application in it.
        memory: bytes that it may use; None for any number.
        spent: bytes with which it is not kept.
    """

    def __init__(self, open_worker: Callable[[], Worker], memory: int | None, spent: int) -> None:
        # A fork would copy this process's threads' locks, some of them held for ever.
        context = multiprocessing.get_context("spawn")
        self._pipe, other_end = context.Pipe()
        self._is_ready = False
        self._process = context.Process(
            target=_serve, args=(other_end, open_worker, memory, spent), daemon=True
        )
        with without_interrupts():
            self._process.start()
        other_end.close()  # so that this end reads of the process's end

    def ask(self, request: PlainRequest, seconds: float | None) -> tuple[PlainResponse, bool]:
        """Has a request answered; how long the process takes to begin does not count.

        Args:
            request: the request.
            seconds: how long the answer may take; None for ever.

        Returns:
            the answer, and whether the process now holds too much memory to be kept.

        Raises:
            CommongroundError: the application cannot be opened.
            EndedError: it took too long, or the process is gone.
        """
        if not self._is_ready:
            opened = self._hear(START_S)
            if isinstance(opened, CommongroundError):
                raise opened
            self._is_ready = True
        try:
            self._pipe.send(request)
        except OSError as error:
            raise EndedError(is_late=False) from error
        made: tuple[PlainResponse, bool] = self._hear(seconds)
        return made

    def _hear(self, seconds: float | None) -> Any:
        try:
            if not self._pipe.poll(seconds):
                raise EndedError(is_late=True)
            return self._pipe.recv()
        except (EOFError, OSError) as error:
            raise EndedError(is_late=False) from error

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


# What follows runs in the processes.


def _serve(
    pipe: Connection, open_worker: Callable[[], Worker], memory: int | None, spent: int
) -> None:
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        worker = open_worker()
    except CommongroundError as error:
        pipe.send(error)
        return
    if memory is not None:
        _limit_memory(memory)
    loop = asyncio.new_event_loop()
    pipe.send(None)
    with suppress(EOFError):
        while True:
            request = pipe.recv()
            worker.refresh()
            pipe.send((loop.run_until_complete(run_app(worker.app, request)), _weigh() > spent))
    os._exit(0)  # there is nothing to be tidied up, and DuckDB's threads need not be waited for


def _limit_memory(size: int) -> None:
    """Has whatever asks for more memory fail; without effect where the system cannot."""
    with suppress(OSError, ValueError):
        if resource is not None:
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (size, hard))


def _weigh() -> int:
    """Returns the bytes of memory that this process holds; 0 where the system does not say."""
    # Not the peak that ``getrusage`` knows: it begins with that of the process that started this.
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0
