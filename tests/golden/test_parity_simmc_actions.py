"""Actions: the numbers of the official script, on real and on defined predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.simmc_actions import (
    GoldAction,
    PredictedAction,
    combine,
    confusion_matrix,
    score_action,
    std_err,
)
from commonground.corpora.simmc.tasks.answers import is_last_turn
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import hash_text, read_json

Predictions = list[dict[str, Any]]
FASHION = "simmc1/fashion/fashion_devtest_dials_api_calls.json"
FURNITURE = "furniture_devtest_api_calls_derived.json"
ACTIONS = ("SearchDatabase", "SearchMemory", "SpecifyInfo", "AddToCart", "None")
ATTRIBUTES = ("availableSizes", "brand", "color", "customerRating", "info", "other", "price")
TRAIN = {
    "SpecifyInfo": 8224,
    "None": 5592,
    "SearchDatabase": 3617,
    "AddToCart": 3068,
    "SearchMemory": 695,
}


def score_all(gold: Any, predictions: Predictions, single: bool) -> dict[str, float]:
    return sum_counts(score_turns(gold, predictions, single))


def score_turns(gold: Any, predictions: Predictions, single: bool) -> Iterator[dict[str, float]]:
    actions = {each["dialog_id"]: each["actions"] for each in gold}
    for dialogue in predictions:
        turns = actions[dialogue["dialog_id"]]
        for each in dialogue["predictions"]:
            if single and not is_last_turn(each["turn_id"], len(turns)):
                continue
            turn = turns[each["turn_id"]]
            yield score_action(
                GoldAction(turn["action"], turn["action_supervision"]),
                PredictedAction(each["action"], each["attributes"], each["action_log_prob"]),
            )


def predict_majority(_dialogue: int, _turn: dict[str, Any]) -> dict[str, Any]:
    """Rule S1."""
    log_probs = {action: math.log(count / 21196) for action, count in TRAIN.items()}
    return {
        "action": "SpecifyInfo",
        "attributes": {"attributes": ["price"]},
        "action_log_prob": log_probs,
    }


def predict_hash(dialogue: int, turn: dict[str, Any]) -> dict[str, Any]:
    """Rule S2."""
    h = hash_text(f"{dialogue}:{turn['turn_idx']}")
    action = turn["action"] if h % 4 else ACTIONS[(h // 4) % 5]
    attributes = [ATTRIBUTES[(h // 20) % 7]]
    if (h // 980) % 2:
        attributes.append(ATTRIBUTES[(h // 140) % 7])
    total = math.log(math.exp(3.0) + len(ACTIONS) - 1)
    log_probs = {each: (3.0 if each == action else 0.0) - total for each in ACTIONS}
    return {
        "action": action,
        "attributes": {"attributes": attributes},
        "action_log_prob": log_probs,
    }


RULES = {"S1_majority": predict_majority, "S2_hash": predict_hash}


def predict_rule(gold: Any, rule: str) -> Predictions:
    return [
        {
            "dialog_id": each["dialog_id"],
            "predictions": [
                {"turn_id": turn["turn_idx"], **RULES[rule](each["dialog_id"], turn)}
                for turn in each["actions"]
            ],
        }
        for each in gold
    ]


@cache
def read_case(data: Path, golden: Path, name: str) -> tuple[Any, Predictions]:
    if name in RULES:
        gold = read_json(data / FASHION)
        return gold, predict_rule(gold, name)
    if "furniture" in name:
        predicted = read_json(golden / "simmc" / "furniture_devtest_actions_predicted.json")
        return read_json(golden / "simmc" / FURNITURE), predicted
    predicted = read_json(golden / "simmc" / "fashion_devtest_actions_predicted.json")
    return read_json(data / FASHION), predicted


NAMES = (
    "boychaboy_fashion_devtest",
    "boychaboy_fashion_devtest|single",
    "boychaboy_furniture_devtest_vs_DERIVED_gt",
    "S1_majority",
    "S2_hash",
)


@pytest.mark.parametrize("name", NAMES)
def test_official_values(data: Path, golden: Path, expected: Any, name: str) -> None:
    entry = expected["simmc_actions"][name]
    base, _, mode = name.partition("|")
    sums = score_all(*read_case(data, golden, base), mode == "single")
    assert sums["actions"] == entry["n"]
    for values, wanted in (combine(sums), entry["metrics"]), (std_err(sums), entry["std_err"]):
        assert values == pytest.approx(wanted, rel=0, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_official_confusion(data: Path, golden: Path, expected: Any, name: str) -> None:
    base, _, mode = name.partition("|")
    sums = score_all(*read_case(data, golden, base), mode == "single")
    assert confusion_matrix(sums).matrix == expected["simmc_actions"][name]["confusion"]


def test_every_entry_is_tested(expected: Any) -> None:
    assert set(expected["simmc_actions"]) == set(NAMES)
