"""Who makes a page: nobody where it is kept, else the crew, else a thread of this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from commonground.site.keeping import KeptAnswers
from commonground.site.library import Library

THREADS = 3
"""Pages that one process makes at the same time."""

Endpoint = Callable[[Request], Response]
"""Makes a page."""


class PageMaker(Protocol):
    """What makes pages for the application; see :class:`commonground.site.crew.Crew`."""

    async def make(self, scope: Scope) -> Response | None:
        """Answers a request; null where it cannot."""
        ...


class Maker:
    """Has pages made: by the crew, or else in few threads, one after the other; keeps the last.

    Pages are nearly all computing: in many threads at once every one of them would be late.
    """

    def __init__(self, library: Library, crew: PageMaker | None, *, in_threads: bool) -> None:
        self._crew = crew
        self._limiter = CapacityLimiter(THREADS) if in_threads else None
        self._kept = KeptAnswers(library)

    def run(self, endpoint: Endpoint, *, keeps: bool = True) -> Callable[..., Any]:
        """Returns what answers the requests of a route.

        Args:
            endpoint: makes its page.
            keeps: whether the page stays as it is while the corpora do.
        """

        async def page(request: Request) -> Response:
            if self._limiter is None:
                return endpoint(request)
            kept = self._kept.get(request)
            if kept is not None:
                return kept
            made = await self._crew.make(request.scope) if self._crew else None
            if made is None:
                made = await run_sync(endpoint, request, limiter=self._limiter)
            if keeps:
                self._kept.put(request, made)
            return made

        return page
