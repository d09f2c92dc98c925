"""Queries in SQL while the explorer serves: in a process that can be ended.

DuckDB looks between its steps whether a query is to be stopped, and a single step such as
``repeat('x', 1000000000)`` takes half a minute. A thread cannot be stopped from outside; a process
can.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from markupsafe import Markup
from pebble import ProcessExpired, ProcessPool
from starlette.concurrency import run_in_threadpool

from commonground.engines.processes import end_with_parent, without_interrupts
from commonground.errors import StoreError
from commonground.explorer.corpora import CorporaPlan, OpenCorpora, Reloader
from commonground.explorer.pages.sql import (
    PROCESS_MEMORY,
    ROWS,
    SqlPage,
    build_sql_page,
    draw_sql,
    too_hungry,
)
from commonground.store.sql.limits import page_limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

GRACE_S = 1.0
"""Seconds after the limit in which DuckDB may still end a query itself, and keep its process."""

NICENESS = 5
"""How far the process gives way to those that make pages."""

SPENT = 500_000_000
"""Bytes of memory with which a process is not kept for the next query: most of them stay."""


class AnsweredQuery(msgspec.Struct, frozen=True):
    """What a query gives.

    Attributes:
        drawing: the table as a chart; None where none is asked for or can be drawn.
        memory: bytes that the process then holds; 0 where nobody looked.
    """

    page: SqlPage
    drawing: Markup | None
    memory: int = 0


def answer_query(corpora: OpenCorpora, query: str, chart: str) -> AnsweredQuery:
    """Runs a query, and draws what it gives.

    Args:
        query: in SQL; empty for none.
        chart: ``bar`` or ``line``; anything else means a table only.
    """
    page = build_sql_page(corpora, query, chart)
    return AnsweredQuery(page, draw_sql(page))


class QueryPool:
    """Runs queries in processes that are ended where one takes too much.

    Args:
        memory: bytes that each may use beside files it maps.
        spent: bytes of memory with which one is not kept for the next query.
        at_once: queries that run at the same time, each in a process; others wait for their turn.

    Raises:
        UsageError: the environment sets a limit that is none.
    """

    def __init__(
        self,
        plan: CorporaPlan,
        *,
        memory: int = PROCESS_MEMORY,
        spent: int = SPENT,
        at_once: int = 2,
    ) -> None:
        limits = page_limits(ROWS)
        self._too_slow = limits.too_slow
        self._seconds = limits.seconds + GRACE_S if limits.seconds else None
        self._begin_with = (plan, memory)
        self._spent = spent
        self._at_once = at_once
        self._pool: ProcessPool | None = None
        self._asked: set[Future[AnsweredQuery]] = set()
        self._closed = False
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Starts the processes, unless they run: the next query need not wait for that."""
        with self._lock, without_interrupts():
            if not self._closed:
                self._start()

    def _start(self) -> ProcessPool:
        # A pool starts its processes when it is first asked whether it is active.
        while self._pool is None or not self._pool.active:
            _end(self._pool)
            # A fork would copy this process's threads' locks, some of them held for ever.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPool(
                self._at_once, initializer=_begin, initargs=self._begin_with, context=context
            )
        return self._pool

    async def run(self, query: str, chart: str) -> AnsweredQuery:
        """Runs a query; how long the process takes to begin does not count.

        Args:
            chart: ``bar`` or ``line``; anything else means a table only.

        Raises:
            LimitError: it took too long, or too much memory.
            StoreError: the corpora cannot be opened, or the server is being ended.
        """
        try:
            answered = await asyncio.wrap_future(
                await run_in_threadpool(self._schedule, query, chart)
            )
        except TimeoutError as error:
            raise self._too_slow() from error
        # The second is what the pool says where its process is gone before it took the query.
        except (ProcessExpired, BrokenProcessPool, MemoryError) as error:
            raise (_shut_down() if self._closed else too_hungry()) from error
        if answered.memory > self._spent:
            self._replace()
        return answered

    def _schedule(self, query: str, chart: str) -> Future[AnsweredQuery]:
        with self._lock, without_interrupts():
            if self._closed:
                raise _shut_down()
            asked = self._start().schedule(_answer, (query, chart), timeout=self._seconds)
            self._asked.add(asked)
        asked.add_done_callback(self._asked.discard)
        return asked

    def _replace(self) -> None:
        """Has further queries run in other processes; those that wait for these still do."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
            threading.Thread(target=pool.join, daemon=True).start()

    def close(self) -> None:
        """Ends the processes, whatever they are at, and answers those who wait for them."""
        with self._lock:
            self._closed = True
            _end(self._pool)
        # A pool that was stopped says nothing of what it had not finished.
        for asked in list(self._asked):
            with suppress(InvalidStateError):  # it has come, or nobody waits any more
                asked.set_exception(_shut_down())


def _shut_down() -> StoreError:
    return StoreError("The server is shutting down.", "Start it again to run queries.")


def _end(pool: ProcessPool | None) -> None:
    if pool is not None:
        pool.stop()
        pool.join()


# What follows runs in the process.

_plan: CorporaPlan | None = None


def _begin(plan: CorporaPlan, memory: int) -> None:
    global _plan
    _plan = plan
    end_with_parent()
    # The pool would have Python tidy up, which it cannot while DuckDB is within a step.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    _limit_memory(memory)


@cache
def _open() -> Reloader:
    assert _plan is not None  # noqa: S101 - the process begins with it
    return Reloader(_plan())


def _answer(query: str, chart: str) -> AnsweredQuery:
    reloader = _open()
    reloader.look()
    answered = answer_query(reloader.corpora, query, chart)
    return msgspec.structs.replace(answered, memory=_weigh())


def _limit_memory(size: int) -> None:
    """Has whatever asks for more memory fail; without effect where the system cannot."""
    with suppress(OSError, ValueError):
        if resource is not None:
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (size, hard))


def _weigh() -> int:
    """Returns the bytes of memory that this process holds; 0 where the system does not say."""
    # Not the peak that ``getrusage`` knows: it begins with that of the process that started this.
    with suppress(OSError, ValueError, IndexError, AttributeError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0
