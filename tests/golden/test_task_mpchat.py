"""The tasks of MPChat from file to numbers, on invented threads and predictions of a rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.mpchat.tasks import gpp, nrp, si
from commonground.metric import Values
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Task
from tests.golden.test_parity_mpchat import NAMES, RULES
from tests.thorough import one_in

TASKS = {"nrp": nrp.TASK, "gpp": gpp.TASK, "si": si.TASK}


def invent_thread(task: str, number: int, width: int) -> dict[str, Any]:
    thread: dict[str, Any] = {
        "messages": ["a"],
        "message_ids": [f"{number}"],
        "authors": ["A"],
        "main_author": "A",
    }
    element = {"id": "e", "title": "t", "file_name": "f", "author": "A"}
    extra: dict[str, dict[str, Any]] = {
        "nrp": {"candidate_personas": [], "nrp_candidate_responses": [["a"] * width]},
        "gpp": {
            "gpp_grounded_persona": [element],
            "gpp_candidate_personas": [[]],
            "gpp_candidate_authors_candidate_personas": [[element] * width],
        },
        "si": {
            "si_main_author_candidate_personas": [element],
            "si_candidate_authors_candidate_personas": [[element]] * width,
        },
    }
    return thread | {"has_image": False} | extra[task]


def write_matrix(path: Path, rows: list[list[float]], labels: list[int], task: str) -> None:
    path.write_text(json.dumps({"logits": rows, "labels": labels}))


def write_lines(path: Path, rows: list[list[float]], labels: list[int], task: str) -> None:
    with path.open("w") as file:
        for number, (scores, label) in enumerate(zip(rows, labels, strict=True)):
            name = f"{task}-{number}-{number}-A"
            line = {"dialogue_id": name, "turn": 0, "scores": scores, "label": label}
            file.write(json.dumps(line) + "\n")


def run(task: Task, folder: Path, split: str) -> Values:
    scoring = task.score_file(folder / "scores", Gold(files=[folder / "gold.json"], split=split))
    return task.measures[0].combine(sum_counts(e.counts["recall_at_k"] for e in scoring.instances))


@pytest.mark.parametrize(
    ("name", "task", "write"),
    one_in(9, product(NAMES, TASKS, (write_matrix, write_lines)), first=5),
)
def test_official_values(
    expected: Any, tmp_path: Path, name: str, task: str, write: Callable[..., None]
) -> None:
    rule, batch, candidates, target = name.split("|")
    number, width = int(batch[1:]), int(candidates[1:])
    threads = [invent_thread(task, b, width) for b in range(number)]
    (tmp_path / "gold.json").write_text(json.dumps({"train": [], "val": [], "test": threads}))
    rows = [[RULES[rule](b, j) for j in range(width)] for b in range(number)]
    labels = [0 if target == "target=0" else b % width for b in range(number)]
    write(tmp_path / "scores", rows, labels, task)
    entry = expected["mpchat"][name]
    wanted = entry["recall"] | {"mrr": entry["mrr"]}
    assert run(TASKS[task], tmp_path, "test") == pytest.approx(wanted, rel=0, abs=1e-9)
