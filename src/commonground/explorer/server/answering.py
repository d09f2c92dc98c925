"""From a request to the parameters of a page, and from a page to an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.errors import UsageError, close_names
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.links import Links
from commonground.explorer.pages.parts.paging import near_pages
from commonground.explorer.rendering.environment import Shell, render_page
from commonground.explorer.sections import title_sections
from commonground.explorer.web.addresses import decode_id

LINKS = Links()

JSON_ENDING = ".json"

LONGEST_NUMBER = 9
"""Digits of the longest page number that is read."""


class NotThereError(UsageError):
    """The path of an address names nothing; any other mistake is one of its parameters."""


@contextmanager
def named_by_path() -> Iterator[None]:
    """Says of what is looked up within the ``with`` block that a path names it.

    Raises:
        NotThereError: it is not there.
    """
    try:
        yield
    except UsageError as error:
        raise NotThereError(error.message, error.advice) from error


def corpora_of(request: Request) -> OpenCorpora:
    """Returns the corpora that the application serves."""
    corpora: OpenCorpora = request.app.state.corpora
    return corpora


def corpus_of(request: Request) -> OpenCorpus:
    """Returns the corpus that the address names.

    Raises:
        NotThereError: it is not there.
    """
    with named_by_path():
        return corpora_of(request).get(decode_id(request.path_params["corpus"]))


def ordinal_of(request: Request) -> int:
    """Returns the number of the dialogue that the address names.

    Raises:
        NotThereError: it is not there.
    """
    opened = corpus_of(request)
    with named_by_path():
        return opened.ordinal(decode_id(request.path_params["dialogue"]))


def choice_of(request: Request, name: str, known: Sequence[str]) -> str:
    """Returns a parameter that has few values; the first of them where the address has none.

    Raises:
        UsageError: it has another.
    """
    text = request.query_params.get(name) or known[0]
    if text not in known:
        advice = close_names(text, [each for each in known if each])
        raise UsageError(f"{name} cannot be {text[:40]!r}.", advice)
    return text


def page_number(request: Request) -> int:
    """Returns the ``page`` of the address; 1 where it names none.

    Raises:
        UsageError: it is no number.
    """
    text = request.query_params.get("page") or "1"
    # ``isdigit`` alone takes superscripts, at which ``int`` fails.
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER:
        raise UsageError(f"{text[:40]!r} is not a page.", "Pages are numbers from 1.")
    return int(text)


def wants_json(request: Request) -> bool:
    """Tells whether the address is that of a page's JSON twin."""
    return request.url.path.endswith(JSON_ENDING)


def make_shell(request: Request, corpus: str | None = None, *, twin: str | None = None) -> Shell:
    """Gathers what every page needs.

    Args:
        corpus: None for pages of no corpus.
        twin: path of the page as JSON, without parameters; None where it has none.
    """
    corpora = corpora_of(request)
    if twin is not None and request.url.query:
        twin = f"{twin}?{request.url.query}"
    return Shell(
        links=LINKS,
        corpora=corpora.names,
        corpus=corpus,
        pictures=corpora.pictures,
        query=request.query_params.get("q", ""),
        twin=twin,
        has_results=bool(corpora.results),
        sections=title_sections(corpora.get(corpus)) if corpus else {},
    )


def answer_json(value: Any, status: int = 200) -> Response:
    """Answers with a record as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def answer_page(
    request: Request,
    template: str,
    page: Any,
    **values: Any,
) -> Response:
    """Answers with a page, as HTML or JSON as the address asks."""
    if wants_json(request):
        return answer_json(page)
    near = near_pages(getattr(page, "paging", None))
    corpus = corpus_of(request).name if "corpus" in request.path_params else None
    path = request.url.path
    if path.endswith("/"):
        path += "browse" if corpus else "index"
    shell = make_shell(request, corpus, twin=path + JSON_ENDING)
    return HTMLResponse(render_page(template, shell, page=page, near=near, **values))
