"""What pages say while an index is made or figures are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.errors import StoreError
from commonground.site.corpora import OpenCorpus
from commonground.site.dialogue import DrawnDialogue, draw_stored
from commonground.site.kept_figures import FigureDrawer
from commonground.site.pages.figures import build_figures_so_far
from commonground.site.pages.parts.paging import near_pages
from commonground.site.pages.unindexed import build_unindexed_page
from commonground.site.rendering.environment import render_page
from commonground.site.server.answering import (
    LINKS,
    answer_json,
    corpus_of,
    indexing_of,
    make_shell,
    page_number,
    wants_json,
)
from commonground.site.server.endpoints import answer_dialogue, answer_native, results_of
from commonground.site.server.indexing import IndexMaker
from commonground.site.server.problems import answer_problem
from commonground.web.addresses import decode_id
from commonground.web.dispatch import Endpoint


def while_drawn(
    drawer: FigureDrawer, page: Callable[..., Any], indexes: IndexMaker | None
) -> Callable[..., Any]:
    """Returns an endpoint that says that figures are being drawn, until they are.

    Args:
        drawer: draws them.
        page: the endpoint that shows all of them.
        indexes: makes the indexes that figures are kept beside; None where all are there.
    """

    async def answer(request: Request) -> Response:
        opened = corpus_of(request)
        # They are kept beside the index, and drawn once that is there.
        waits = indexes is not None and indexes.is_at_work(opened.name)
        if not waits and not drawer.is_at_work(opened):
            answered: Response = await page(request)
            return answered
        return await run_in_threadpool(_figures_so_far, request, opened)

    return answer


def _figures_so_far(request: Request, opened: OpenCorpus) -> Response:
    # Where the index is still to be made, nothing can lie beside it.
    page = None if indexing_of(request) else build_figures_so_far(opened, LINKS)
    shell = make_shell(request, opened.name)
    if page is None:
        text = render_page("waiting.html", shell, title=opened.entry.manifest.title)
    else:
        # Cleaned by the process that drew them.
        charts = {name: Markup(svg) for name, svg in page.drawn.items()}  # noqa: S704
        text = render_page("figures.html", shell, page=page, charts=charts)
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def unless_indexed(
    indexes: IndexMaker, page: Callable[..., Any], instead: Endpoint | None
) -> Callable[..., Any]:
    """Returns an endpoint that does without an index until that is made.

    Args:
        indexes: makes it.
        page: the endpoint that needs it.
        instead: the one that does not; None where the page needs no index at all.
    """

    async def answer(request: Request) -> Response:
        name = request.path_params.get("corpus")
        waits = bool(indexes.steps()) if name is None else indexes.is_at_work(decode_id(name))
        if waits and instead is not None:
            return await run_in_threadpool(instead, request)
        answered: Response = await page(request)
        return answered

    return answer


def show_indexing(request: Request) -> Response:
    """Says how far the indexes are that are being made."""
    return answer_json(indexing_of(request))


def list_unindexed(request: Request) -> Response:
    """Lists dialogues as the tables have them, without search and order."""
    opened = corpus_of(request)
    if wants_json(request):
        advice = "Ask again in a moment: search and lists need it."
        error = StoreError(f"The index of {opened.name} is being made.", advice)
        return answer_problem(request, error, 503)
    query = request.query_params.get("q", "").strip()
    page = build_unindexed_page(opened, query=query, page=page_number(request))
    shell, near = make_shell(request, opened.name), near_pages(page.paging)
    text = render_page("unindexed.html", shell, page=page, near=near)
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def dialogue_unindexed(request: Request) -> Response:
    """Shows a dialogue that is read from the tables."""
    return answer_dialogue(request, _drawn_unindexed(request))


def native_unindexed(request: Request) -> Response:
    """Sends the records of a dialogue that is read from the tables."""
    return answer_native(request, _drawn_unindexed(request).page.native)


def _drawn_unindexed(request: Request) -> DrawnDialogue:
    return draw_stored(corpus_of(request).corpus, decode_id(request.path_params["dialogue"]))


def results_unindexed(request: Request) -> Response:
    """Asks to wait for the index, where there are results to be shown."""
    results_of(request)
    return wait_for_index(request)


def wait_for_index(request: Request) -> Response:
    """Asks to wait for the index, without which the page says nothing."""
    shell = make_shell(request)
    text = render_page("unindexed.html", shell, page=None, near=[])
    return HTMLResponse(text, headers={"cache-control": "no-store"})
