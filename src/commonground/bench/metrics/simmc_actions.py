"""The assistant's next action of SIMMC and its attributes.

Official behaviour that is kept: a turn that is predicted twice counts twice, one that is not
predicted does not count; where the action is wrong every gold attribute that is not ignored is
wrong, also an empty one; where it is right empty ones are passed over.
:data:`SIMMC_ACTIONS_ALL_TURNS` counts every gold turn once and no empty attribute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from commonground.metric import Counts, Metric, PrintedTable, Values
from commonground.statistics.counts import ratio, spread, standard_error, to_float

IGNORED_ATTRIBUTES = frozenset(
    {
        "minPrice",
        "maxPrice",
        "furniture_id",
        "material",
        "decorStyle",
        "intendedRoom",
        "raw_matches",
        "focus",
    }
)
"""Gold attributes that are never scored."""

_CONFUSION = "confusion "
_SMALL = 1e-5  # the script adds it to the denominator of F1, so that right lists come to 0.999995


class GoldAction(msgspec.Struct, frozen=True):
    """What the assistant did at a turn.

    Attributes:
        action: its name; ``None`` is one.
        supervision: its attributes, as released: they may be nested under ``args``.
    """

    action: str
    supervision: Mapping[str, Any] | None = None


class PredictedAction(msgspec.Struct, frozen=True):
    """What was predicted.

    Attributes:
        log_probs: natural logarithm of the probability of each action, by name.
    """

    action: str
    attributes: Mapping[str, Any]
    log_probs: Mapping[str, float]


class Confusion(msgspec.Struct, frozen=True):
    """How often which action was taken for which.

    Attributes:
        actions: the labels of rows and columns, sorted.
        matrix: a row for each predicted action, a column for each gold one.
    """

    actions: list[str]
    matrix: list[list[float]]


def score_action(gold: GoldAction, predicted: PredictedAction) -> dict[str, float]:
    """Counts one turn as the official script does.

    ``log_probs_missing`` and ``attributes_missing`` count what stops the official script: no
    probability for the gold action, and no (or no list-valued) answer for an attribute; the
    latter count as wrong. ``empty_attributes_missing`` stops it, too, and counts for nothing:
    where the gold value is empty the script asks for an answer before it passes over it.
    """
    is_right = gold.action == predicted.action
    counts = _count_action(gold.action, predicted, is_right)
    supervision = unnest_attributes(gold.supervision)
    if not is_right:
        wrong = sum(key not in IGNORED_ATTRIBUTES for key in supervision)
        return counts | {"attributes": wrong}
    return counts | _count_attributes(supervision, predicted.attributes)


def score_action_once(gold: GoldAction, predicted: PredictedAction | None) -> dict[str, float]:
    """Counts one gold turn, predicted or not; empty gold attributes never count."""
    if predicted is not None and gold.action == predicted.action:
        return score_action(gold, predicted)
    counts: dict[str, float] = {"actions": 1}
    if predicted is not None:
        counts = _count_action(gold.action, predicted, False)
    supervision = unnest_attributes(gold.supervision)
    counts["attributes"] = sum(
        key not in IGNORED_ATTRIBUTES and not _is_empty(value) for key, value in supervision.items()
    )
    return counts | {"turns_missing": int(predicted is None)}


def unnest_attributes(supervision: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns gold attributes: furniture has them under ``args``, fashion as they are."""
    if supervision is not None and "args" in supervision:
        supervision = supervision["args"]
    return supervision or {}


def _count_action(gold: str, predicted: PredictedAction, is_right: bool) -> dict[str, float]:
    # Counts are summed by one flat name, and an action may hold any character: JSON keeps the two
    # apart.
    pair = msgspec.json.encode([predicted.action, gold]).decode()
    counts: dict[str, float] = {
        "actions": 1,
        "actions_correct": int(is_right),
        _CONFUSION + pair: 1,
    }
    log_prob = predicted.log_probs.get(gold)
    if log_prob is None:
        return counts | {"log_probs_missing": 1}
    # Squares are summed too, so that standard errors come from sums that can be merged.
    log_prob = to_float(log_prob)
    squared = log_prob * log_prob
    return counts | {"log_probs": 1, "log_prob": log_prob, "log_prob_squared": squared}


def _count_attributes(
    supervision: Mapping[str, Any], answers: Mapping[str, Any]
) -> dict[str, float]:
    scores, missing, unasked = [], 0, 0
    for key, value in supervision.items():
        if key in IGNORED_ATTRIBUTES:
            continue
        if _is_empty(value):
            # The script asks for an answer first, and stops with a KeyError where there is none.
            unasked += key not in answers
            continue
        answer = answers.get(key)
        fits = key in answers and (isinstance(answer, list) or not isinstance(value, list))
        missing += not fits
        scores.append(_score_attribute(value, answer) if fits else 0.0)
    return {
        "attributes": len(scores),
        "attribute_score": sum(scores),
        "attribute_score_squared": sum(score * score for score in scores),
        "attributes_missing": missing,
        "empty_attributes_missing": unasked,
    }


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _score_attribute(gold: Any, predicted: Any) -> float:
    """Compares single values; scores lists by their F1, the denominator a little enlarged."""
    if not isinstance(gold, list):
        return float(gold == predicted)
    # By membership, as in the script: a value that stands there twice counts twice.
    recall = sum(each in predicted for each in gold) / len(gold)
    precision = sum(each in gold for each in predicted) / len(predicted) if predicted else 0.0
    return 2 * recall * precision / (recall + precision + _SMALL)


def combine(sums: Counts) -> Values:
    """Returns accuracy and perplexity of actions and the mean score of attributes."""
    mean = ratio(sums.get("log_prob", 0), sums.get("log_probs", 0))
    return {
        "action_accuracy": ratio(sums.get("actions_correct", 0), sums.get("actions", 0)),
        "action_perplexity": None if mean is None else _exp(-mean),
        "attribute_accuracy": ratio(sums.get("attribute_score", 0), sums.get("attributes", 0)),
    }


def std_err(sums: Counts) -> Values:
    """Returns the official standard errors; that of perplexity is exp(-sd of log p) / √n.

    No error of a perplexity is computed so, but the script does (``action_evaluation.py``).
    """
    correct, actions = sums.get("actions_correct", 0), sums.get("actions", 0)
    number = sums.get("log_probs", 0)
    deviation = spread(number, sums.get("log_prob", 0), sums.get("log_prob_squared", 0))
    score, squares = sums.get("attribute_score", 0), sums.get("attribute_score_squared", 0)
    return {
        "action_accuracy": standard_error(actions, correct, correct),
        "action_perplexity": None if deviation is None else _exp(-deviation) / math.sqrt(number),
        "attribute_accuracy": standard_error(sums.get("attributes", 0), score, squares),
    }


def _exp(exponent: float) -> float:
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf


def confusion_matrix(sums: Counts) -> Confusion:
    """Lays out which actions were predicted for which."""
    pairs = {
        tuple(msgspec.json.decode(name[len(_CONFUSION) :], type=list[str])): count
        for name, count in sums.items()
        if name.startswith(_CONFUSION) and count
    }
    actions = sorted({action for pair in pairs for action in pair})
    matrix = [[pairs.get((row, column), 0.0) for column in actions] for row in actions]
    return Confusion(actions, matrix)


def list_tables(sums: Counts) -> list[PrintedTable]:
    """Returns the confusion matrix as a table."""
    found = confusion_matrix(sums)
    title = "How often an action was predicted (row) where another was right (column)."
    rows: list[list[str | float]] = [
        [action, *numbers] for action, numbers in zip(found.actions, found.matrix, strict=True)
    ]
    return [
        PrintedTable(name="confusion", title=title, head=["predicted", *found.actions], rows=rows)
    ]


SIMMC_ACTIONS = Metric(
    name="simmc_actions",
    version="1",
    title="Accuracy and perplexity of the assistant's action, and accuracy of its attributes.",
    matches="facebookresearch/simmc@2747421 mm_action_prediction/tools/action_evaluation.py",
    score=score_action,
    combine=combine,
    std_err=std_err,
    tables=list_tables,
    lower=("action_perplexity",),
    best={"action_perplexity": None},  # a choice is right however sure it was
    parts={
        "action_accuracy": ("actions_correct", "actions"),
        "action_perplexity": ("log_probs", "log_probs_missing"),
        "attribute_accuracy": ("attribute_score", "attributes"),
    },
)

SIMMC_ACTIONS_ALL_TURNS = msgspec.structs.replace(
    SIMMC_ACTIONS,
    name="simmc_actions_all_turns",
    title="As simmc_actions, with missing turns wrong and empty attributes never counted.",
    matches=None,
    score=score_action_once,
    counts_missing=True,
)
