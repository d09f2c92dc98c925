"""Belief states of SIMMC: joint accuracy, acts and slots.

Official behaviour that is kept: frames are paired by position within a turn; predicted frames
beyond the gold ones are ignored, also in precision; joint accuracy is per frame; slots count
although the act is wrong. :data:`SIMMC_DST_ALL_FRAMES` counts every predicted frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import harmonic_mean, ratio


class BeliefFrame(msgspec.Struct, frozen=True, gc=False):
    """One frame of a turn's belief state.

    Attributes:
        act: the dialogue act; None where the frame has none.
        slots: names and values, in order.
    """

    act: str | None
    slots: tuple[tuple[str, str], ...] = ()


_NO_FRAME = BeliefFrame(None)


def score_turn(gold: Sequence[BeliefFrame], predicted: Sequence[BeliefFrame]) -> dict[str, int]:
    """Counts one turn; the counts bear the official names, but for ``n_turns`` and ``n_extra_*``.

    ``n_extra_acts`` and ``n_extra_slots`` are those of predicted frames beyond the gold ones.
    """
    acts = slots = true_acts = pred_acts = true_slots = pred_slots = beliefs = 0
    for position, frame in enumerate(gold):
        # Compared place by place, as in the script: right frames in another order are wrong.
        answer = predicted[position] if position < len(predicted) else _NO_FRAME
        is_act = frame.act == answer.act
        true = _join_slots(frame)
        pred = true if answer.slots == frame.slots else _join_slots(answer)
        acts += is_act  # null equals null: a frame without an act that is predicted so is right
        true_acts += frame.act is not None
        pred_acts += answer.act is not None
        true_slots += len(true)
        pred_slots += len(pred)
        slots += len(true & pred)
        beliefs += is_act and true == pred
    # The script's loop runs over gold frames and never comes to these; the variant counts them.
    extra = predicted[len(gold) :]
    return {
        "n_frames": len(gold),
        "n_true_acts": true_acts,
        "n_pred_acts": pred_acts,
        "n_correct_acts": acts,
        "n_true_slots": true_slots,
        "n_pred_slots": pred_slots,
        "n_correct_slots": slots,
        "n_correct_beliefs": beliefs,
        "n_turns": 1,
        "n_correct_turns": int(beliefs == len(gold) and not extra),
        "n_extra_acts": sum(frame.act is not None for frame in extra) if extra else 0,
        "n_extra_slots": sum(len(_join_slots(frame)) for frame in extra) if extra else 0,
    }


def _join_slots(frame: BeliefFrame) -> set[str]:
    # A set, as in the script: a slot that a frame has twice counts once.
    return {f"{name}={value}" for name, value in frame.slots}


def combine(sums: Counts) -> Values:
    """Returns the official values: joint accuracy per frame, and the rates of acts and slots."""
    values: Values = {"joint_accuracy": _ratio(sums, "n_correct_beliefs", "n_frames")}
    for part in ("act", "slot"):
        values.update(_rates(sums, part, sums.get(f"n_pred_{part}s", 0)))
    return values


def combine_all_frames(sums: Counts) -> Values:
    """Returns values that count extra predicted frames, and joint accuracy per turn as well."""
    values: Values = {
        "joint_accuracy": _ratio(sums, "n_correct_beliefs", "n_frames"),
        "turn_accuracy": _ratio(sums, "n_correct_turns", "n_turns"),
    }
    for part in ("act", "slot"):
        predicted = sums.get(f"n_pred_{part}s", 0) + sums.get(f"n_extra_{part}s", 0)
        values.update(_rates(sums, part, predicted))
    return values


def _ratio(sums: Counts, numerator: str, denominator: str) -> float | None:
    return ratio(sums.get(numerator, 0), sums.get(denominator, 0))


def _rates(sums: Counts, part: str, predicted: float) -> Values:
    recall = _ratio(sums, f"n_correct_{part}s", f"n_true_{part}s")
    precision = ratio(sums.get(f"n_correct_{part}s", 0), predicted)
    return {
        f"{part}_rec": recall,
        f"{part}_prec": precision,
        f"{part}_f1": harmonic_mean(precision, recall),
    }


def std_err(sums: Counts) -> Values:
    """Returns the official standard errors, which exist for the two F1 only."""
    return {f"{part}_f1": _f1_error(sums, part) for part in ("act", "slot")}


def _f1_error(sums: Counts, part: str) -> float | None:
    """Propagates the errors of recall and precision to F1; None where nothing is correct.

    From 2/F1 = 1/r + 1/p follows dF1 = F1²/2 · (dr/r² + dp/p²).
    """
    correct = sums.get(f"n_correct_{part}s", 0)
    true, predicted = sums.get(f"n_true_{part}s", 0), sums.get(f"n_pred_{part}s", 0)
    if not (correct and true and predicted):
        return None
    recall, precision = correct / true, correct / predicted
    f1 = 2 * precision * recall / (precision + recall)
    errors = _share_error(recall, true) / recall**2 + _share_error(precision, predicted) / (
        precision**2
    )
    return f1**2 / 2 * errors


def _share_error(share: float, number: float) -> float:
    # The script lays out ones and zeros and takes their deviation: it is the root of p (1 - p).
    return math.sqrt(max(0.0, share * (1 - share)) / number)


def _list_parts(*extra: str) -> dict[str, tuple[str, ...]]:
    parts: dict[str, tuple[str, ...]] = {"joint_accuracy": ("n_correct_beliefs", "n_frames")}
    for part in ("acts", "slots"):
        true, predicted = f"n_true_{part}", (f"n_pred_{part}", *(f"{x}_{part}" for x in extra))
        name = part.removesuffix("s")
        parts[f"{name}_rec"] = (f"n_correct_{part}", true)
        parts[f"{name}_prec"] = (f"n_correct_{part}", *predicted)
        parts[f"{name}_f1"] = (f"n_correct_{part}", true, *predicted)
    return parts


def find_zero_divisions(sums: Counts) -> list[str]:
    """Says where the official script divides by zero, which stops it.

    Its standard error of F1 divides by recall and precision, so it is enough that nothing is right.
    """
    return [
        f"n_correct_{part} is 0, n_true_{part} is {sums.get(f'n_true_{part}', 0):g}, "
        f"n_pred_{part} is {sums.get(f'n_pred_{part}', 0):g}"
        for part in ("acts", "slots")
        if not sums.get(f"n_correct_{part}")
    ]


SIMMC_DST = Metric(
    name="simmc_dst",
    version="2",
    title="Joint accuracy per frame, and recall, precision and F1 of acts and slots.",
    matches="facebookresearch/simmc@2747421 mm_dst/utils/evaluate_dst.py",
    score=score_turn,
    combine=combine,
    std_err=std_err,
    parts=_list_parts(),
)

SIMMC_DST_ALL_FRAMES = Metric(
    name="simmc_dst_all_frames",
    version="2",
    title="As simmc_dst, with predicted frames beyond the gold ones counted as wrong.",
    score=score_turn,
    combine=combine_all_frames,
    parts=_list_parts("n_extra"),
)
