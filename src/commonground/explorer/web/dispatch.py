"""Who answers a request: the cache, else a worker process, else a thread of this process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response

from commonground.explorer.web.workers import WorkerPool

MOST_BYTES = 64_000_000
"""Bytes of all responses that are kept together."""

SETTLE_S = 10.0
"""Seconds after new data in which worker processes may still answer from the old."""

THREADS = 3
"""Requests that one process answers at the same time."""

_OK = 200

Endpoint = Callable[[Request], Response]
"""Answers the requests of a route."""

Elsewhere = Callable[[Request], Awaitable[Response | None]]
"""Has a request answered in a way of its own; None where it is to be answered like others."""

Version = Callable[[], object]
"""Gives an object that is another one as soon as there are new data to show."""


class ResponseCache:
    """The last responses of an application, so that the way back costs nothing.

    Args:
        version: tells new data from old; responses made of old ones are dropped.
        most_bytes: size of all bodies that are kept.
    """

    def __init__(self, version: Version, most_bytes: int = MOST_BYTES) -> None:
        self._version = version
        self._most_bytes = most_bytes
        self._seen = version()
        self._kept: OrderedDict[tuple[str, ...], Response] = OrderedDict()
        self._size = 0
        self._keeps_from = time.monotonic()

    def get(self, request: Request) -> Response | None:
        """Returns the response that a request got before; None where none is kept."""
        # By identity: whoever has new data makes a new object, and to compare them would cost.
        if self._version() is not self._seen:
            self._seen = self._version()
            self._kept.clear()
            self._size = 0
            self._keeps_from = time.monotonic() + SETTLE_S
        key = _key(request)
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, request: Request, response: Response) -> None:
        """Keeps a response, unless it says that something is wrong, or may be made of old data."""
        key = _key(request)
        # Asked again: the data may have changed while the response was made.
        is_new = self._version() is self._seen and time.monotonic() >= self._keeps_from
        if response.status_code != _OK or key in self._kept or not is_new:
            return
        self._kept[key] = response
        self._size += len(response.body)
        while self._size > self._most_bytes:
            self._size -= len(self._kept.popitem(last=False)[1].body)


def _key(request: Request) -> tuple[str, ...]:
    return request.method, request.url.path, request.url.query


class Dispatcher:
    """Gives requests to whoever can answer them soonest.

    Pages are nearly all computing: in many threads at once every one of them would be late, so
    only few are made at a time and the others wait.

    Args:
        version: tells new data from old.
        workers: processes that answer; None for none.
        in_threads: whether this process answers in threads, to take further requests meanwhile;
            a worker process has one request at a time, and answers it at once.
    """

    def __init__(
        self, version: Version, workers: WorkerPool | None = None, *, in_threads: bool = True
    ) -> None:
        self._workers = workers
        self._limiter = CapacityLimiter(THREADS) if in_threads else None
        self._cache = ResponseCache(version)

    def route(
        self, endpoint: Endpoint, *, keeps: bool = True, elsewhere: Elsewhere | None = None
    ) -> Callable[..., Any]:
        """Returns what Starlette calls for the requests of a route.

        Args:
            endpoint: answers them.
            keeps: whether answers stay the same while the data do.
            elsewhere: is asked first, where no answer is kept; None for nobody.
        """

        async def answer(request: Request) -> Response:
            if self._limiter is None:
                return endpoint(request)
            # Before any process or thread is asked: this costs microseconds, and they cost
            # milliseconds.
            kept = self._cache.get(request)
            if kept is not None:
                return kept
            made = await elsewhere(request) if elsewhere else None
            if made is None and self._workers:
                made = await self._workers.answer(request.scope)
            if made is None:
                made = await run_sync(endpoint, request, limiter=self._limiter)
            if keeps:
                self._cache.put(request, made)
            return made

        return answer
