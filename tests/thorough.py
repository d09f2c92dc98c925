"""Long tables of cases, of which most runs try a few; ``make thorough`` tries the rest.

A case is left out of most runs where another shows the same: what is kept differs in kind.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest

thorough = pytest.mark.thorough
"""Marks a test whose faults others find too, though they may not say as well where."""


def a_few(cases: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """Marks the cases of a table that only ``make thorough`` tries.

    Args:
        cases: of ``parametrize``, or of a fixture's ``params``; a tuple is several arguments.
        kept: those that every run tries.
    """
    return [case if case in kept else _mark(case) for case in cases]


def one_in(number: int, cases: Iterable[Any], first: int = 0) -> list[Any]:
    """Leaves most runs one case in so many.

    Args:
        number: how many cases stand for one that is tried.
        cases: as :func:`a_few` takes them.
        first: the place of the first that is tried.
    """
    return [x if place % number == first else _mark(x) for place, x in enumerate(cases)]


def _mark(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=thorough)
