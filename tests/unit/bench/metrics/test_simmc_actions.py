from __future__ import annotations

import math
from typing import Any

import pytest

from commonground.bench.metrics.simmc_actions import (
    SIMMC_ACTIONS_ALL_TURNS,
    GoldAction,
    PredictedAction,
    combine,
    confusion_matrix,
    score_action,
    std_err,
)
from commonground.statistics.counts import sum_counts


def predict(action: str, p: float = 0.5, **attributes: Any) -> PredictedAction:
    return PredictedAction(action, attributes, {"Show": math.log(p), "None": math.log(p)})


def test_a_right_action_with_a_list_of_attributes() -> None:
    gold = GoldAction("Show", {"attributes": ["color", "price"]})
    counts = score_action(gold, predict("Show", attributes=["color"]))
    # Recall 1/2, precision 1: 2 · 1/2 · 1 / (1.5 + 0.00001).
    assert counts["attribute_score"] == pytest.approx(1 / 1.50001)
    assert counts["attributes"] == 1


def test_attributes_may_be_nested_and_single() -> None:
    gold = GoldAction("Show", {"args": {"color": "red", "minPrice": "9", "type": ""}})
    counts = score_action(gold, predict("Show", color="red"))
    # minPrice is ignored and the empty type passed over.
    assert (counts["attributes"], counts["attribute_score"]) == (1, 1)


def test_a_wrong_action_makes_empty_attributes_wrong() -> None:
    gold = GoldAction("Show", {"color": "red", "type": "", "focus": 3})
    assert score_action(gold, predict("None"))["attributes"] == 2
    corrected = SIMMC_ACTIONS_ALL_TURNS.score(gold, predict("None"))
    assert corrected["attributes"] == 1
    assert SIMMC_ACTIONS_ALL_TURNS.combine(corrected)["action_accuracy"] == 0


def test_a_missing_turn_is_wrong_in_the_corrected_metric() -> None:
    gold = GoldAction("Show", {"color": "red", "type": []})
    counts = SIMMC_ACTIONS_ALL_TURNS.score(gold, None)
    assert (counts["actions"], counts["attributes"], counts["turns_missing"]) == (1, 1, 1)
    values = SIMMC_ACTIONS_ALL_TURNS.combine(counts)
    assert values["action_accuracy"] == values["attribute_accuracy"] == 0.0
    assert values["action_perplexity"] is None


@pytest.mark.parametrize("attributes", [{}, {"color": "red"}, {"color": None}])
def test_an_answer_of_another_form_is_wrong_and_counted(attributes: dict[str, Any]) -> None:
    counts = score_action(GoldAction("Show", {"color": ["red"]}), predict("Show", **attributes))
    assert (counts["attributes"], counts["attribute_score"]) == (1, 0)
    assert counts["attributes_missing"] == 1


def test_perplexity_of_two_turns() -> None:
    turns = [
        score_action(GoldAction("Show"), predict("Show", 0.5)),
        score_action(GoldAction("None"), predict("Show", 0.125)),
    ]
    sums = sum_counts(turns)
    # exp(-(ln 1/2 + ln 1/8) / 2) = √16; the spread of ln p is ln 2, so exp(-ln 2) / √2.
    assert combine(sums)["action_perplexity"] == pytest.approx(4)
    assert std_err(sums)["action_perplexity"] == pytest.approx(0.5 / math.sqrt(2))
    # One of two right: spread 1/2.
    assert combine(sums)["action_accuracy"] == 0.5
    assert std_err(sums)["action_accuracy"] == pytest.approx(0.5 / math.sqrt(2))


def test_no_probability_for_the_gold_action_is_counted() -> None:
    counts = score_action(GoldAction("Add"), predict("Show"))
    assert counts["log_probs_missing"] == 1
    assert combine(counts)["action_perplexity"] is None


def test_impossible_gold_action_has_infinite_perplexity() -> None:
    predicted = PredictedAction("Show", {}, {"Show": -math.inf})
    counts = score_action(GoldAction("Show"), predicted)
    assert combine(counts)["action_perplexity"] == math.inf
    assert std_err(counts)["action_perplexity"] is None


def test_confusion_has_predictions_in_rows() -> None:
    turns = [("Show", "Show"), ("Show", "None"), ("Show", "None"), ('odd "name"', "None")]
    sums = sum_counts(score_action(GoldAction(gold), predict(given)) for gold, given in turns)
    confusion = confusion_matrix(sums)
    assert confusion.actions == ["None", "Show", 'odd "name"']
    assert confusion.matrix == [[0, 2, 1], [0, 1, 0], [0, 0, 0]]


def test_an_empty_attribute_that_is_not_answered_is_counted_apart() -> None:
    gold = GoldAction(
        "SearchFurniture", {"args": {"color": "", "furnitureType": "Sofas", "minPrice": 1}}
    )
    found = score_action(gold, PredictedAction("SearchFurniture", {"furnitureType": "Sofas"}, {}))
    # `color` is empty and asked for; `minPrice` is never looked at.
    assert (found["attributes"], found["attribute_score"]) == (1, 1)
    assert (found["attributes_missing"], found["empty_attributes_missing"]) == (0, 1)
