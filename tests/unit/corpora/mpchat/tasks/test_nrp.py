"""The examples of mpchat/nrp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.corpora.mpchat.samples import nrp_thread
from tests.unit.corpora.mpchat.tasks.ranking_samples import gold_of, right_lines, score, values_of

from commonground.corpora.mpchat.tasks.nrp import TASK
from commonground.task import Gold


def write_gold(folder: Path, threads: list[dict[str, Any]]) -> Gold:
    path = folder / "threads.json"
    path.write_text(json.dumps({"train": [], "val": threads, "test": []}))
    return Gold(files=[path])


def test_the_last_message_of_a_thread(tmp_path: Path) -> None:
    first, last = TASK.instances(write_gold(tmp_path, [nrp_thread()]))
    assert "candidates" not in first.inputs
    assert (last.instance_id, last.gold) == (
        "nrp-ddd444-gfff666-rye_anna:2",
        nrp_thread()["messages"][2],
    )
    assert last.inputs["candidates"] == ["the same as on my shed", "no idea"]
    assert last.inputs["context"] == nrp_thread()["messages"][:2]
    assert last.inputs["image"] == "ddd444_fence.jpg"
    assert [each["image"] for each in last.inputs["personas"]] == ["bbb222_shed.png"]


def test_repeated_threads_are_told_apart(tmp_path: Path) -> None:
    examples = TASK.instances(write_gold(tmp_path, [nrp_thread(), nrp_thread()]))
    assert len({each.instance_id for each in examples}) == 4


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
