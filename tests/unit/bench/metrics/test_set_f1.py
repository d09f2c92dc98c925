from __future__ import annotations

import math

import pytest

from commonground.bench.metrics.set_f1 import combine, score_choice
from commonground.errors import TaskError

SCORES = {"a": 0.9, "b": 0.6, "c": 0.3, "d": 0.1}


def test_two_chosen_of_which_one_is_meant() -> None:
    values = combine(score_choice({"b", "c"}, SCORES))
    # Chosen a and b, meant b and c: one right, one rightly rejected (d); b comes second.
    assert values == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "reject_precision": 0.5,
        "reject_recall": 0.5,
        "reject_f1": 0.5,
        "accuracy": 0.5,
        "exact": 0.0,
        "first": 0.0,
        "mrr": 0.5,
    }


def test_a_choice_may_be_named() -> None:
    values = combine(score_choice({"c"}, SCORES, {"c"}))
    assert values["exact"] == values["f1"] == 1.0
    assert values["mrr"] == pytest.approx(1 / 3)


def test_equal_scores_do_not_help() -> None:
    counts = score_choice({"a"}, dict.fromkeys("abcd", 0.5))
    assert (counts["reciprocal"], counts["tied"]) == (0.25, 1)


def test_a_score_that_is_no_number_does_not_help() -> None:
    counts = score_choice({"a"}, {"a": math.nan, "b": 0.1})
    assert (counts["reciprocal"], counts["predicted"]) == (0.5, 0)


def test_a_choice_of_nothing_has_no_rank() -> None:
    values = combine(score_choice(set(), SCORES, set()))
    assert (values["mrr"], values["precision"], values["accuracy"]) == (None, None, 1.0)


def test_a_candidate_without_score_is_refused() -> None:
    with pytest.raises(TaskError, match="Without a score: z"):
        score_choice({"z"}, SCORES)
