"""Errors as pages, each with what can be done about it."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from commonground.errors import CommongroundError, StoreError, UsageError
from commonground.explorer.corpora import is_outdated
from commonground.explorer.rendering.environment import render_page
from commonground.explorer.search.language import QueryError
from commonground.explorer.server.answering import (
    NotThereError,
    answer_json,
    corpora_of,
    corpus_of,
    make_shell,
    wants_json,
)


class ProblemPage(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no page, and what to do.

    Attributes:
        status: HTTP status.
        where: what it is about: an address, or characters of a query.
        query: the query that could not be read; None where the fault is another.
        start: first character of it that is wrong.
        end: character after it.
    """

    status: int
    error: str
    where: str
    advice: str
    query: str | None = None
    start: int = 0
    end: int = 0


def explain_error(request: Request, error: Exception) -> Response:
    """Answers with what is wrong, and with what status: asked wrongly, not there, or our fault."""
    assert isinstance(error, CommongroundError)  # noqa: S101 - registered for it
    if isinstance(error, StoreError) and _is_reloading(request):
        advice = "Open it again in a moment: the explorer is getting ready to show the new one."
        return answer_problem(
            request, StoreError("The corpus was just imported again.", advice), 503
        )
    # The path of nothing is 404; a wrong parameter of a page that is there is the reader's (400).
    missing = isinstance(error, NotThereError)
    status = 404 if missing else 400 if isinstance(error, UsageError) else 500
    return answer_problem(request, error, status)


def _is_reloading(request: Request) -> bool:
    with suppress(CommongroundError, KeyError):
        return is_outdated(corpus_of(request))
    return any(is_outdated(each) for each in corpora_of(request))


def explain_http(request: Request, error: Exception) -> Response:
    """Answers what the framework itself refuses."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    advice = "Check the address, or go back to the list of corpora."
    return answer_problem(request, UsageError(f"{error.detail}.", advice), error.status_code)


def explain_bug(request: Request, _error: Exception) -> Response:
    """Answers an error that nobody foresaw, without a word of it to the browser."""
    # The server prints where it happened.
    advice = "This is a bug in commonground; what it printed in the terminal helps to correct it."
    return answer_problem(request, CommongroundError("The page could not be made.", advice), 500)


def answer_problem(request: Request, error: CommongroundError, status: int) -> Response:
    """Answers with the page of an error."""
    asked = request.query_params.get("q", "").strip()
    advice = error.advice or "Go back to the list of corpora."
    page = ProblemPage(status=status, error=error.message, where=request.url.path, advice=advice)
    if isinstance(error, QueryError):
        first, last = error.start + 1, error.end
        place = f"characters {first} to {last}" if last > first else f"character {first}"
        page = msgspec.structs.replace(
            page, where=f"{place} of the query", query=asked, start=error.start, end=error.end
        )
    if wants_json(request):
        return answer_json(page, status)
    corpus = None
    with suppress(CommongroundError, KeyError):
        corpus = corpus_of(request).name
    shell = make_shell(request, corpus)
    return HTMLResponse(render_page("problem.html", shell, page=page), status)
