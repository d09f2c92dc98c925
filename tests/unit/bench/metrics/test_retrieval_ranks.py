from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.retrieval_ranks import (
    RETRIEVAL_RANKS,
    RETRIEVAL_RANKS_EXPECTED,
    RETRIEVAL_RANKS_PESSIMISTIC,
    combine,
    std_err,
)
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts

ALL = (RETRIEVAL_RANKS, RETRIEVAL_RANKS_PESSIMISTIC, RETRIEVAL_RANKS_EXPECTED)
SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


def test_rank_is_one_and_the_number_of_larger_scores() -> None:
    counts = RETRIEVAL_RANKS.score([0.3, 0.9, 0.1, 0.5], 0)
    assert (counts["rank"], counts["hits@1"], counts["hits@5"]) == (3, 0, 1)
    assert counts["reciprocal"] == pytest.approx(1 / 3)


def test_ties_help_officially_only() -> None:
    scores = [0.5, 0.5, 0.5, 0.9]
    ranks = [metric.score(scores, 0)["rank"] for metric in ALL]
    # Behind one larger, among three equals: places 2, 3 and 4.
    assert ranks == [2, 4, 3]
    assert all(metric.score(scores, 0)["tied"] == 1 for metric in ALL)


def test_ties_of_truth_values_count_like_others() -> None:
    ranks = [metric.score([True, True, False], 0)["rank"] for metric in ALL]
    assert ranks == [1, 2, 1.5]


def test_expected_values_are_means_over_orders() -> None:
    counts = RETRIEVAL_RANKS_EXPECTED.score([1.0, 1.0, 1.0, 1.0], 2)
    assert counts["hits@1"] == 0.25
    assert counts["rank"] == 2.5
    assert counts["reciprocal"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_naming_one_candidate_for_ever_is_worth_a_random_order() -> None:
    """The right one may stand anywhere among four: what is not named ties."""
    said = [RETRIEVAL_RANKS_EXPECTED.score([1.0, 0.0, 0.0, 0.0], place) for place in range(4)]
    at_random = [RETRIEVAL_RANKS_EXPECTED.score([4.0, 3.0, 2.0, 1.0], place) for place in range(4)]
    assert combine(sum_counts(said)) == pytest.approx(combine(sum_counts(at_random)))


def test_values_of_two_examples() -> None:
    sums = sum_counts([RETRIEVAL_RANKS.score([1, 0], 0), RETRIEVAL_RANKS.score([1, 0], 1)])
    # Ranks 1 and 2: mean 3/2, spread 1/2; reciprocal 1 and 1/2: mean 3/4, spread 1/4.
    assert combine(sums) == {"r1": 0.5, "r5": 1, "r10": 1, "mean": 1.5, "mrr": 0.75}
    errors = std_err(sums)
    assert errors["mean"] == pytest.approx(0.5 / math.sqrt(2))
    assert errors["mrr"] == pytest.approx(0.25 / math.sqrt(2))
    assert errors["r5"] == 0.0


def test_a_score_that_is_no_number_is_flagged() -> None:
    scores = [math.nan, 0.2, 0.1]
    assert RETRIEVAL_RANKS.score(scores, 0)["rank"] == 1
    assert RETRIEVAL_RANKS_PESSIMISTIC.score(scores, 0)["rank"] == 3
    assert RETRIEVAL_RANKS_EXPECTED.score(scores, 0)["rank"] == 3
    assert RETRIEVAL_RANKS.score(scores, 1)["with_nan"] == 1
    assert RETRIEVAL_RANKS.score([math.inf, -math.inf], 0)["with_nan"] == 0


# What retrieval_evaluation.py of facebookresearch/simmc@2747421 gives the first of these scores,
# run with numpy 1.21.6 and 2.4.6, which agree.
BY_NUMPY: list[tuple[list[Any], int]] = [
    (["0.1", "0.9", "0.10"], 3),
    (["b", "a", "c"], 2),
    (["0.5", 0.9, 0.1], 2),
    (["0.00001", 1e-05, 2], 3),
    (["12345678901234567890", 1.5, 3], 2),
    (["", 1, 0], 3),
    ([True, False, True], 1),
    ([False, True, True], 3),
    ([True, 0.5, 2.0], 2),
    ([1, True, 2], 2),
    (["True", True, False], 1),
    ([[1], [2], [0]], 2),
    ([[1, 5], [2, 0], [0, 9]], 3),
    ([[2, 2], [1, 3], [4, 0]], 3),
    ([["a"], ["b"], ["0"]], 2),
    ([2**53, 2**53 + 1, 0], 2),
    ([2**53, 2**53 + 1, 0.0], 1),
    ([2**64, 2**64 + 1, 5], 2),
    ([2**64, 2**64 + 1, 5.0], 2),
    ([2**63, 2**63 + 5, 1], 1),
    ([2**63, 2**63 + 5, -1], 1),
    ([10**400, 1.5, 2], 1),
    ([0.3], 1),
    ([0.3, 0.9, 0.1, 0.8, 0.95], 4),
]


@pytest.mark.parametrize(("scores", "rank"), BY_NUMPY)
def test_whatever_numpy_compares_is_ranked(scores: list[Any], rank: int) -> None:
    assert RETRIEVAL_RANKS.score(scores, 0)["rank"] == rank


STOPS = (
    [0.5, "0.9", 0.1],
    [True, "x", 2.0],
    [0.5, None, 0.1],
    [{"a": 1}, 0.2, 0.3],
    [[1], [2, 3], [0]],
    [[1], 2, 3],
    ["a", None, "b"],
)


@pytest.mark.parametrize("scores", STOPS)
def test_what_numpy_does_not_compare_is_refused(scores: list[Any]) -> None:
    with pytest.raises(TaskError, match="cannot be compared"):
        RETRIEVAL_RANKS.score(scores, 0)


def test_a_gold_position_without_score_is_refused() -> None:
    with pytest.raises(TaskError, match="number 2, and 2 are scored"):
        RETRIEVAL_RANKS.score([0.1, 0.2], 2)


@given(SCORES, st.integers(0, 11))
def test_expected_rank_is_between_the_others(scores: list[float], gold: int) -> None:
    low, high, mean = (metric.score(scores, gold % len(scores))["rank"] for metric in ALL)
    assert low <= mean <= high <= len(scores)
