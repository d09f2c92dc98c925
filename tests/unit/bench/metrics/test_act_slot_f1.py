from __future__ import annotations

import pytest

from commonground.bench.metrics.act_slot_f1 import ActFrame, combine, score_acts

GOLD = [ActFrame("inform", (("city", "Oslo"), ("price", None))), ActFrame("thank")]


def test_the_turn_itself_is_right_in_any_order() -> None:
    turned = [ActFrame("thank"), ActFrame("inform", (("price", None), ("city", "Oslo")))]
    values = combine(score_acts(GOLD, turned))
    assert set(values.values()) == {1.0}


def test_acts_slots_and_values_are_counted_apart() -> None:
    predicted = [ActFrame("inform", (("city", "Rome"),)), ActFrame("ask", (("price", None),))]
    values = combine(score_acts(GOLD, predicted))
    # Acts: inform of (inform, ask). Slots: inform(city) of 2. Values: none of 2.
    assert (values["act_precision"], values["act_recall"]) == (0.5, 0.5)
    assert (values["slot_precision"], values["slot_recall"]) == (0.5, 0.5)
    assert (values["value_precision"], values["value_f1"]) == (0.0, 0.0)
    assert values["exact"] == 0.0


def test_repeated_acts_count_as_often_as_they_are_there() -> None:
    counts = score_acts([ActFrame("thank")], [ActFrame("thank"), ActFrame("thank")])
    assert (counts["correct_acts"], counts["predicted_acts"], counts["exact"]) == (1, 2, 0)


def test_a_turn_without_acts() -> None:
    values = combine(score_acts([], []))
    assert values["exact"] == 1.0
    assert values["act_f1"] is None
    assert combine(score_acts(GOLD, []))["act_recall"] == pytest.approx(0)
