"""Rank correlation, with an interval over dialogues."""

from __future__ import annotations

import pytest

from commonground.bench.metrics.rank_correlation import correlate_ranks


def test_the_same_order_is_one_and_the_opposite_minus_one() -> None:
    values = [0.1, 0.5, 3.0, 40.0]
    groups = "abcd"
    same = correlate_ranks(values, [1, 2, 3, 4], groups, seed=1)
    assert [same.value, same.low, same.high] == pytest.approx([1, 1, 1])
    assert correlate_ranks(values, [4, 3, 2, 1], groups, seed=1).value == pytest.approx(-1)


def test_equal_values_share_the_mean_of_their_places() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, squares 4.5 and 5.
    found = correlate_ranks([1, 2, 2, 3], [1, 2, 3, 4], "abcd", seed=1)
    assert found.value == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


def test_one_value_for_all_is_in_no_order() -> None:
    assert correlate_ranks([1, 1], [1, 2], "ab", seed=1).value is None


def test_one_dialogue_has_no_interval() -> None:
    found = correlate_ranks([1, 2, 3], [1, 3, 2], "aaa", seed=1)
    assert found.value == pytest.approx(0.5)
    assert found.low is None


def test_replies_of_a_dialogue_are_drawn_together() -> None:
    first, second = [1, 2, 3, 4] * 3, [1, 2, 4, 3] * 3
    # However dialogues are drawn that are all alike, they come to the same.
    found = correlate_ranks(first, second, [n // 4 for n in range(12)], seed=1)
    assert found.low == pytest.approx(found.value) == pytest.approx(found.high)
