"""Pages made by several processes, so that readers need not wait for each other.

Making a page is computing, and one Python process computes on one core. The process that listens
hands each request to whichever of the crew is free, and makes the pages itself until the crew is
ready.
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
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, wait
from contextlib import suppress
from multiprocessing import resource_tracker
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Scope

from commonground.errors import CommongroundError
from commonground.processes import end_with_parent
from commonground.site.app import create_app
from commonground.site.library import Library, LibraryPlan
from commonground.site.renewing import Renewer
from commonground.visible import make_visible

MOST_WORKERS = 4
"""Processes that are started where nobody says how many."""

THRESHOLD = 50_000
"""Objects made before Python looks for cycles by itself; it is made to after each page."""


class Asked(msgspec.Struct, frozen=True):
    """What a page is made of: all of a request that it depends on."""

    method: str
    path: str
    raw_path: bytes
    query: bytes


class Made(msgspec.Struct, frozen=True):
    """An answer, on its way between processes."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def as_response(self) -> Response:
        """Returns it as Starlette sends it."""
        response = Response(self.body, self.status)
        response.raw_headers = self.headers
        return response


def count_workers() -> int:
    """Returns how many processes fit this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


class Crew:
    """Processes that make pages.

    Args:
        plan: how each of them opens the corpora.
        workers: how many there are.
    """

    def __init__(self, plan: LibraryPlan, workers: int) -> None:
        self._plan = plan
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def start(self) -> None:
        """Starts the processes, and returns when they are ready."""
        # Ctrl-C reaches every process of a terminal; the one that listens ends the others. A
        # thread's mask is what a process started by it begins with.
        if hasattr(signal, "pthread_sigmask"):
            # Multiprocessing's tracker, started with the first process, would take the mask away.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            self._workers, mp_context=context, initializer=_begin, initargs=(self._plan,)
        )
        wait([pool.submit(_is_ready) for _ in range(self._workers)])
        self._pool = pool

    async def make(self, scope: Scope) -> Response | None:
        """Answers a request; null while the crew is not ready, or if it broke down."""
        pool = self._pool
        if pool is None:
            return None
        asked = Asked(scope["method"], scope["path"], scope["raw_path"], scope["query_string"])
        try:
            made = await asyncio.get_running_loop().run_in_executor(pool, make_page, asked)
        except (BrokenExecutor, RuntimeError):
            # One was ended from outside, or all are being ended.
            if self._pool is pool:
                self._pool = None
                threading.Thread(target=self.start, daemon=True).start()
            return None
        return made.as_response()

    def close(self) -> None:
        """Ends the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


class _Worker:
    """What a process of the crew keeps."""

    def __init__(self, app: ASGIApp, renewer: Renewer) -> None:
        self.app = app
        self.renewer = renewer
        self.loop = asyncio.new_event_loop()


_worker: _Worker | None = None


def _begin(plan: LibraryPlan) -> None:
    global _worker
    end_with_parent()
    library = Library.from_plan(plan)
    for shelf in library.shelves.values():
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            shelf.warm_up()
    _worker = _Worker(create_app(library, in_threads=False), Renewer(library, makes=False))
    gc.freeze()
    gc.set_threshold(THRESHOLD)
    # There is nothing to be tidied up but open files, and DuckDB would complain of what is frozen.
    atexit.register(os._exit, 0)


def _is_ready() -> bool:
    return _worker is not None


def make_page(asked: Asked) -> Made:
    """Answers a request in a process of the crew."""
    assert _worker is not None  # noqa: S101 - the pool starts with it
    _worker.renewer.look()
    made = _worker.loop.run_until_complete(answer(_worker.app, asked))
    # The templates of a page are a cycle that holds all it was made of. What is given back at
    # once is quickly used again; what waits for many pages makes one reader wait for all of it.
    gc.collect(0)
    return made


async def answer(app: ASGIApp, asked: Asked) -> Made:
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
        await app(_scope_of(asked), receive, send)
    except Exception:  # the page that says so is made already
        sys.stderr.write(make_visible(traceback.format_exc()))
    return Made(status, headers, bytes(body))


def _scope_of(asked: Asked) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": asked.path,
        "raw_path": asked.raw_path,
        "query_string": asked.query,
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1")],
        "client": None,
        "server": ("127.0.0.1", 80),
    }
