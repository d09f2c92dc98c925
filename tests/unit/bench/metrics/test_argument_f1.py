from __future__ import annotations

from typing import Any

import pytest

from commonground.bench.metrics.argument_f1 import Call, combine, score_call
from commonground.statistics.counts import sum_counts

GOLD = Call("book", {"film": "The Long Way", "seats": 2})


def test_one_of_two_arguments() -> None:
    counts = score_call(GOLD, Call("book", {"film": " the  long WAY", "time": "late"}))
    assert counts["correct_arguments"] == 1
    assert (counts["gold_arguments"], counts["predicted_arguments"]) == (2, 2)
    assert (counts["names_correct"], counts["exact"]) == (1, 0)


def test_arguments_of_another_api_are_wrong() -> None:
    counts = score_call(GOLD, Call("find", GOLD.arguments))
    assert (counts["names_correct"], counts["correct_arguments"]) == (0, 0)


@pytest.mark.parametrize("seats", [2.0, "2", True, None, [2, 2]])
def test_other_types_are_other_values(seats: Any) -> None:
    predicted = Call("book", {"film": "The Long Way", "seats": seats})
    assert score_call(GOLD, predicted)["correct_arguments"] == 1


def test_a_list_of_one_value_is_that_value() -> None:
    predicted = Call("book", {"film": ["The Long Way"], "seats": [2]})
    assert score_call(GOLD, predicted)["exact"] == score_call(GOLD, GOLD)["exact"] == 1


def test_nested_values_are_compared_whole() -> None:
    one = Call("book", {"seats": [{"row": "A", "number": 1}]})
    other = Call("book", {"seats": [{"number": 1, "row": "a"}]})
    assert score_call(one, other)["exact"] == 1


def test_values_of_four_turns() -> None:
    pairs = [(GOLD, GOLD), (GOLD, None), (None, Call("find", {})), (None, None)]
    values = combine(sum_counts(score_call(*pair) for pair in pairs))
    # Names: the first and the last of four. Calls: 1 of 2 both ways. Arguments: 2 of 2, 2 of 4.
    assert values == pytest.approx(
        {
            "name_accuracy": 0.5,
            "call_precision": 0.5,
            "call_recall": 0.5,
            "call_f1": 0.5,
            "argument_precision": 1.0,
            "argument_recall": 0.5,
            "argument_f1": 2 / 3,
            "exact_match": 0.5,
        }
    )
