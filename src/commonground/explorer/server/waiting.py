"""What pages say while an index is made or figures are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from anyio import sleep
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.errors import StoreError
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.dialogue import DrawnDialogue, draw_stored
from commonground.explorer.kept_figures import FigureDrawer
from commonground.explorer.pages.figures import build_figures_so_far
from commonground.explorer.pages.parts.paging import near_pages
from commonground.explorer.pages.unindexed import build_unindexed_page
from commonground.explorer.rendering.environment import render_page
from commonground.explorer.server.answering import (
    LINKS,
    answer_json,
    corpora_of,
    corpus_of,
    indexing_of,
    make_shell,
    named_by_path,
    page_number,
    wants_json,
)
from commonground.explorer.server.endpoints import answer_dialogue, answer_native, results_of
from commonground.explorer.server.indexing import IndexMaker
from commonground.explorer.server.problems import answer_problem
from commonground.explorer.web.addresses import decode_id
from commonground.explorer.web.dispatch import Endpoint

LOOK_S = 0.2
"""Seconds between two looks whether figures are there."""


def while_drawn(
    drawer: FigureDrawer, page: Callable[..., Any], indexes: IndexMaker | None
) -> Callable[..., Any]:
    """Returns an endpoint that waits for the figures that are being drawn, or says so on a page.

    Args:
        drawer: draws them, of one corpus or those that compare all.
        page: the endpoint that needs all of them; it would count them once more.
        indexes: makes the indexes that figures are kept beside; None where all are there.
    """

    async def answer(request: Request) -> Response:
        opened = corpus_of(request) if "corpus" in request.path_params else None
        while waits := _waits_for(request, opened):
            if request.url.path.endswith("/figures"):
                return await run_in_threadpool(_figures_so_far, request, opened)
            if waits == "index":
                return await run_in_threadpool(_not_yet, request, opened)
            await sleep(LOOK_S)
        answered: Response = await page(request)
        return answered

    def _waits_for(request: Request, opened: OpenCorpus | None) -> Literal["index", "figures", ""]:
        corpora = corpora_of(request)
        wanted = [opened] if opened is not None else list(corpora)
        # They are kept beside the index, and drawn once that is there.
        if indexes is not None and any(indexes.is_at_work(each.name) for each in wanted):
            return "index"
        at_work = drawer.is_at_work(opened) if opened else drawer.is_comparing(corpora)
        return "figures" if at_work else ""

    return answer


def _figures_so_far(request: Request, opened: OpenCorpus | None) -> Response:
    page = None
    # Where the index is still to be made, nothing can lie beside it.
    if opened is not None and not indexing_of(request):
        page = build_figures_so_far(opened, LINKS)
    shell = make_shell(request, opened.name if opened else None)
    if page is None:
        title = opened.entry.manifest.title if opened else "All corpora"
        text = render_page("waiting.html", shell, title=title)
    else:
        # Cleaned by the process that drew them.
        charts = {name: Markup(svg) for name, svg in page.drawn.items()}  # noqa: S704
        text = render_page("figures.html", shell, page=page, charts=charts)
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def _not_yet(request: Request, opened: OpenCorpus | None) -> Response:
    """Answers what is no page while an index is made, which may take minutes."""
    whose = f"The index of {opened.name} is" if opened else "Indexes are"
    advice = "Ask again in a moment: search, lists and figures need it."
    return answer_problem(request, StoreError(f"{whose} being made.", advice), 503)


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
        return _not_yet(request, opened)
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
    with named_by_path():
        return draw_stored(corpus_of(request).corpus, decode_id(request.path_params["dialogue"]))


def results_unindexed(request: Request) -> Response:
    """Asks to wait for the index, where there are results to be shown."""
    with named_by_path():
        results_of(request)
    return wait_for_index(request)


def wait_for_index(request: Request) -> Response:
    """Asks to wait for the index, without which the page says nothing."""
    shell = make_shell(request)
    text = render_page("unindexed.html", shell, page=None, near=[])
    return HTMLResponse(text, headers={"cache-control": "no-store"})
