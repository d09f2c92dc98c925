"""Answers that were given lately, kept so that the way back costs nothing."""

from __future__ import annotations

import time
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import Response

from commonground.site.library import Library

MOST_BYTES = 64_000_000
"""Bytes of all answers that are kept together."""

SETTLE_S = 10.0
"""Seconds in which processes may still answer from the import before."""

_OK = 200


class KeptAnswers:
    """The last answers of an application, until one of its corpora is put in place anew.

    Args:
        library: the corpora.
        most: bytes that are kept.
    """

    def __init__(self, library: Library, most: int = MOST_BYTES) -> None:
        self._library = library
        self._most = most
        self._shelves = library.shelves
        self._kept: OrderedDict[tuple[str, ...], Response] = OrderedDict()
        self._size = 0
        self._keeps_from = time.monotonic()

    def get(self, request: Request) -> Response | None:
        """Returns the answer that a request got before; null where none is kept."""
        if self._library.shelves is not self._shelves:
            self._shelves = self._library.shelves
            self._kept.clear()
            self._size = 0
            self._keeps_from = time.monotonic() + SETTLE_S
        key = _key(request)
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, request: Request, answer: Response) -> None:
        """Keeps an answer, unless it says that something is wrong."""
        key = _key(request)
        is_new = self._library.shelves is self._shelves and time.monotonic() >= self._keeps_from
        if answer.status_code != _OK or key in self._kept or not is_new:
            return
        self._kept[key] = answer
        self._size += len(answer.body)
        while self._size > self._most:
            self._size -= len(self._kept.popitem(last=False)[1].body)


def _key(request: Request) -> tuple[str, ...]:
    return request.method, request.url.path, request.url.query
