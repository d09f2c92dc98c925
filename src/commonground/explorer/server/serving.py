"""Serving the explorer: its pages, and what runs in the background."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec
from anyio.to_thread import current_default_thread_limiter, run_sync
from starlette.applications import Starlette
from starlette.types import ASGIApp
from uvicorn.config import STARTUP_FAILURE

from commonground.engines.processes import end_with_parent
from commonground.errors import CommongroundError, StoreError
from commonground.explorer.corpora import GC_THRESHOLD, CorporaPlan, OpenCorpora, Reloader
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.pages.figures import make_drawer
from commonground.explorer.pages.sql import ROWS
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.server.app import create_app
from commonground.explorer.server.querying import QueryPool
from commonground.explorer.web.guard import Rules
from commonground.explorer.web.listening import (
    Serving,
    exit_on_sigterm,
    listen,
    rules_of,
    run_server,
)
from commonground.store.sql.limits import page_limits

ENDING_S = 60.0
"""Seconds that the end of serving waits for what runs in the background: a thread that is still at
work while Python ends has DuckDB complain. It works on as long as it takes to open one corpus."""

THREADS = 3
"""Pages that one process makes at the same time. They are nearly all computing: in many threads at
once every one of them would be late, so the others wait."""


def serve(
    corpora: OpenCorpora,
    serving: Serving,
    ready: Callable[[str], None],
    *,
    workers: int = 1,
) -> None:
    """Serves until stopped.

    Each process opens the corpora, makes pages, and has a process for queries in SQL.

    Args:
        ready: told the address once the server listens.
        workers: processes that make pages; with 1 this one does.

    Raises:
        CommongroundError: the address is taken, the file of results cannot be read, or the
            environment sets a limit that is none.
    """
    # What every process would fail at is said before one is started.
    ResultFiles.open(corpora.results)
    page_limits(ROWS)
    drawer = make_drawer(corpora)
    background = threading.Thread(target=drawer.start, args=(corpora,), daemon=True)
    with listen(serving) as listener:
        address = msgspec.structs.replace(serving, port=listener.getsockname()[1]).address
        exit_on_sigterm()
        try:
            run_server(
                partial(open_app, corpora.plan(), rules_of(serving)),
                listener,
                partial(ready, address),
                workers=workers,
                background=background.start,
            )
        finally:
            drawer.close()
            if background.ident is not None:
                background.join(ENDING_S)


def open_app(plan: CorporaPlan, rules: Rules | None = None) -> ASGIApp:
    """Opens corpora in a process that makes pages of them.

    Args:
        rules: who may talk to the application; None for everybody.
    """
    end_with_parent()
    try:
        corpora = plan()
        drawer, queries = make_drawer(corpora), QueryPool(plan)
        lifespan = partial(_live, corpora, drawer, queries)
        return create_app(corpora, rules, drawer=drawer, queries=queries, lifespan=lifespan)
    except CommongroundError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(STARTUP_FAILURE)


@asynccontextmanager
async def _live(
    corpora: OpenCorpora, drawer: FigureDrawer, queries: QueryPool, _app: Starlette
) -> AsyncIterator[None]:
    """Opens what pages need and watches for imports, as long as an application is served."""
    current_default_thread_limiter().total_tokens = THREADS
    ended = threading.Event()
    background = threading.Thread(target=_get_ready, args=(corpora, ended), daemon=True)
    background.start()
    try:
        yield
    finally:
        ended.set()
        queries.close()
        drawer.close()
        await run_sync(background.join, ENDING_S)
        gc.unfreeze()  # or DuckDB complains at the end of what was never let go


def _get_ready(corpora: OpenCorpora, ended: threading.Event) -> None:
    """Opens what the first pages need, then watches for imports."""
    for each in corpora:
        if ended.is_set():
            return
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            each.warm_up()
    if not ended.is_set():
        gc.freeze()  # what is open stays open, and need not be looked through again and again
        gc.set_threshold(GC_THRESHOLD)
        Reloader(corpora).watch(ended)


def parse_images(given: tuple[str, ...]) -> dict[str, Path]:
    """Reads ``CORPUS=FOLDER`` options.

    Raises:
        StoreError: one is not of that form, or its folder is not there.
    """
    folders = {}
    for each in given:
        corpus, equals, folder = each.partition("=")
        if not equals or not Path(folder).is_dir():
            advice = "Write --images CORPUS=FOLDER, with a folder that is there."
            raise StoreError(f"{each!r} names no image folder of a corpus.", advice)
        folders[corpus] = Path(folder)
    return folders
