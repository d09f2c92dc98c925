from __future__ import annotations

import math

import pytest

from commonground.errors import TaskError
from commonground.metric import Counts, Values
from commonground.statistics.bootstrap import bootstrap_intervals, compare_paired, correct_holm
from commonground.statistics.counts import CountTable, ratio, tabulate_counts


def mean(sums: Counts) -> Values:
    return {"mean": ratio(sums.get("hit", 0), sums.get("n", 0))}


def make_table(hits: list[float]) -> CountTable:
    return tabulate_counts({"n": 1, "hit": hit} for hit in hits)


def test_interval_is_about_two_standard_errors_wide() -> None:
    table = make_table([1.0, 0.0] * 200)
    found = bootstrap_intervals(table, mean, seed=1)["mean"]
    assert found.low is not None
    assert found.high is not None
    # √(1/4 / 400) = 0.025, and 1.96 of them to either side.
    assert found.low == pytest.approx(0.5 - 0.049, abs=0.01)
    assert found.high == pytest.approx(0.5 + 0.049, abs=0.01)


def test_same_seed_same_interval() -> None:
    table = make_table([number**0.5 for number in range(50)])
    assert bootstrap_intervals(table, mean, seed=3) == bootstrap_intervals(table, mean, seed=3)
    assert bootstrap_intervals(table, mean, seed=3) != bootstrap_intervals(table, mean, seed=4)


def test_equal_examples_have_no_width() -> None:
    found = bootstrap_intervals(make_table([1.0] * 9), mean, seed=1)["mean"]
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_nothing_and_one_example_have_no_interval(values: list[float]) -> None:
    found = bootstrap_intervals(make_table(values), mean, seed=1)["mean"]
    assert (found.low, found.high) == (None, None)


def test_resamples_without_a_value_do_not_bound_it() -> None:
    table = tabulate_counts([{"n": 1, "hit": 1}, {"n": 0, "hit": 0}])
    found = bootstrap_intervals(table, mean, seed=1)["mean"]
    # In a quarter of the resamples the second example is drawn twice: then there is no value.
    assert found.low == found.high == 1.0


def test_an_infinite_count_reaches_only_resamples_that_draw_it() -> None:
    found = bootstrap_intervals(make_table([-math.inf] + [0.0] * 99), mean, seed=1)["mean"]
    assert (found.low, found.high) == (-math.inf, 0.0)


def test_a_clear_difference_is_sure() -> None:
    found = compare_paired(make_table([1.0] * 40), make_table([0.0] * 40), mean, seed=1)["mean"]
    assert found.difference == 1.0
    # No round of 1,000 swaps all or none.
    assert found.p_value == pytest.approx(1 / 1001)


def test_no_difference_is_not() -> None:
    table = make_table([0.2, 0.6, 1.0])
    found = compare_paired(table, table, mean, seed=1)["mean"]
    assert (found.difference, found.p_value) == (0.0, 1.0)


def test_one_example_can_show_nothing() -> None:
    found = compare_paired(make_table([1.0]), make_table([0.0]), mean, seed=1)["mean"]
    assert found.p_value == 1.0


def test_an_undefined_difference_stays_so() -> None:
    empty = tabulate_counts([{"n": 0, "hit": 0}])
    found = compare_paired(empty, make_table([1.0]), mean, seed=1)["mean"]
    assert (found.difference, found.p_value) == (None, None)


def test_counts_in_another_order_are_aligned() -> None:
    one = tabulate_counts([{"n": 1, "hit": 1}])
    other = tabulate_counts([{"hit": 1, "more": 5, "n": 1}])
    assert compare_paired(one, other, mean, seed=1)["mean"].difference == 0.0


def test_other_examples_are_refused() -> None:
    with pytest.raises(TaskError, match="found 1 and 2"):
        compare_paired(make_table([1.0]), make_table([1.0, 0.0]), mean, seed=1)


def test_a_value_of_infinite_counts_is_not_compared() -> None:
    def both(sums: Counts) -> Values:
        return {"hit": ratio(sums["hit"], sums["n"]), "log": ratio(sums["log"], sums["n"])}

    one = tabulate_counts([{"n": 1, "hit": 1, "log": -math.inf}, {"n": 1, "hit": 1, "log": -1}])
    other = tabulate_counts([{"n": 1, "hit": 0, "log": -2}, {"n": 1, "hit": 1, "log": math.nan}])
    found = compare_paired(one, other, both, seed=1)
    assert (found["log"].difference, found["log"].p_value) == (None, None)
    # Of two examples one differs; swapped or not, the difference is half of the number.
    assert (found["hit"].difference, found["hit"].p_value) == (0.5, 1)


def test_holm_corrects_for_as_many_tests_and_keeps_the_order() -> None:
    # 3 · .01, then 2 · .03, then 1 · .04 raised to the one before it.
    assert correct_holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert correct_holm([0.9, 0.8]) == [1.0, 1.0]
    assert correct_holm([]) == []
