from __future__ import annotations

import math
from typing import Any

import pytest
from tests.golden.frames_tables import render_tables

from commonground.bench.metrics.frames_tracking import (
    GoldTurn,
    combine,
    list_references,
    score_turn,
    score_turn_corrected,
    tracking_tables,
)
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts


def slot(key: str, value: str = "x") -> dict[str, Any]:
    return {"key": key, "val": value}


def refer(frame: Any, *slots: dict[str, Any]) -> dict[str, Any]:
    return {"key": "ref", "val": [{"frame": frame, "annotations": list(slots)}]}


def act(*args: dict[str, Any], name: str = "inform") -> dict[str, Any]:
    return {"name": name, "args": list(args)}


def test_slots_come_before_bare_references() -> None:
    args = (refer(3), slot("city"), {"key": "id", "val": 7}, refer(2, slot("price")))
    found = [(each.frame, each.slot) for each in list_references(act(*args), 1)]
    assert found == [(1, "city"), (2, "price"), (3, "NOANNO")]


def test_an_act_without_references_refers_to_the_active_frame() -> None:
    found = [(each.frame, each.slot) for each in list_references(act(slot("city")), 4)]
    assert found == [(4, "city"), (4, "NOANNO")]


def test_a_slot_of_the_active_frame() -> None:
    gold = GoldTurn([act(slot("city"))], 2, ["new"])
    counts = score_turn(gold, [act(refer([0.2, 0.8], slot("city")))])
    tables = tracking_tables(counts)
    for tag in ("new", "total"):
        assert tables.cnt[f"{tag}_accuracy"] == tables.cnt[f"{tag}_cnt"] == 1
        assert tables.cnt[f"{tag}_loglik"] == pytest.approx(math.log(0.8))
    assert tables.cnt_comb["inform:city_count"] == 1
    # Nothing is predicted for the bare reference to the active frame.
    assert tables.cnt_noanno == {
        "new_cnt": 1,
        "new_accuracy": 0,
        "new_loglik": math.log(1e-6),
        "total_cnt": 1,
        "total_accuracy": 0,
        "total_loglik": math.log(1e-6),
    }


@pytest.mark.parametrize(
    ("shares", "official", "corrected"),
    [
        ([1.0, 3.0], 3 / 4, 3 / 4),  # above 1: normalised
        ([0.1, 0.3], 0.3, 3 / 4),  # below 1: officially not
        ([1.0], 1e-6, 1e-6),  # no share for frame 2: the floor
        ([1.0, 0.0], 1e-6, 1e-6),
    ],
)
def test_likelihood_of_the_right_frame(
    shares: list[float], official: float, corrected: float
) -> None:
    gold, predicted = GoldTurn([act(slot("city"))], 2), [act(refer(shares, slot("city")))]
    for score, share in (score_turn, official), (score_turn_corrected, corrected):
        found = score(gold, predicted)["tag/total_loglik"]
        assert found == pytest.approx(math.log(share))


def test_a_slot_without_distribution_is_right_where_frame_one_is() -> None:
    for active, right in ((1, 1), (2, 0)):
        counts = score_turn(GoldTurn([act(slot("city"))], active), [act(slot("city"))])
        assert counts["tag/total_accuracy"] == right
        assert counts["tag/total_loglik"] == math.log(1e-6)


def test_bare_references_are_right_all_or_none() -> None:
    gold = GoldTurn([act(refer(1), refer(3))], 1)
    counts = score_turn(gold, [act(refer([0.9, 0.2, 0.6]))])
    assert counts["noanno/total_accuracy"] == 1
    # The official likelihood is of the wrong ones: 1 - 0.9, 1 - 0.6 and 0.2.
    official = (math.log(0.1) + math.log(0.4) + math.log(0.2)) / 3
    assert counts["noanno/total_loglik"] == pytest.approx(official)
    corrected = score_turn_corrected(gold, [act(refer([0.9, 0.2, 0.6]))])
    right = (math.log(0.9) + math.log(0.6) + math.log(0.8)) / 3
    assert corrected["noanno/total_loglik"] == pytest.approx(right)


def test_a_sure_bare_reference_is_minus_infinity_officially() -> None:
    gold = GoldTurn([act(refer(1))], 1)
    assert score_turn(gold, [act(refer([1.0]))])["noanno/total_loglik"] == -math.inf
    assert score_turn_corrected(gold, [act(refer([1.0]))])["noanno/total_loglik"] == 0


def test_bare_shares_where_nothing_refers() -> None:
    gold = GoldTurn([act(refer(1, slot("city")))], 1)
    predicted = [act(refer([1.0], slot("city")), refer([0.25]))]
    counts = score_turn(gold, predicted)
    assert counts["noanno/total_accuracy"] == 1
    assert counts["noanno/total_loglik"] == pytest.approx(math.log(0.25))
    # No frame is referred to, so what is likely is that this one is not.
    corrected = score_turn_corrected(gold, predicted)
    assert corrected["noanno/total_loglik"] == pytest.approx(math.log(0.75))


def test_other_values_are_counted_as_warnings() -> None:
    gold = GoldTurn([act(slot("city", "Oslo"))], 1)
    counts = score_turn(gold, [act(refer([2.0], slot("city", "Rome")))])
    assert (counts["warned/values"], counts["warned/sums"]) == (1, 1)
    assert counts["tag/total_accuracy"] == 1


@pytest.mark.parametrize(
    ("acts", "problem"),
    [
        ([], "The turn has 1 act, and 0 were predicted"),
        ([act(refer([1.0], slot("price")))], "expected city, found price"),
        ([act()], "expected city, found"),
        ([act(refer([], slot("city")))], "another form"),
        ([act(refer(1, slot("city")))], "another form"),
        ([{"name": "inform"}], "another form"),
        ([act(refer([1.0], refer(1)))], "within another"),
    ],
)
def test_acts_that_do_not_fit_are_refused(acts: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(TaskError, match=problem):
        score_turn(GoldTurn([act(slot("city"))], 1), acts)


def test_values_and_tables_of_two_turns() -> None:
    gold = GoldTurn([act(slot("city"))], 1)
    turns = [[act(refer(d, slot("city")), refer([0.9]))] for d in ([1.0], [0.0, 1.0])]
    sums = sum_counts(score_turn(gold, acts) for acts in turns)
    values = combine(sums)
    assert values["total_accuracy"] == values["inform:city_accuracy"] == 0.5
    assert values["total_noanno_accuracy"] == 1.0
    # ln 1e-6 / 2 = -6.9; ln(1 - 0.9) = -2.3.
    assert render_tables(sums)[0].splitlines() == [
        "Key      count    accuracy (%)    loglik    with-noanno (%)    with-noanno (loglik)",
        "-----  -------  --------------  --------  -----------------  ----------------------",
        "total        2              50      -6.9                100                    -2.3",
    ]


def test_tables_of_nothing_have_a_head() -> None:
    assert render_tables({})[1].startswith("Key  count  accuracy (%)")


def test_what_is_no_number_is_the_largest_of_its_distribution() -> None:
    gold = GoldTurn([act(slot("city"))], 2)
    # The official argmax takes NaN; the likelihood of frame 2 is its 0.3 as it stands.
    given = [act(refer([math.nan, 0.3, 0.1], slot("city")))]
    counts = score_turn(gold, given)
    assert counts["tag/total_accuracy"] == 0
    assert counts["tag/total_loglik"] == pytest.approx(math.log(0.3))
    # Corrected it is 0, so frame 2 is the largest, with 0.3 of 0.4.
    counts = score_turn_corrected(gold, given)
    assert counts["tag/total_accuracy"] == 1
    assert counts["tag/total_loglik"] == pytest.approx(math.log(0.75))


def test_the_likelihood_of_what_is_no_number_is_the_floor() -> None:
    counts = score_turn(
        GoldTurn([act(slot("city"))], 2), [act(refer([0.1, math.nan], slot("city")))]
    )
    assert counts["tag/total_accuracy"] == 1
    assert counts["tag/total_loglik"] == pytest.approx(math.log(1e-6))


def test_bare_references_that_are_no_number() -> None:
    gold = GoldTurn([act({"key": "ref", "val": [{"frame": 1}]})], 1)
    given = [act({"key": "ref", "val": [{"frame": [math.nan, 0.2]}]})]
    assert math.isnan(score_turn(gold, given)["noanno/total_loglik"])
    # Corrected: the right frame has 0, that is the floor of 1e-6, and the wrong one 1 - 0.2.
    found = score_turn_corrected(gold, given)["noanno/total_loglik"]
    assert found == pytest.approx((math.log(1e-6) + math.log(0.8)) / 2)
