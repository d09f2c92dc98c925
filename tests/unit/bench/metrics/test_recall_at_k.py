from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.recall_at_k import (
    combine,
    list_cutoffs,
    score_ranking,
    score_ranking_optimistic,
    score_ranking_pessimistic,
)
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts


@pytest.mark.parametrize(
    ("candidates", "cutoffs"),
    [
        (1, (1,)),
        (2, (1,)),
        (5, (1, 2)),  # a half of 5 is rounded to 2, to even
        (10, (1, 2, 5)),
        (11, (1, 6)),  # a half of 11 is rounded to 6
        (25, (1, 2, 12)),
        (100, (1, 10, 50)),
    ],
)
def test_cutoffs_by_number_of_candidates(candidates: int, cutoffs: tuple[int, ...]) -> None:
    assert list_cutoffs(candidates) == cutoffs


@pytest.mark.parametrize("candidates", [0, 101])
def test_other_numbers_are_refused(candidates: int) -> None:
    with pytest.raises(TaskError, match=f"found {candidates}"):
        list_cutoffs(candidates)


def test_values_of_two_examples() -> None:
    scores = [0.4, 0.3, 0.2, 0.1]
    sums = sum_counts([score_ranking(scores, 0), score_ranking(scores, 1)])
    # Ranks 1 and 2; k is 1 and 2.
    assert combine(sums) == {"recall@1": 0.5, "recall@2": 1.0, "mrr": 0.75}


@pytest.mark.parametrize(
    ("scores", "gold", "ranks", "pessimistic"),
    [
        # The sort of the official script puts what is not a number before all numbers.
        ([math.nan, 0.1, 0.2], 0, (1,), 3),
        ([math.nan, 0.1, 0.2], 1, (3,), 2),
        ([0.3, math.nan, 0.4, math.nan], 0, (4,), 2),
        ([math.nan, math.nan, 0.2], 1, (1, 2), 3),
        # All are equal: anywhere, and last.
        ([0.5, 0.5, 0.5], 0, (1, 2, 3), 3),
        ([0.9, 0.5, 0.5, 0.1], 2, (2, 3), 3),
    ],
)
def test_ranks_of_ties_and_of_scores_that_are_no_number(
    scores: list[float], gold: int, ranks: tuple[int, ...], pessimistic: int
) -> None:
    found = score_ranking(scores, gold)
    assert found["reciprocal"] == pytest.approx(sum(1 / rank for rank in ranks) / len(ranks))
    assert found["hits@1"] == pytest.approx(sum(rank == 1 for rank in ranks) / len(ranks))
    assert found["tied"] == (len(ranks) > 1)
    assert score_ranking_optimistic(scores, gold)["reciprocal"] == pytest.approx(1 / ranks[0])
    worst = score_ranking_pessimistic(scores, gold)
    assert worst["reciprocal"] == pytest.approx(1 / pessimistic)
    assert worst["hits@1"] == (pessimistic == 1)


@given(st.lists(st.integers(0, 2).map(float), min_size=1, max_size=5), st.data())
def test_the_headline_is_the_mean_over_all_orders(scores: list[float], data: Any) -> None:
    gold = data.draw(st.integers(0, len(scores) - 1))
    orders = list(permutations(range(len(scores))))
    ranked = [sorted(order, key=lambda j: -scores[j]).index(gold) + 1 for order in orders]
    found = score_ranking(scores, gold)
    assert found["reciprocal"] == pytest.approx(sum(1 / rank for rank in ranked) / len(orders))
    for k in list_cutoffs(len(scores)):
        assert found[f"hits@{k}"] == pytest.approx(sum(r <= k for r in ranked) / len(orders))


def test_a_gold_position_without_score_is_refused() -> None:
    with pytest.raises(TaskError, match="number -1"):
        score_ranking([0.1], -1)
