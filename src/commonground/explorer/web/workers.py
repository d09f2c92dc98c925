"""Requests answered by several processes, so that readers need not wait for each other.

Making a page is computing, and one Python process computes on one core. The process that listens
hands each request to whichever worker is free, and answers itself until the workers are ready.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Scope

from commonground.engines.processes import end_with_parent, kill_pool
from commonground.printing import make_visible

MOST_WORKERS = 4
"""Processes that are started where nobody says how many."""

GC_THRESHOLD = 50_000
"""Objects made before Python looks for cycles by itself; it is made to after each page."""


class PlainRequest(msgspec.Struct, frozen=True):
    """All of a request that a page depends on, on its way to another process.

    Attributes:
        method: in capitals.
        path: decoded.
        raw_path: as sent, percent signs and all.
        query: what stands behind the question mark, as sent.
    """

    method: str
    path: str
    raw_path: bytes
    query: bytes

    @classmethod
    def of(cls, scope: Scope) -> PlainRequest:
        """Takes what a page depends on from a request."""
        return cls(scope["method"], scope["path"], scope["raw_path"], scope["query_string"])


class PlainResponse(msgspec.Struct, frozen=True):
    """An answer, on its way back.

    Attributes:
        status: of HTTP.
        headers: names in lower case, in order.
        body: as sent, compressed or not.
    """

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def as_response(self) -> Response:
        """Returns it as Starlette sends it."""
        response = Response(self.body, self.status)
        response.raw_headers = self.headers
        return response


class Worker(msgspec.Struct, frozen=True):
    """What a worker process answers with.

    Attributes:
        app: the application.
        refresh: looks for new data; called before each request, so it must be quick.
    """

    app: ASGIApp
    refresh: Callable[[], None]


def count_workers() -> int:
    """Returns how many processes fit this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


class WorkerPool:
    """Processes that answer requests.

    Args:
        open_worker: opens the application in each process; pickled, so a function of a module or
            a ``partial`` of one.
        workers: how many processes there are.
    """

    def __init__(self, open_worker: Callable[[], Worker], workers: int) -> None:
        self._open_worker = open_worker
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._starting: ProcessPoolExecutor | None = None
        self._closed = False
        # A process that is ended while this one still hands it its work complains of that.
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the processes, and returns when they are ready, or the pool was closed."""
        # A fork would copy this process's threads' locks, some of them held for ever.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            self._workers, mp_context=context, initializer=_begin, initargs=(self._open_worker,)
        )
        with self._lock, without_interrupts():
            if self._closed:
                return
            self._starting = pool
            # The executor starts a process for each waiting task, so as many tasks start them all.
            ready = [pool.submit(_is_ready) for _ in range(self._workers)]
        wait(ready)
        with self._lock:
            self._pool, self._starting = None if self._closed else pool, None

    async def answer(self, scope: Scope) -> Response | None:
        """Answers a request; None while the workers are not ready, or if they broke down."""
        pool = self._pool
        if pool is None:
            return None
        request = PlainRequest.of(scope)
        try:
            made = await asyncio.get_running_loop().run_in_executor(pool, _answer, request)
        except (BrokenExecutor, RuntimeError):
            # One was ended from outside, or all are being ended.
            if self._pool is pool:
                self._pool = None
                threading.Thread(target=self.start, daemon=True).start()
            return None
        return made.as_response()

    def close(self) -> None:
        """Ends the processes when they have answered what they are at; what waits is dropped."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
            if self._starting is not None:
                kill_pool(self._starting)
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Has processes that this thread starts meanwhile never see Ctrl-C.

    It reaches every process of a terminal; the one that listens ends the others. A process begins
    with the mask of the thread that starts it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Multiprocessing's tracker, started with the first process, would take the mask away.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        # Else whatever this thread starts later could not be stopped by Ctrl-C either.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# What follows runs in the worker processes.

_worker: Worker | None = None
_loop: asyncio.AbstractEventLoop | None = None


def _begin(open_worker: Callable[[], Worker]) -> None:
    global _worker, _loop
    end_with_parent()
    _worker = open_worker()
    _loop = asyncio.new_event_loop()
    # What is open stays open, and need not be looked through again and again.
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    # There is nothing to be tidied up but open files, and DuckDB would complain of what is frozen.
    atexit.register(os._exit, 0)


def _is_ready() -> bool:
    return _worker is not None


def _answer(request: PlainRequest) -> PlainResponse:
    assert _worker is not None  # noqa: S101 - the pool starts with it
    assert _loop is not None  # noqa: S101 - as well
    _worker.refresh()
    made = _loop.run_until_complete(run_app(_worker.app, request))
    # The templates of a page are a cycle that holds all it was made of. What is given back at
    # once is quickly used again; what waits for many pages makes one reader wait for all of it.
    gc.collect(0)
    return made


async def run_app(app: ASGIApp, request: PlainRequest) -> PlainResponse:
    """Runs an application on one request."""
    status, headers, body = 500, [], bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, headers
        if message["type"] == "http.response.start":
            status, headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            body.extend(message.get("body", b""))

    try:
        await app(_scope_of(request), receive, send)
    except Exception:  # the page that says so is made already
        sys.stderr.write(make_visible(traceback.format_exc()))
    return PlainResponse(status, headers, bytes(body))


def _scope_of(request: PlainRequest) -> dict[str, Any]:
    # The guard let the request in before it came here, so its own host and client do not matter.
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": request.raw_path,
        "query_string": request.query,
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1")],
        "client": None,
        "server": ("127.0.0.1", 80),
    }
