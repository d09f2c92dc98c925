from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.access import find_gold
from commonground.bench.evaluation.instances import TASK_KEY, write_instances, write_scored
from commonground.bench.evaluation.scoring import evaluate_predictions, hash_file, hash_source
from commonground.bench.evaluation.tasks import get_task
from commonground.corpora import Entry
from commonground.errors import SourceError, TaskError, UsageError
from commonground.play.simulating import simulate_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store
from commonground.task import Gold, Task


@pytest.fixture
def gold(toy: Entry, tmp_path: Path, import_toy: Callable[..., ImportSummary]) -> Iterator[Gold]:
    """Four talks of two lines; the first line of each is happy, the second nothing."""
    tasks._find_tasks.cache_clear()
    files = tmp_path / "files"
    files.mkdir()
    simulate_corpus(toy, files, dialogues=4, seed=0)
    import_toy(files)
    yield Gold(corpus=open_store(tmp_path / "store").corpus("toy"))
    tasks._find_tasks.cache_clear()


@pytest.fixture
def task(gold: Gold) -> Task:
    return get_task("toy/mood")


@pytest.fixture
def predict(tmp_path: Path) -> Callable[[dict[str, str | None]], Path]:
    def write(moods: dict[str, str | None]) -> Path:
        path = tmp_path / f"predicted{len(list(tmp_path.iterdir()))}.json"
        path.write_text(json.dumps(moods))
        return path

    return write


Predict = Callable[[dict[str, str | None]], Path]
HALF: dict[str, str | None] = {f"t{i}:{k}": "happy" for i in range(4) for k in (0, 1)}
RIGHT: dict[str, str | None] = {
    f"t{i}:{k}": None if k else "happy" for i in range(4) for k in (0, 1)
}


def test_a_result_says_where_its_numbers_come_from(
    task: Task, gold: Gold, predict: Predict
) -> None:
    result = evaluate_predictions(task, predict(HALF), gold).result
    assert (result.n, result.skipped) == (8, 0)
    (value,) = result.measures[0].values
    assert value.value == 0.5
    # Every talk is half right, so resampling talks changes nothing.
    assert (value.low, value.high) == (0.5, 0.5)
    assert result.store is not None
    assert result.store["files"] == 2
    assert len(result.predictions.sha256) == 64


def test_what_is_left_out_is_told(task: Task, gold: Gold, predict: Predict) -> None:
    result = evaluate_predictions(task, predict({"t0:0": "happy"}), gold).result
    # The talk is one of two of its split, and nobody asked for the other.
    assert (result.n, result.skipped) == (1, 3)
    assert [(p.kind, p.count, p.example) for p in result.problems] == [("missing lines", 3, "t0:1")]


def test_nothing_to_score_is_an_error_with_the_reason(
    task: Task, gold: Gold, predict: Predict
) -> None:
    with pytest.raises(TaskError, match="8 missing lines"):
        evaluate_predictions(task, predict({}), gold)


def test_numbers_open_down_to_their_instances(
    task: Task, gold: Gold, predict: Predict, tmp_path: Path
) -> None:
    found = evaluate_predictions(task, predict(HALF), gold)
    write_scored(found.instances, tmp_path / "out.parquet")
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert len(rows) == 8
    assert rows[0]["predicted"] == '"happy"'
    assert sum(json.loads(row["accuracy"])["right"] for row in rows) == 4


def test_only_allowed_inputs_are_written(task: Task, gold: Gold, tmp_path: Path) -> None:
    out = tmp_path / "inputs.jsonl"
    assert write_instances(task, gold, out, with_gold=False) == 8
    first = json.loads(out.read_text().splitlines()[0])
    assert first["inputs"] == {"text": "hello 0"}
    assert "gold" not in first
    with pytest.raises(TaskError, match="does not allow 'speaker'"):
        write_instances(task, gold, out, inputs=["speaker"])


def test_unknown_tasks_list_close_names(task: Task) -> None:
    with pytest.raises(UsageError, match="Did you mean toy/mood"):
        get_task("toy/moods")


def test_a_folder_is_hashed_by_names_and_contents(tmp_path: Path) -> None:
    folder = tmp_path / "released"
    folder.mkdir()
    (folder / "a.json").write_text("[]")
    (folder / "b.json").write_text("{}")
    first = hash_source(folder)
    assert (first.path, first.size) == (str(folder), 4)
    assert hash_source(folder / "a.json") == hash_file(folder / "a.json")
    (folder / "b.json").rename(folder / "c.json")
    assert hash_source(folder).sha256 != first.sha256


def test_a_corpus_of_another_task_is_refused(task: Task, gold: Gold) -> None:
    with pytest.raises(UsageError, match=r"no corpus 'frames' of toy/mood. There are: toy"):
        find_gold(task, corpus="frames")
    assert find_gold(task, corpus=gold.corpus).corpus is gold.corpus


def test_constants_are_found_by_name_and_kind(toy: Entry) -> None:
    found = {path.name: each.name for path, each in toy.constants("tasks", "TASK", Task)}
    assert found == {"mood.py": "toy/mood"}
    assert not list(toy.constants("tasks", "TASK", Entry))
    assert not list(toy.constants("nowhere", "TASK", Task))


def test_instances_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: No such file or directory"):
        write_scored([], tmp_path / "nowhere" / "scores.parquet")


def test_scored_instances_keep_their_task_and_their_events(
    task: Task, gold: Gold, predict: Predict, tmp_path: Path
) -> None:
    found = evaluate_predictions(task, predict(HALF), gold)
    write_scored(found.instances, tmp_path / "out.parquet", task=task, gold=gold)
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.metadata[TASK_KEY] == b"toy/mood"
    events = {each.instance_id: each.event for each in task.instances(gold)}
    assert table["event"].to_pylist() == [events[each.instance_id] for each in found.instances]
