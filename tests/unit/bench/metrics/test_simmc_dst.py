from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.simmc_dst import (
    SIMMC_DST_ALL_FRAMES,
    BeliefFrame,
    combine,
    score_turn,
    std_err,
)
from commonground.statistics.counts import sum_counts

LAMP = BeliefFrame("ASK:LAMP", (("color", "red"), ("price", "low")))
SHELF = BeliefFrame("GET:SHELF", (("width", "2 m"),))
FRAMES = st.lists(
    st.builds(
        BeliefFrame,
        st.sampled_from("AB"),
        st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("12"))).map(tuple),
    ),
    max_size=3,
)


def test_a_frame_with_one_of_two_slots() -> None:
    given_frame = BeliefFrame("ASK:LAMP", (("color", "red"), ("size", "big"), ("color", "red")))
    counts = score_turn([LAMP], [given_frame])
    # The repeated slot counts once: predicted {color=red, size=big}, of which one is right.
    assert counts["n_true_slots"] == 2
    assert counts["n_pred_slots"] == 2
    assert counts["n_correct_slots"] == 1
    assert counts["n_correct_acts"] == 1
    assert counts["n_correct_beliefs"] == 0


def test_slots_count_although_the_act_is_wrong() -> None:
    counts = score_turn([LAMP], [BeliefFrame("GET:LAMP", LAMP.slots)])
    assert (counts["n_correct_acts"], counts["n_correct_slots"]) == (0, 2)


def test_frames_are_paired_by_position() -> None:
    counts = score_turn([LAMP, SHELF], [SHELF, LAMP])
    assert counts["n_correct_acts"] == counts["n_correct_slots"] == 0


def test_a_missing_frame_predicts_nothing() -> None:
    counts = score_turn([LAMP, SHELF], [LAMP])
    assert (counts["n_frames"], counts["n_pred_acts"], counts["n_correct_beliefs"]) == (2, 1, 1)


def test_extra_frames_are_ignored_officially_and_counted_by_the_other_metric() -> None:
    sums = sum_counts([score_turn([LAMP], [LAMP, SHELF])])
    official, corrected = combine(sums), SIMMC_DST_ALL_FRAMES.combine(sums)
    assert official["act_prec"] == official["slot_prec"] == 1.0
    # One of two acts, two of three slots, and no turn is wholly right.
    assert corrected["act_prec"] == 0.5
    assert corrected["slot_prec"] == pytest.approx(2 / 3)
    assert corrected["turn_accuracy"] == 0.0


def test_values_of_two_turns() -> None:
    sums = sum_counts([score_turn([LAMP], [LAMP]), score_turn([SHELF], [BeliefFrame("NO")])])
    # Acts: 1 of 2 both ways. Slots: 2 of 3 found, 2 of 2 predicted right.
    assert combine(sums) == pytest.approx(
        {
            "joint_accuracy": 0.5,
            "act_rec": 0.5,
            "act_prec": 0.5,
            "act_f1": 0.5,
            "slot_rec": 2 / 3,
            "slot_prec": 1.0,
            "slot_f1": 0.8,
        }
    )


def test_standard_error_of_f1() -> None:
    sums = {"n_true_acts": 4, "n_pred_acts": 4, "n_correct_acts": 2}
    # r = p = F1 = 1/2; dr = dp = √(1/4) / √4 = 1/4; dF1 = 1/8 · (1/4 + 1/4) / (1/4) = 1/4.
    assert std_err(sums)["act_f1"] == pytest.approx(0.25)
    assert std_err(sums)["slot_f1"] is None


def test_nothing_predicted_leaves_precision_undefined() -> None:
    sums = sum_counts([score_turn([LAMP], [])])
    values = combine(sums)
    assert (values["act_rec"], values["act_prec"], values["act_f1"]) == (0.0, None, 0.0)
    assert std_err(sums)["act_f1"] is None


@given(FRAMES)
def test_the_gold_turn_itself_is_right(frames: list[BeliefFrame]) -> None:
    counts = score_turn(frames, frames)
    assert counts["n_correct_beliefs"] == counts["n_frames"] == len(frames)
    assert counts["n_correct_turns"] == 1


@given(FRAMES, FRAMES)
def test_values_are_shares(gold: list[BeliefFrame], predicted: list[BeliefFrame]) -> None:
    for value in combine(score_turn(gold, predicted)).values():
        assert value is None or (0 <= value <= 1 and not math.isnan(value))
