"""Samples and tasks for inspect_ai, run by it with a model that answers from a list."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.errors import UsageError
from commonground.evaluation.discovery import get_task
from commonground.evaluation.prompts import get_prompt
from commonground.export.formats.inspect import Samples, render_tasks
from commonground.export.run import Report
from commonground.method import Told
from commonground.store.opening import Store
from commonground.task import Gold

RUN = """
import importlib.util, json, sys
from pathlib import Path
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
out, name = Path(sys.argv[1]), sys.argv[2]
targets = [json.loads(line)["target"] for line in (out / f"{name}.jsonl").open("rb")]
outputs = [ModelOutput.from_content("mockllm/model", target) for target in targets]
for output in outputs:
    # Without it the mock counts tokens with a vocabulary that it would have to fetch.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
spec = importlib.util.spec_from_file_location("exported", out / "task.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = eval(
    getattr(module, name)(), model=model, display="none", log_dir="logs", max_samples=1
)
assert log.status == "success", log.error
print(json.dumps({key: each.value for key, each in log.results.scores[0].metrics.items()}))
"""

Exporting = Callable[..., tuple[Path, Report]]


def read_samples(out: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / f"{name}.jsonl").read_bytes().splitlines()]


def test_a_sample_is_an_instance(store: Store, export: Exporting) -> None:
    out, _ = export("inspect", "frames", task="frames/nlu")
    assert sorted(path.name for path in out.iterdir()) == [
        "frames_nlu.jsonl",
        "loss.json",
        "task.py",
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
    text = (out / "task.py").read_text(encoding="utf-8")
    assert all(f"def {name}():" in text for name in names)


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


def test_the_tasks_are_python() -> None:
    compile(render_tasks({"a_b": ("a/b", "a"), "c": ("c/d", "c")}), "task.py", "exec")


@pytest.mark.parametrize(
    ("corpus", "name", "value"),
    [
        ("frames", "frames_nlu", "act_slot_f1:act_f1"),
        ("photobook", "photobook_reference", "set_f1:f1"),
    ],
)
def test_inspect_runs_it(
    corpus: str, name: str, value: str, store: Store, export: Exporting, tmp_path: Path
) -> None:
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("needs inspect-ai")
    out, _ = export("inspect", corpus, task=name.replace("_", "/", 1))
    result = subprocess.run(
        [sys.executable, "-c", RUN, str(out), name],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "COMMONGROUND_STORE": str(store.path)},
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    metrics = json.loads(result.stdout.splitlines()[-1])
    assert metrics["asked"] == len(read_samples(out, name))
    assert metrics["unread"] == metrics["left_out"] == 0
    assert metrics[value] == 1
