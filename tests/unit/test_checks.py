"""Rules run on records, and what rules of several corpora look for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.checks import find_disorder, find_repeats, run_rules, span_gives
from commonground.findings import Examined, Place, Ruleset


def test_repeats_are_told_with_their_position() -> None:
    assert list(find_repeats("abcab")) == [(3, "a"), (4, "b")]
    assert list(find_repeats([])) == []


@pytest.mark.parametrize(("strict", "found"), [(False, [(1, 3)]), (True, [(1, 3), (4, 5)])])
def test_disorder(strict: bool, found: list[tuple[int, int]]) -> None:
    assert list(find_disorder([1, 5, None, 2, 3, 3], strict=strict)) == found


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


rules = Ruleset("CG-TOY-9", "talk")


@rules.error(1)
def failing(record: Any, examined: Examined) -> Iterator[Place]:
    """It fails.

    To see.

    Nothing.
    """
    yield Place(".first")
    raise IndexError(f"nothing of {record} in {examined.source_file}")


@rules.note(2)
def finding(record: Any, examined: Examined) -> Iterator[Place]:
    """It holds nowhere.

    To see.

    Nothing.
    """
    yield Place(f".{record}", found=examined.source_file)


def test_a_rule_that_fails_is_a_finding_and_costs_no_other() -> None:
    found = run_rules([failing, finding], "it", Examined(None, None, "f"), "$", "a")
    assert [(each.code, each.source_path) for each in found] == [
        ("CG-TOY-901", "$.first"),
        ("CG-DATA-005", "$"),
        ("CG-TOY-902", "$.it"),
    ]
    assert found[1].found == "CG-TOY-901: IndexError: nothing of it in f"
