from __future__ import annotations

from math import sqrt

import pytest

from commonground.statistics.means import bound_mean, bound_ratio


def test_a_mean_reaches_two_standard_errors() -> None:
    # 1, 2 and 3 have a standard deviation of 1.
    reach = 1.96 / sqrt(3)
    assert bound_mean([1, 2, 3]) == pytest.approx([2, 2 - reach, 2 + reach])


def test_too_few_values_leave_the_interval_open() -> None:
    assert bound_mean([]) == [None, None, None]
    assert bound_mean([4]) == [4, None, None]
    assert bound_ratio([4], [2]) == [2, None, None]
    assert bound_ratio([0], [0]) == [None, None, None]


def test_a_ratio_of_dialogues_of_one_size_is_a_mean() -> None:
    assert bound_ratio([2, 4, 6], [2, 2, 2]) == pytest.approx(bound_mean([1, 2, 3]))


def test_dialogues_that_are_alike_leave_nothing_to_chance() -> None:
    assert bound_ratio([3, 30], [1, 10]) == [3, 3, 3]
