"""What is shown instead of a page that cannot be."""

from __future__ import annotations

import msgspec

from commonground.errors import CommongroundError
from commonground.explorer.search.language import QueryError


class ProblemPage(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no page, and what to do.

    Attributes:
        status: HTTP status.
        error: what is wrong.
        where: what it is about: an address, or characters of a query.
        advice: what to do about it.
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


def build_problem_page(error: CommongroundError, status: int, path: str, query: str) -> ProblemPage:
    """Describes an error, and shows where in a query it is.

    Args:
        error: the error.
        status: HTTP status of the answer.
        path: address that was asked for.
        query: query that was asked for; empty for none.
    """
    advice = error.advice or "Go back to the list of corpora."
    if not isinstance(error, QueryError):
        return ProblemPage(status=status, error=error.message, where=path, advice=advice)
    return ProblemPage(
        status=status,
        error=error.message,
        where=_place(error.start + 1, error.end),
        advice=advice,
        query=query,
        start=error.start,
        end=error.end,
    )


def _place(first: int, last: int) -> str:
    return (
        f"characters {first} to {last} of the query"
        if last > first
        else f"character {first} of the query"
    )
