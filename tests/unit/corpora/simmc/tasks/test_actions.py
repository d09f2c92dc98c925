from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from commonground.bench.evaluation.instances import write_scored
from commonground.bench.evaluation.scoring import Evaluation, evaluate_predictions
from commonground.corpora.simmc.tasks.actions import TASK, show_action
from commonground.errors import SourceError, TaskError
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring

FLAT = {"attributes": ["price"]}
GOLD = [
    {
        "dialog_id": 7,
        "focus_images": [1, 1],
        "actions": [
            {"turn_idx": 0, "action": "SpecifyInfo", "action_supervision": FLAT},
            {"turn_idx": 1, "action": "None", "action_supervision": None},
        ],
    }
]


def turn(number: Any, action: str = "SpecifyInfo", **changed: Any) -> dict[str, Any]:
    probs = {"SpecifyInfo": -0.5, "None": -1.0}
    return {
        "turn_id": number,
        "action": action,
        "attributes": FLAT,
        "action_log_prob": probs,
        **changed,
    }


RIGHT = [turn(0), turn(1, "None")]


def score(folder: Path, predicted: Any, *, gold: Any = GOLD, single: bool = False) -> Scoring:
    (folder / "fashion_dev_dials_api_calls.json").write_text(json.dumps(gold))
    (folder / "p.json").write_text(json.dumps(predicted))
    named = Gold(files=[folder / "fashion_dev_dials_api_calls.json"])
    return TASK.score_file(folder / "p.json", named, mode="single-round" if single else None)


def one(*turns: Any, number: Any = 7) -> Any:
    return [{"dialog_id": number, "predictions": list(turns)}]


def values(scoring: Scoring, measure: int = 0) -> dict[str, float | None]:
    chosen = TASK.measures[measure]
    counts = [each.counts for each in scoring.instances]
    return chosen.combine(sum_counts(each[chosen.name] for each in counts if chosen.name in each))


def test_right_answers(tmp_path: Path) -> None:
    scoring = score(tmp_path, one(*RIGHT))
    assert values(scoring)["action_accuracy"] == 1
    assert [each.instance_id for each in scoring.instances] == ["fashion-7:0", "fashion-7:1"]
    assert not scoring.problems


def test_nested_supervision_counts_alike(tmp_path: Path) -> None:
    nested = json.loads(json.dumps(GOLD))
    nested[0]["actions"][0]["action_supervision"] = {"args": FLAT}
    assert values(score(tmp_path, one(*RIGHT), gold=nested)) == values(score(tmp_path, one(*RIGHT)))


def test_single_round_takes_last_turn(tmp_path: Path) -> None:
    scoring = score(tmp_path, one(*RIGHT), single=True)
    assert [each.instance_id for each in scoring.instances] == ["fashion-7:1"]
    assert not scoring.problems


@pytest.mark.parametrize(
    ("predicted", "kind"),
    [
        ([*one(*RIGHT), *one(turn(0), number=8)], "unknown dialogues"),
        ([*one(*RIGHT), *one(turn(0), number="7")], "unknown dialogues"),
        (one(*RIGHT, turn(2)), "unknown turns"),
        (one(turn(0), turn(-1, "None")), "turns counted from the end"),
        ([*one(turn(0)), *one(turn(1))], "repeated dialogues"),
        (one(*RIGHT, turn(0)), "repeated turns"),
        (one(turn(0)), "missing turns"),
        (one(*RIGHT, turn(None)), "malformed entries"),
        (one(*RIGHT, 3), "malformed entries"),
        (one(*RIGHT, {**turn(0), "action": 4}), "malformed entries"),
        (one(*RIGHT, turn(0, action_log_prob={"SpecifyInfo": "x"})), "malformed entries"),
        ([*one(*RIGHT), {"dialog_id": 7}], "malformed entries"),
        (one(turn(0, action_log_prob={"SpecifyInfo": float("nan")})), "not a number"),
        (one(turn(0, action_log_prob={"None": -1.0})), "log probability missing"),
        (one(turn(0, action_log_prob={"SpecifyInfo": 0.1})), "log probability above 0"),
        (one(turn(0, action_log_prob={"SpecifyInfo": 10**400})), "whole numbers beyond a float's"),
        (one(turn(0, attributes={})), "attribute missing"),
        (one(turn(0, attributes=None)), "attribute missing"),
    ],
)
def test_wrong_predictions_are_told(tmp_path: Path, predicted: Any, kind: str) -> None:
    scoring = score(tmp_path, predicted)
    assert {each.kind: each.count for each in scoring.problems}[kind] == 1


@pytest.mark.parametrize("mask", [-1.797e308, -(10**400), float("-inf")])
def test_a_mask_for_a_log_probability_makes_perplexity_infinite(
    tmp_path: Path, mask: float
) -> None:
    more = [{**GOLD[0], "dialog_id": number} for number in (7, 8, 9)]
    masked = turn(0, action_log_prob={"SpecifyInfo": mask})
    predicted = [each for n in (7, 8, 9) for each in one(masked, RIGHT[1], number=n)]
    # As action_evaluation.py of facebookresearch/simmc@2747421 prints: 1.0, and inf.
    assert values(score(tmp_path, predicted, gold=more))["action_perplexity"] == math.inf
    gold = Gold(files=[tmp_path / "fashion_dev_dials_api_calls.json"])
    result = evaluate_predictions(TASK, tmp_path / "p.json", gold).result
    accuracy, perplexity = result.measures[0].values[:2]
    assert (accuracy.value, perplexity.value) == (1, None)
    told = next(each for each in result.problems if each.kind == "infinite values")
    assert told.example == "simmc_actions:action_perplexity"


def test_single_round_passes_over_whatever_is_no_last_turn(tmp_path: Path) -> None:
    # action_evaluation.py of facebookresearch/simmc@2747421 looks at the turn before all else.
    odd = [{"turn_id": 0}, {"turn_id": 0.5, "action": "None"}]
    scoring = score(tmp_path, one(*odd, RIGHT[1]), single=True)
    assert [each.instance_id for each in scoring.instances] == ["fashion-7:1"]
    assert not scoring.problems


def test_true_is_turn_one(tmp_path: Path) -> None:
    scoring = score(tmp_path, one(turn(0), {**RIGHT[1], "turn_id": True}))
    assert [each.instance_id for each in scoring.instances] == ["fashion-7:0", "fashion-7:1"]


def test_missing_dialogue_is_wrong_in_corrected_measure(tmp_path: Path) -> None:
    more = [*GOLD, {**GOLD[0], "dialog_id": 8}]
    scoring = score(tmp_path, one(*RIGHT), gold=more)
    assert values(scoring)["action_accuracy"] == 1
    assert values(scoring, 1)["action_accuracy"] == 0.5
    assert [each.kind for each in scoring.problems] == ["missing dialogues", "missing turns"]


def test_repeated_turn_has_its_own_id(tmp_path: Path) -> None:
    scoring = score(tmp_path, one(*RIGHT, turn(0, "None")))
    assert scoring.instances[-1].instance_id == "fashion-7:0~2"
    assert values(scoring)["action_accuracy"] == pytest.approx(2 / 3)
    assert values(scoring, 1)["action_accuracy"] == 1


def test_n_is_that_of_the_official_script(tmp_path: Path) -> None:
    # It prints "#Instances evaluated API: 2": a turn is there twice, and one is not.
    predicted = one(turn(0), turn(0, "None"))
    score(tmp_path, predicted)
    gold = Gold(files=[tmp_path / "fashion_dev_dials_api_calls.json"])
    result = evaluate_predictions(TASK, tmp_path / "p.json", gold, intervals=False).result
    assert (result.n, [each.n for each in result.measures]) == (2, [2, 2])
    (coverage,) = result.coverage
    assert (coverage.split, coverage.predicted, coverage.of) == ("dev", 1, 2)
    # Of both turns one is right; the measure is about missing turns, so nothing is left out.
    assert result.measures[1].values[0].value == 0.5


def test_predictions_of_several_splits_are_scored_together(tmp_path: Path) -> None:
    for number, split in ((7, "dev"), (8, "devtest"), (9, "train")):
        name = f"fashion_{split}_dials_api_calls.json"
        (tmp_path / name).write_text(json.dumps([{**GOLD[0], "dialog_id": number}]))
    (tmp_path / "p").write_text(json.dumps([*one(*RIGHT), *one(turn(0), number=8)]))
    gold = Gold(files=[tmp_path])
    result = evaluate_predictions(TASK, tmp_path / "p", gold, intervals=False).result
    covered = {each.split: (each.predicted, each.of) for each in result.coverage}
    assert covered == {"dev": (2, 2), "devtest": (1, 2)}


def test_a_split_whose_turns_lack_a_key_counts(tmp_path: Path) -> None:
    for number, split in ((7, "dev"), (8, "devtest"), (9, "train")):
        name = f"fashion_{split}_dials_api_calls.json"
        (tmp_path / name).write_text(json.dumps([{**GOLD[0], "dialog_id": number}]))
    odd = [{k: v for k, v in each.items() if k != "action_log_prob"} for each in RIGHT]
    (tmp_path / "p").write_text(json.dumps([*one(*RIGHT), *one(*odd, number=8)]))
    found = evaluate_predictions(TASK, tmp_path / "p", Gold(files=[tmp_path]), intervals=False)
    covered = {each.split: (each.predicted, each.of) for each in found.result.coverage}
    assert covered == {"dev": (2, 2), "devtest": (2, 2)}
    (problem,) = found.result.problems
    assert (problem.kind, problem.count, problem.skipped) == ("malformed entries", 2, 2)
    assert (
        problem.example == "dialog_id 8, turn_id 0: 'action_log_prob' is missing or of another form"
    )
    assert [each.values[0].value for each in found.result.measures] == [1, 0.5]


@pytest.mark.parametrize(
    "predicted", [{}, [1], one({"turn_id": 0, "response": "x"}), one(turn(0), number=9)]
)
def test_other_files_are_refused(tmp_path: Path, predicted: Any) -> None:
    with pytest.raises(TaskError):
        score(tmp_path, predicted)


def test_cut_off_file_is_refused(tmp_path: Path) -> None:
    score(tmp_path, one(*RIGHT))
    (tmp_path / "p.json").write_text(json.dumps(one(*RIGHT))[:40])
    named = Gold(files=[tmp_path / "fashion_dev_dials_api_calls.json"])
    with pytest.raises(TaskError, match="cut off"):
        TASK.score_file(tmp_path / "p.json", named)
    with pytest.raises(SourceError):
        TASK.score_file(tmp_path / "absent.json", named)


def test_gold_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no right answers"):
        score(tmp_path, one(*RIGHT), gold={"x": 1})


def test_instances_hold_allowed_inputs_only(tmp_path: Path) -> None:
    score(tmp_path, one(*RIGHT))
    named = Gold(files=[tmp_path / "fashion_dev_dials_api_calls.json"])
    found = list(TASK.instances(named))
    assert found[1].gold == {"action": "None", "action_supervision": None}
    assert found[1].inputs["history"] == [{"action": "SpecifyInfo", "action_supervision": FLAT}]
    assert all(set(each.inputs) <= set(TASK.allowed) for each in found)


def evaluate(folder: Path, *turns: Any) -> Evaluation:
    score(folder, one(*turns))
    gold = Gold(files=[folder / "fashion_dev_dials_api_calls.json"])
    return evaluate_predictions(TASK, folder / "p.json", gold, intervals=False)


def test_the_confusion_matrix_is_in_the_result(tmp_path: Path) -> None:
    found = evaluate(tmp_path, turn(0, "None"), turn(1, "Half \ud83d")).result.measures[0]
    (table,) = found.tables
    assert table.head == ["predicted", "Half ?", "None", "SpecifyInfo"]
    # None was predicted for SpecifyInfo, and the cut-off one for None.
    assert table.rows == [["Half ?", 0, 1, 0], ["None", 0, 0, 1], ["SpecifyInfo", 0, 0, 0]]


def test_a_probability_of_0_makes_perplexity_infinite(tmp_path: Path) -> None:
    impossible = turn(1, "None", action_log_prob={"None": -math.inf})
    found = evaluate(tmp_path, turn(0), impossible)
    kinds = {each.kind: each.count for each in found.result.problems}
    # Perplexity is infinite in the official measure and in the corrected one.
    assert kinds == {"probability of 0": 1, "infinite values": 2}
    official = {each.name: each.value for each in found.result.measures[0].values}
    assert official["action_perplexity"] is None
    assert official["action_accuracy"] == 1


def test_counts_that_are_infinite_are_kept_in_parquet(tmp_path: Path) -> None:
    impossible = turn(0, action_log_prob={"SpecifyInfo": -math.inf})
    write_scored(evaluate(tmp_path, impossible).instances, tmp_path / "scores.parquet")
    first = pq.read_table(tmp_path / "scores.parquet").column("simmc_actions")[0].as_py()
    assert json.loads(first)["log_prob"] == -math.inf


def test_actions_are_shown_as_calls_with_what_is_scored() -> None:
    gold = {"action": "Add", "supervision": {"args": {"focus": 1, "colour": ["red"]}}}
    predicted = {"action": "Add", "attributes": {"colour": ["blue"]}}
    assert show_action(gold) == {"call": "Add", "arguments": {"colour": ["red"]}}
    assert show_action(predicted) == {"call": "Add", "arguments": {"colour": ["blue"]}}
    assert show_action({"action": "None"}) == {"call": "None", "arguments": {}}
