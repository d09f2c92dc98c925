"""Serving the explorer: its pages, and what goes on behind them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from commonground.errors import CommongroundError, StoreError
from commonground.explorer.corpora import OpenCorpora, Reloader
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.pages.figures import make_drawer
from commonground.explorer.server.app import create_app, open_querying, open_worker
from commonground.explorer.server.querying import make_querying
from commonground.explorer.web.listening import (
    Serving,
    exit_on_sigterm,
    listen,
    make_server,
    rules_of,
)
from commonground.explorer.web.workers import GC_THRESHOLD, WorkerPool

ENDING_S = 5.0
"""Seconds that the end of serving waits for what goes on behind."""


def serve(
    corpora: OpenCorpora,
    serving: Serving,
    ready: Callable[[str], None],
    *,
    workers: int = 1,
) -> None:
    """Serves until stopped.

    Args:
        corpora: those that are shown.
        serving: where.
        ready: told the address once the server listens.
        workers: processes that make pages; with 1 the one that listens makes them.

    Raises:
        CommongroundError: the address is taken, or the file of results cannot be read.
    """
    pool = WorkerPool(partial(open_worker, corpora.plan()), workers) if workers > 1 else None
    drawer = make_drawer(corpora)
    queries = make_querying(partial(open_querying, corpora.plan()))
    application = create_app(
        corpora,
        rules_of(serving),
        workers=pool,
        drawer=drawer,
        queries=queries,
    )
    # Before anything is started that would have to be ended where the address is taken.
    listener = listen(serving)
    port = listener.getsockname()[1]
    ended = threading.Event()
    arguments = (corpora, pool, drawer, ended)
    behind = threading.Thread(target=_get_ready, args=arguments, daemon=True)
    exit_on_sigterm()
    try:
        ready(msgspec.structs.replace(serving, port=port).address)
        behind.start()
        make_server(application).run(sockets=[listener])
    finally:
        ended.set()
        queries.close()
        drawer.close()
        if pool is not None:
            pool.close()
        if behind.ident is not None:
            behind.join(ENDING_S)
        gc.unfreeze()  # or DuckDB complains at the end of what was never let go


def _get_ready(
    corpora: OpenCorpora,
    pool: WorkerPool | None,
    drawer: FigureDrawer,
    ended: threading.Event,
) -> None:
    """Opens what pages need, makes what is missing, starts workers, and watches for imports.

    Args:
        corpora: those that are shown.
        pool: the workers; None where there are none.
        drawer: draws figures before they are asked for.
        ended: set when serving ends.
    """
    for each in corpora:
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            each.warm_up()
    if ended.is_set():
        return
    gc.freeze()  # what is open stays open, and need not be looked through again and again
    gc.set_threshold(GC_THRESHOLD)
    reloader = Reloader(corpora)
    if pool is not None and not ended.is_set():
        pool.start()
    if not ended.is_set():
        drawer.start(corpora)
    reloader.watch(ended)


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
