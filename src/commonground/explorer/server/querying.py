"""Queries in SQL while the explorer serves: each in a process that can be ended.

DuckDB looks between its steps whether a query is to be stopped, and a single step such as
``repeat('x', 1000000000)`` takes half a minute.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from commonground.explorer.pages.sql import PROCESS_MEMORY, ROWS, too_hungry
from commonground.explorer.server.endpoints import show_sql, sql_of
from commonground.explorer.web.bounded import BoundedWorkers, EndedError
from commonground.explorer.web.dispatch import Elsewhere
from commonground.explorer.web.workers import Worker
from commonground.store.sql.limits import page_limits

GRACE_S = 1.0
"""Seconds behind the limit in which DuckDB may still end a query itself, and keep its process."""


def make_querying(open_worker: Callable[[], Worker]) -> BoundedWorkers:
    """Makes what answers queries; it starts no process yet.

    Args:
        open_worker: opens the corpora in each process.

    Raises:
        UsageError: the environment sets a limit that is none.
    """
    seconds = page_limits(ROWS).seconds
    return BoundedWorkers(
        open_worker,
        seconds=seconds + GRACE_S if seconds else None,
        memory=PROCESS_MEMORY,
    )


def run_apart(queries: BoundedWorkers) -> Elsewhere:
    """Returns what has a query answered in a process of its own, and says where that was ended."""

    async def answer(request: Request) -> Response | None:
        if not sql_of(request):
            # Whoever opens the page asks something soon.
            await run_in_threadpool(queries.prepare)
            return None
        try:
            return await queries.answer(request.scope)
        except EndedError as ended:
            error = page_limits(ROWS).too_slow() if ended.is_late else too_hungry()
            return await run_in_threadpool(show_sql, request, error)

    return answer
