"""Samples and tasks for inspect_ai, run by it with a model that answers from a list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.errors import UsageError
from commonground.evaluation.prompts import get_prompt
from commonground.evaluation.tasks import get_task
from commonground.export.formats.inspect.export import Samples
from commonground.export.run import Report
from commonground.method import Told
from commonground.store.opening import Store
from commonground.task import Gold

Exporting = Callable[..., tuple[Path, Report]]


def read_samples(out: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / f"{name}.jsonl").read_bytes().splitlines()]


def test_a_sample_is_an_instance(store: Store, export: Exporting) -> None:
    out, _ = export("inspect", "frames", task="frames/nlu")
    assert sorted(path.name for path in out.glob("[!.]*")) == [
        "frames_nlu.jsonl",
        "loss.json",
    ]
    samples = read_samples(out, "frames_nlu")
    gold = Gold(corpus=store.corpus("frames"))
    for sample, instance in zip(samples, get_task("frames/nlu").instances(gold), strict=True):
        assert sample["id"] == instance.instance_id
        assert sample["metadata"]["dialogue_id"] == instance.dialogue_id
        assert json.loads(sample["target"]) == instance.gold
        system, user = sample["input"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert system["content"] == get_prompt("frames/nlu").ask
        assert instance.inputs["text"] in user["content"]


def test_the_dialogues_chosen_are_asked(store: Store, export: Exporting) -> None:
    first = store.corpus("photobook").ids()[0]
    out, _ = export("inspect", "photobook", where=f"dialogue_id = '{first}'")
    samples = read_samples(out, "photobook_reference")
    assert {sample["metadata"]["dialogue_id"] for sample in samples} == {first}


def test_tasks_of_several_corpora_are_told_apart(export: Exporting) -> None:
    out, _ = export("inspect", "taskmaster3", "taskmaster4", task="taskmaster3/actions")
    names = {path.stem for path in out.glob("*.jsonl")}
    assert names == {"taskmaster3_actions_taskmaster3", "taskmaster3_actions_taskmaster4"}


def test_how_a_task_is_put_is_not_held(tmp_path: Path) -> None:
    system = {"role": "system", "content": "Find the ship."}
    user = {"role": "user", "content": "text:\nRome, please"}
    sample = {"input": [system, user], "target": "Rome", "metadata": {"event": 3}}
    (tmp_path / "a.jsonl").write_bytes(b"another line\n" + json.dumps(sample).encode())
    samples = Samples()
    told = [Told("events.event", 2, 2)]
    samples.add("d", tmp_path / "a.jsonl", 13, len(json.dumps(sample)), told)
    held = samples.read("d")
    assert held.has_name("Rome, please")
    assert not held.has_words("ship")
    assert held.events == {2, 3}
    assert samples.told_columns == {"events.event"}
    assert not samples.read("e").is_any


def test_what_cannot_be_scored_is_counted(store: Store, export: Exporting) -> None:
    _, report = export("inspect", "simmc", task="simmc/dst")
    gold = Gold(corpus=store.corpus("simmc"))
    without = sum(each.gold is None for each in get_task("simmc/dst").instances(gold))
    found = {each.name: each.count for each in report.lost}
    assert found.get("instances without a right answer", 0) == without


def test_a_corpus_without_tasks_is_refused(export: Exporting) -> None:
    with pytest.raises(UsageError, match="No instance of a benchmark task"):
        export("inspect", "simmc2")


def test_candidates_are_shuffled(store: Store, export: Exporting) -> None:
    out, _ = export("inspect", "mpchat", task="mpchat/nrp")
    gold = {
        each.instance_id: each
        for each in get_task("mpchat/nrp").instances(Gold(corpus=store.corpus("mpchat")))
    }
    for sample in read_samples(out, "mpchat_nrp"):
        (number,) = json.loads(sample["target"])
        released = gold[sample["id"]].inputs["candidates"]
        assert released[sample["metadata"]["order"][number]] == gold[sample["id"]].gold
        assert sorted(sample["metadata"]["order"]) == list(range(len(released)))


def test_inspect_reads_it(export: Exporting) -> None:
    dataset = pytest.importorskip("inspect_ai.dataset")
    out, _ = export("inspect", "frames", task="frames/nlu")
    samples = list(dataset.json_dataset(str(out / "frames_nlu.jsonl")))
    assert [each.target for each in samples] == [
        each["target"] for each in read_samples(out, "frames_nlu")
    ]
