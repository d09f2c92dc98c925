"""The explorer as a web application: routes to pages, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from commonground.errors import CommongroundError
from commonground.explorer.corpora import CorporaPlan, OpenCorpora, Reloader
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.server.endpoints import (
    go_to_list,
    send_figure,
    send_figures_style,
    send_found,
    send_native,
    send_picture,
    send_static,
    send_style,
    show_chain,
    show_compared,
    show_comparisons,
    show_corpora,
    show_dialogue,
    show_figures,
    show_findings,
    show_list,
    show_notes,
    show_results,
    show_search,
    show_sql,
)
from commonground.explorer.server.problems import explain_bug, explain_error, explain_http
from commonground.explorer.server.querying import run_apart
from commonground.explorer.server.waiting import while_drawn
from commonground.explorer.web.bounded import BoundedWorkers
from commonground.explorer.web.dispatch import Dispatcher, Elsewhere, Endpoint
from commonground.explorer.web.guard import Guard, Rules
from commonground.explorer.web.headers import AddHeaders, compress, page_headers
from commonground.explorer.web.workers import Worker, WorkerPool

HEADERS = {
    **page_headers(),
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

_UNLINKED = frozenset({"/sql", "/sql.json"})
"""Addresses that hold a query, which takes as long as it says."""


def create_app(
    corpora: OpenCorpora,
    rules: Rules | None = None,
    *,
    workers: WorkerPool | None = None,
    in_threads: bool = True,
    drawer: FigureDrawer | None = None,
    queries: BoundedWorkers | None = None,
) -> ASGIApp:
    """Makes the application for some corpora.

    Args:
        corpora: those that it shows.
        rules: who may talk to it; None for everybody.
        workers: processes that make its pages; None where it makes them itself.
        in_threads: whether it makes them in threads, to answer other requests meanwhile.
        drawer: draws figures meanwhile; None where pages of figures wait for them.
        queries: processes that answer queries in SQL; None where those are run like pages.

    Raises:
        CommongroundError: the file of results cannot be read.
    """
    dispatcher = Dispatcher(lambda: corpora.by_name, workers, in_threads=in_threads)
    application = Starlette(
        routes=_routes(dispatcher, drawer, queries),
        exception_handlers={
            CommongroundError: explain_error,
            HTTPException: explain_http,
            Exception: explain_bug,
        },
    )
    application.state.corpora = corpora
    application.state.results = ResultFiles.open(corpora.results) if corpora.results else None
    if not in_threads:
        return application  # the process that listens adds the headers
    if rules is not None:
        rules = msgspec.structs.replace(rules, unlinked=_UNLINKED)
    # Outside: compressing writes into the headers, of which those that are kept are no copy.
    return compress(AddHeaders(Guard(application, rules) if rules else application, HEADERS))


def open_querying(plan: CorporaPlan) -> Worker:
    """Opens the corpora in a process of its own, to answer queries in SQL.

    Raises:
        StoreError: there is no store, or a corpus is gone.
    """
    corpora = OpenCorpora.from_plan(plan)
    reloader = Reloader(corpora)
    return Worker(create_app(corpora, in_threads=False), reloader.look)


def open_worker(plan: CorporaPlan) -> Worker:
    """Opens the corpora in a process of its own, to make pages for the one that listens.

    Raises:
        StoreError: there is no store, or a corpus is gone.
    """
    corpora = OpenCorpora.from_plan(plan)
    for each in corpora:
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            each.warm_up()
    reloader = Reloader(corpora)
    return Worker(create_app(corpora, in_threads=False), reloader.look)


def _routes(
    dispatcher: Dispatcher,
    drawer: FigureDrawer | None,
    queries: BoundedWorkers | None,
) -> list[Route]:
    """Lists what answers which address.

    Args:
        dispatcher: finds who makes a page.
        drawer: draws figures meanwhile; None where pages of figures wait for them.
        queries: answers queries in SQL; None where those are run like pages.
    """
    apart: dict[Endpoint, Elsewhere] = {}
    if queries is not None:
        apart[show_sql] = run_apart(queries)
    both: list[tuple[str, str, Callable[[Request], Response]]] = [
        ("/", "/index.json", show_corpora),
        ("/results", "/results.json", show_results),
        ("/figures", "/figures.json", show_comparisons),
        ("/search", "/search.json", show_search),
        ("/sql", "/sql.json", show_sql),
        ("/{corpus}/", "/{corpus}/browse.json", show_list),
        ("/{corpus}/findings", "/{corpus}/findings.json", show_findings),
        ("/{corpus}/figures", "/{corpus}/figures.json", show_figures),
        ("/{corpus}/chain", "/{corpus}/chain.json", show_chain),
        ("/{corpus}/compare", "/{corpus}/compare.json", show_compared),
        ("/{corpus}/d/{dialogue}", "/{corpus}/d/{dialogue}.json", show_dialogue),
    ]
    # The file of results may be written again at any time.
    made = [
        dispatcher.route(
            endpoint, keeps=endpoint is not show_results, elsewhere=apart.get(endpoint)
        )
        for _, _, endpoint in both
    ]
    figure: Callable[..., Any] = dispatcher.route(send_figure)
    if drawer is not None:
        figure = while_drawn(drawer, figure)
        made = [
            while_drawn(drawer, page) if endpoint in _OF_FIGURES else page
            for page, (_, _, endpoint) in zip(made, both, strict=True)
        ]
    # Before the pages: `/{corpus}/d/{dialogue}` would take `17.json` for the id of a dialogue.
    twins = [Route(path, page) for (_, path, _), page in zip(both, made, strict=True)]
    pages = [Route(path, page) for (path, _, _), page in zip(both, made, strict=True)]
    return [
        Route("/static/figures.css", send_figures_style),
        Route("/static/{name}", send_static),
        Route("/{corpus}/view.css", send_style),
        Route("/{corpus}/picture/{name}", send_picture),
        Route("/{corpus}/d/{dialogue}/native.json", send_native),
        Route("/notes", show_notes),
        Route("/{corpus}/found", dispatcher.route(send_found, keeps=False)),
        Route("/{corpus}/figures/{figure}", figure),
        *twins,
        *pages,
        Route("/{corpus}", go_to_list),
    ]


_OF_FIGURES: tuple[Endpoint, ...] = (show_figures, show_comparisons)
