"""Tasks simmc/actions, simmc/retrieval, simmc/generation: the official numbers, from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.simmc_actions import confusion_matrix
from commonground.corpora.simmc.tasks import actions, generation
from commonground.corpora.simmc.tasks.retrieval import task as retrieval
from commonground.metric import Metric
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, Task
from tests.golden import test_parity_simmc_actions as action_rules
from tests.golden import test_parity_simmc_retrieval as ranking_rules
from tests.golden.conftest import read_json
from tests.thorough import a_few

LINES_OF = "boychaboy_furniture_devtest_vs_DERIVED_gt"


def find_official(task: Task) -> Metric:
    return next(each for each in task.measures if each.matches)


def sum_official(task: Task, scoring: Scoring) -> dict[str, float]:
    name = find_official(task).name
    return sum_counts(each.counts[name] for each in scoring.instances if name in each.counts)


def check(task: Task, sums: dict[str, float], entry: dict[str, Any]) -> None:
    official = find_official(task)
    assert official.std_err is not None
    assert official.combine(sums) == pytest.approx(entry["metrics"], rel=0, abs=1e-9)
    assert official.std_err(sums) == pytest.approx(entry["std_err"], rel=0, abs=1e-9)


@pytest.mark.parametrize("name", action_rules.NAMES)
def test_actions(data: Path, golden: Path, expected: Any, tmp_path: Path, name: str) -> None:
    entry = expected["simmc_actions"][name]
    base, _, mode = name.partition("|")
    predictions = tmp_path / "predictions.json"
    _gold, predicted = action_rules.read_case(data, golden, base)
    predictions.write_text(json.dumps(predicted))
    derived = golden / "simmc" / action_rules.FURNITURE
    gold = Gold(files=[derived if "furniture" in name else data / action_rules.FASHION])
    scoring = actions.TASK.score_file(
        predictions, gold, mode="single-round" if mode == "single" else None
    )
    sums = sum_official(actions.TASK, scoring)
    assert sums["actions"] == entry["n"]
    check(actions.TASK, sums, entry)
    assert confusion_matrix(sums).matrix == entry["confusion"]


def test_target_lines_tell_the_same_actions(data: Path, golden: Path, expected: Any) -> None:
    """The derived calls come from lines that end with the API call; so do ours."""
    entry = expected["simmc_actions"][LINES_OF]
    gold = data / "simmc1" / "furniture" / "furniture_devtest_task1_target.txt"
    predictions = golden / "simmc" / "furniture_devtest_actions_predicted.json"
    scoring = actions.TASK.score_file(predictions, Gold(files=[gold]))
    check(actions.TASK, sum_official(actions.TASK, scoring), entry)


def write_rankings(gold: Path, rule: str, out: Path) -> None:
    entries = [
        {
            "dialog_id": each["dialogue_idx"],
            "candidate_scores": [
                {
                    "turn_id": turn,
                    "scores": [
                        ranking_rules.RULES[rule](each["dialogue_idx"], turn, place)
                        for place in range(len(choice["retrieval_candidates"]))
                    ],
                }
                for turn, choice in enumerate(each["retrieval_candidates"])
            ],
        }
        for each in read_json(gold)["retrieval_candidates"]
    ]
    out.write_text(json.dumps(entries))


@pytest.mark.parametrize(
    "name", a_few(ranking_rules.NAMES, ["dev|R3_hash_ties", "devtest|R2_all_equal|single"])
)
def test_retrieval(data: Path, expected: Any, tmp_path: Path, name: str) -> None:
    entry = expected["simmc_retrieval"][name]
    split, rule, *single = name.split("|")
    gold = data / "simmc1" / "fashion" / f"fashion_{split}_dials_retrieval_candidates.json"
    predictions = tmp_path / "scores.json"
    write_rankings(gold, rule, predictions)
    scoring = retrieval.TASK.score_file(
        predictions, Gold(files=[gold]), mode="single-round" if single else None
    )
    sums = sum_official(retrieval.TASK, scoring)
    assert sums["n"] == entry["n"]
    check(retrieval.TASK, sums, entry)
    kinds = {each.kind for each in scoring.problems}
    assert kinds == (set() if rule == "R1_hash_bonus" else {"ties"})


@pytest.mark.parametrize("gold", a_few(["retrieval_candidates.json", "target.txt"], ["target.txt"]))
def test_generation(data: Path, golden: Path, expected: Any, gold: str) -> None:
    ((name, entry),) = expected["simmc_bleu"].items()
    file = data / "simmc1" / "fashion" / f"fashion_devtest_dials_{gold}"
    scoring = generation.TASK.score_file(golden / name, Gold(files=[file]))
    sums = sum_official(generation.TASK, scoring)
    official = generation.TASK.measures[0]
    assert official.std_err is not None
    assert official.combine(sums)["bleu"] == pytest.approx(entry["bleu"], rel=0, abs=1e-9)
    assert official.std_err(sums)["bleu"] == pytest.approx(entry["std_err"], rel=0, abs=1e-9)
