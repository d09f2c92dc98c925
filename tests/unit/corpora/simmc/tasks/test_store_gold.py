"""Right answers from the store: released files themselves, as predictions, are all right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import get_corpus
from commonground.corpora.simmc.tasks import actions, generation
from commonground.corpora.simmc.tasks.dst import task as dst
from commonground.corpora.simmc.tasks.retrieval import task as retrieval
from commonground.statistics.counts import sum_counts
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.task import Gold, Task

NAME = "simmc_furniture/furniture_devtest_dials"


@pytest.fixture(scope="module")
def released(shelf: Any) -> Path:
    folder: Path = shelf.folder
    return folder


@pytest.fixture(scope="module")
def gold(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Gold:
    store = tmp_path_factory.mktemp("store")
    import_corpus(get_corpus("simmc"), [released], store=store, jobs=1)
    return Gold(corpus=load("simmc", store), split="devtest")


def copy_actions(folder: Path) -> Any:
    calls = json.loads((folder / f"{NAME}_api_calls.json").read_bytes())
    return [
        {
            "dialog_id": each["dialog_id"],
            "predictions": [
                {
                    "turn_id": turn["turn_idx"],
                    "action": turn["action"],
                    "attributes": (turn["action_supervision"] or {}).get("args", {}),
                    "action_log_prob": {turn["action"]: 0.0},
                }
                for turn in each["actions"]
            ],
        }
        for each in calls
    ]


def copy_words(folder: Path) -> Any:
    data = json.loads((folder / f"{NAME}.json").read_bytes())["dialogue_data"]
    return [
        {
            "dialog_id": each["dialogue_idx"],
            "predictions": [
                {"turn_id": turn["turn_idx"], "response": turn["system_transcript"]}
                for turn in each["dialogue"]
            ],
        }
        for each in data
    ]


def copy_ranks(folder: Path) -> Any:
    data = json.loads((folder / f"{NAME}_retrieval_candidates.json").read_bytes())
    return [
        {
            "dialog_id": each["dialogue_idx"],
            "candidate_scores": [
                {
                    "turn_id": turn,
                    "scores": [float(place == choice.get("gt_index", 0)) for place in range(100)],
                }
                for turn, choice in enumerate(each["retrieval_candidates"])
            ],
        }
        for each in data["retrieval_candidates"]
    ]


def copy_states(folder: Path) -> Any:
    return json.loads((folder / f"{NAME}.json").read_bytes())


@pytest.mark.parametrize(
    ("task", "copy", "name"),
    [
        (actions.TASK, copy_actions, "action_accuracy"),
        (generation.TASK, copy_words, "bleu"),
        (retrieval.TASK, copy_ranks, "r1"),
        (dst.TASK, copy_states, "joint_accuracy"),
    ],
)
def test_right_answers_score_full(
    task: Task, copy: Callable[[Path], Any], name: str, released: Path, gold: Gold, tmp_path: Path
) -> None:
    (tmp_path / "p.json").write_text(json.dumps(copy(released)))
    scoring = task.score_file(tmp_path / "p.json", gold)
    measure = task.measures[0]
    sums = sum_counts(each.counts[measure.name] for each in scoring.instances)
    assert measure.combine(sums)[name] == pytest.approx(1, abs=0.2)
    assert {each.dialogue_id.partition("-")[0] for each in scoring.instances} == {"furniture"}
    assert not {"missing turns", "unknown turns"} & {each.kind for each in scoring.problems}


def test_target_lines_score_full(released: Path, gold: Gold) -> None:
    scoring = dst.TASK.score_file(released / f"{NAME}_target.txt", gold)
    sums = sum_counts(each.counts["simmc_dst"] for each in scoring.instances)
    assert dst.TASK.measures[0].combine(sums)["joint_accuracy"] == 1
    assert not scoring.problems


@pytest.mark.parametrize("task", [actions.TASK, dst.TASK, retrieval.TASK, generation.TASK])
def test_instances_hold_allowed_inputs_only(task: Task, gold: Gold) -> None:
    found = list(task.instances(gold))
    assert found
    assert len({each.instance_id for each in found}) == len(found)
    assert all(set(each.inputs) <= set(task.allowed) for each in found)
