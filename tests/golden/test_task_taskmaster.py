"""Taskmaster's tasks on real files: all that is right is scored as right, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonground.corpora.taskmaster.tasks.actions import task as actions
from commonground.corpora.taskmaster.tasks.spans import task as spans
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Task
from tests.thorough import a_few

# Instances of the files at hand: one per row, and for generation 4 one per call and answer
# (15,395 calls and 6,920 answers).
ACTIONS = {"taskmaster3/splits": 1517, "taskmaster4/data": 15395 + 6920}
SPANS = {"taskmaster2/data": 684, "taskmaster3/data": 72, "taskmaster4/data": 13915}


def check(task: Task, folder: Path, number: int, key: str, tmp_path: Path) -> None:
    gold = Gold(files=[folder])
    path = tmp_path / "right.jsonl"
    rows = [{"instance_id": each.instance_id, key: each.gold} for each in task.instances(gold)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scoring = task.score_file(path, gold)
    assert (len(scoring.instances), scoring.problems) == (number, [])
    measure = task.measures[0]
    values = measure.combine(sum_counts(each.counts[measure.name] for each in scoring.instances))
    assert set(values.values()) == {1.0}


@pytest.mark.parametrize("folder", a_few(ACTIONS, ("taskmaster3/splits",)))
def test_right_actions(data: Path, folder: str, tmp_path: Path) -> None:
    check(actions.TASK, data / folder, ACTIONS[folder], "target", tmp_path)


@pytest.mark.parametrize("folder", a_few(SPANS, ("taskmaster2/data", "taskmaster3/data")))
def test_right_spans(data: Path, folder: str, tmp_path: Path) -> None:
    check(spans.TASK, data / folder, SPANS[folder], "spans", tmp_path)
