"""The explorer as a web application: routes to pages, and what every answer carries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
from anyio import sleep
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Lifespan

from commonground.errors import CommongroundError
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.pages.figures import build_figures_so_far
from commonground.explorer.rendering.environment import render_page
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.sections import find_sections
from commonground.explorer.server import endpoints
from commonground.explorer.server.answering import LINKS, corpora_of, corpus_of, make_shell
from commonground.explorer.server.problems import explain_bug, explain_error, explain_http
from commonground.explorer.server.querying import QueryPool
from commonground.explorer.web.guard import Guard, Rules
from commonground.explorer.web.headers import AddHeaders, compress, page_headers

HEADERS = {
    **page_headers(),
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

_UNLINKED = frozenset({"/sql", "/sql.json"})
"""Addresses that hold a query, which takes as long as it says."""


LOOK_S = 0.2
"""Seconds between two looks whether figures are there."""

Endpoint = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]
"""Answers the requests of a route; one that is not awaited runs in a thread."""


def create_app(
    corpora: OpenCorpora,
    rules: Rules | None = None,
    *,
    drawer: FigureDrawer | None = None,
    queries: QueryPool | None = None,
    lifespan: Lifespan[Starlette] | None = None,
) -> ASGIApp:
    """Makes the application for some corpora.

    Args:
        rules: who may talk to it; None for everybody.
        drawer: draws figures meanwhile; None where pages of figures wait for them.
        queries: runs queries in SQL; None where those are run like pages.
        lifespan: what runs in the background while it is served; None for nothing.

    Raises:
        CommongroundError: the file of results cannot be read.
    """
    application = Starlette(
        routes=_routes(drawer),
        exception_handlers={
            CommongroundError: explain_error,
            HTTPException: explain_http,
            Exception: explain_bug,
        },
        lifespan=lifespan,
    )
    application.state.corpora = corpora
    application.state.results = ResultFiles.open(corpora.results) if corpora.results else None
    application.state.queries = queries
    if rules is not None:
        rules = msgspec.structs.replace(rules, unlinked=_UNLINKED)
    return compress(AddHeaders(Guard(application, rules) if rules else application, HEADERS))


def _routes(drawer: FigureDrawer | None) -> list[Route]:
    def drawn(endpoint: Callable[[Request], Response]) -> Endpoint:
        return endpoint if drawer is None else while_drawn(drawer, endpoint)

    both: list[tuple[str, str, Endpoint]] = [
        ("/", "/index.json", endpoints.show_corpora),
        ("/results", "/results.json", endpoints.show_results),
        ("/figures", "/figures.json", drawn(endpoints.show_comparisons)),
        ("/search", "/search.json", endpoints.show_search),
        ("/sql", "/sql.json", endpoints.show_sql),
        ("/{corpus}/", "/{corpus}/browse.json", endpoints.show_list),
        ("/{corpus}/chain", "/{corpus}/chain.json", endpoints.show_chain),
        ("/{corpus}/compare", "/{corpus}/compare.json", endpoints.show_compared),
        ("/{corpus}/d/{dialogue}", "/{corpus}/d/{dialogue}.json", endpoints.show_dialogue),
    ]
    for section in find_sections():
        path, show = f"/{{corpus}}/{section.name}", partial(endpoints.show_section, section)
        both.append((path, f"{path}.json", drawn(show) if section.draw else show))
    # Before the pages: `/{corpus}/d/{dialogue}` would take `17.json` for the id of a dialogue.
    twins = [Route(path, endpoint) for _, path, endpoint in both]
    pages = [Route(path, endpoint) for path, _, endpoint in both]
    return [
        Route("/static/figures.css", endpoints.send_figures_style),
        Route("/static/{name}", endpoints.send_static),
        Route("/{corpus}/view.css", endpoints.send_style),
        Route("/{corpus}/picture/{name}", endpoints.send_picture),
        Route("/{corpus}/d/{dialogue}/native.json", endpoints.send_native),
        Route("/notes", endpoints.show_notes),
        Route("/{corpus}/found", endpoints.send_found),
        Route("/{corpus}/figures/{figure}", drawn(endpoints.send_figure)),
        *twins,
        *pages,
        Route("/{corpus}", endpoints.go_to_list),
        Route("/{corpus}/{dialogue}", endpoints.go_to_dialogue),
    ]


def while_drawn(
    drawer: FigureDrawer, page: Callable[[Request], Response]
) -> Callable[[Request], Awaitable[Response]]:
    """Returns an endpoint that waits for the figures that are being drawn, or says so on a page.

    Args:
        drawer: draws them, of one corpus or those that compare all.
        page: the endpoint that needs all of them; it would count them once more.
    """

    async def answer(request: Request) -> Response:
        opened = corpus_of(request) if "corpus" in request.path_params else None
        while drawer.is_at_work(opened) if opened else drawer.is_comparing(corpora_of(request)):
            if request.url.path.endswith("/figures"):
                return await run_in_threadpool(_figures_so_far, request, opened)
            await sleep(LOOK_S)
        return await run_in_threadpool(page, request)

    return answer


def _figures_so_far(request: Request, opened: OpenCorpus | None) -> Response:
    page = build_figures_so_far(opened, LINKS) if opened is not None else None
    shell = make_shell(request, opened.name if opened else None)
    if page is None:
        title = opened.entry.manifest.title if opened else "All corpora"
        text = render_page("waiting.html", shell, title=title)
    else:
        # Cleaned by the process that drew them.
        charts = {name: Markup(svg) for name, svg in page.drawn.items()}  # noqa: S704
        text = render_page("figures.html", shell, page=page, charts=charts)
    return HTMLResponse(text, headers={"cache-control": "no-store"})
