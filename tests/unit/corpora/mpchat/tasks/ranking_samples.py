"""Simulated threads and scores of their candidates, for the tests of the three tasks."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from commonground.metric import Values
from commonground.play.scenarios.mpchat.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, Task


@cache
def released(folder: Path) -> Path:
    simulate(folder, dialogues=42, seed=5)
    return folder


def gold_of(task: Task, folder: Path, split: str | None = "test") -> Gold:
    name = task.name.replace("/", "_")
    return Gold(files=[released(folder) / f"{name}.json"], split=split)


def right_lines(task: Task, gold: Gold) -> list[dict[str, Any]]:
    """Makes scores that put the right candidate first."""
    lines = []
    for instance in task.instances(gold):
        if "candidates" in instance.inputs:
            scores = [1 / (j + 1) for j in range(len(instance.inputs["candidates"]))]
            line = {"dialogue_id": instance.dialogue_id, "turn": instance.event, "scores": scores}
            lines.append(line)
    assert lines
    return lines


def score(task: Task, folder: Path, gold: Gold, lines: list[Any]) -> Scoring:
    path = folder / "scores.jsonl"
    path.write_text(
        "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    )
    return task.score_file(path, gold)


def values_of(task: Task, scoring: Scoring) -> Values:
    return task.measures[0].combine(sum_counts(e.counts["recall_at_k"] for e in scoring.instances))
