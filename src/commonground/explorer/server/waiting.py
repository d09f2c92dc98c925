"""What pages of figures say while figures are drawn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from anyio import sleep
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.pages.figures import build_figures_so_far
from commonground.explorer.rendering.environment import render_page
from commonground.explorer.server.answering import LINKS, corpora_of, corpus_of, make_shell

LOOK_S = 0.2
"""Seconds between two looks whether figures are there."""


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
