"""The examples of mpchat/si."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.corpora.mpchat.samples import si_thread
from tests.unit.corpora.mpchat.tasks.ranking_samples import gold_of, right_lines, score, values_of

from commonground.corpora.mpchat.tasks.si import TASK
from commonground.task import Gold


def write_gold(folder: Path, threads: list[dict[str, Any]]) -> Gold:
    path = folder / "threads.json"
    path.write_text(json.dumps({"train": [], "val": threads, "test": []}))
    return Gold(files=[path])


def test_the_author_of_the_last_message(tmp_path: Path) -> None:
    (example,) = TASK.instances(write_gold(tmp_path, [si_thread()]))
    assert example.instance_id == "si-ddd444-gfff666-rye_anna:2"
    candidates = example.inputs.pop("candidates")
    assert [len(each) for each in candidates] == [2, 1]
    assert candidates[0] == example.gold
    assert example.inputs == {
        "context": si_thread()["messages"][:2],
        "image": None,
        "response": si_thread()["messages"][2],
    }


def test_simulated_files(tmp_path: Path) -> None:
    gold = gold_of(TASK, tmp_path)
    scoring = score(TASK, tmp_path, gold, right_lines(TASK, gold))
    assert scoring.problems == []
    values = {"recall@1": 1.0, "recall@10": 1.0, "recall@50": 1.0, "mrr": 1.0}
    assert values_of(TASK, scoring) == values


def test_allowed_inputs_only(tmp_path: Path) -> None:
    for instance in TASK.instances(gold_of(TASK, tmp_path, None)):
        assert set(TASK.allowed) - set(instance.inputs) <= {"candidates"}
        assert set(instance.inputs) <= set(TASK.allowed)
