"""From a request to the parameters of a page, and from a page to an answer."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.errors import UsageError
from commonground.site.library import Library, Shelf
from commonground.site.links import ServerLinks, decode_id
from commonground.site.pages.figures import has_figures
from commonground.site.pages.paging import Paging, near_pages
from commonground.site.rendering import Shell, render_page

LINKS = ServerLinks()
JSON_ENDING = ".json"
LONGEST_NUMBER = 9
"""Digits of the longest page number that is read."""


def library_of(request: Request) -> Library:
    """Returns the corpora that the application serves."""
    library: Library = request.app.state.library
    return library


def shelf_of(request: Request) -> Shelf:
    """Returns the corpus that the address names.

    Raises:
        UsageError: it is not there.
    """
    return library_of(request).shelf(decode_id(request.path_params["corpus"]))


def page_number(request: Request) -> int:
    """Returns the ``page`` of the address; 1 where it names none.

    Raises:
        UsageError: it is no number.
    """
    text = request.query_params.get("page") or "1"
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER:
        raise UsageError(f"{text[:40]!r} is no page.", "Pages are numbers from 1.")
    return int(text)


def wants_json(request: Request) -> bool:
    """Tells whether the address is that of a page's JSON twin."""
    return request.url.path.endswith(JSON_ENDING)


def make_shell(request: Request, corpus: str | None = None, *, twin: str | None = None) -> Shell:
    """Gathers what every page needs.

    Args:
        request: the request.
        corpus: corpus of the page; null for pages of none.
        twin: path of the page as JSON, without parameters; null where it has none.
    """
    library = library_of(request)
    if twin is not None and request.url.query:
        twin = f"{twin}?{request.url.query}"
    return Shell(
        links=LINKS,
        corpora=library.names,
        corpus=corpus,
        pictures=library.pictures,
        query=request.query_params.get("q", ""),
        twin=twin,
        has_results=library.results is not None,
        sections=sections_of(library.shelf(corpus)) if corpus else (),
    )


def sections_of(shelf: Shelf) -> tuple[str, ...]:
    """Returns the pages that a corpus has, beside those of its dialogues."""
    more = ("figures",) if has_figures(shelf) else ()
    return ("browse", "findings", *more)


def answer_json(value: Any, status: int = 200) -> Response:
    """Answers with a record as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def answer_page(
    request: Request,
    template: str,
    page: Any,
    *,
    twin: str,
    corpus: str | None = None,
    paging: Paging | None = None,
    **values: Any,
) -> Response:
    """Answers with a page, as HTML or JSON as the address asks.

    Args:
        request: the request.
        template: template of the page.
        page: its data.
        twin: path of its JSON.
        corpus: its corpus; null for pages of none.
        paging: which part of a list it shows; null where it shows none.
        values: what its template needs besides.
    """
    if wants_json(request):
        return answer_json(page)
    near = near_pages(paging) if paging else []
    shell = make_shell(request, corpus, twin=twin)
    return HTMLResponse(render_page(template, shell, page=page, near=near, **values))
