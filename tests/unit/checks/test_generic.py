from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.checks.generic import find_disorder, find_repeats, span_gives


def test_repeats_are_told_with_their_position() -> None:
    assert list(find_repeats("abcab")) == [(3, "a"), (4, "b")]
    assert list(find_repeats([])) == []


@pytest.mark.parametrize(("strict", "found"), [(False, [2]), (True, [2, 4])])
def test_disorder(strict: bool, found: list[int]) -> None:
    assert list(find_disorder([1, 5, 2, 3, 3], strict=strict)) == found


@pytest.mark.parametrize(
    ("start", "end", "gives"),
    [(1, 3, True), (1, 4, False), (-1, 2, False), (3, 1, False), (1, 99, False)],
)
def test_spans_count_code_points(start: int, end: int, gives: bool) -> None:
    assert span_gives("’ab𝕏", start, end, "ab") is gives


@given(st.lists(st.integers()))
def test_a_sorted_list_has_no_disorder(values: list[int]) -> None:
    assert not list(find_disorder(sorted(values), strict=False))
    assert len(list(find_repeats(values))) == len(values) - len(set(values))
