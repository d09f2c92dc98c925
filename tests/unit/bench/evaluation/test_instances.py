"""Instances: those of some dialogues, in batches, shares and loaders."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.instances import Instances, list_instances
from commonground.bench.evaluation.scoring import evaluate_predictions
from commonground.bench.evaluation.tasks import get_task
from commonground.corpora import Entry
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store
from commonground.task import Gold


@pytest.fixture
def instances(
    toy: Entry, tmp_path: Path, import_toy: Callable[..., ImportSummary]
) -> Iterator[Instances]:
    """Five talks of two lines each: ten instances."""
    tasks._find_tasks.cache_clear()
    files = tmp_path / "files"
    files.mkdir()
    simulate_corpus(toy, files, dialogues=5, seed=0)
    import_toy(files)
    gold = Gold(corpus=open_store(tmp_path / "store").corpus("toy"))
    yield Instances(get_task("toy/mood"), gold)
    tasks._find_tasks.cache_clear()


def ids(instances: Any) -> list[str]:
    return [each.instance_id for each in instances]


def test_instances_can_be_gone_through_again(instances: Instances) -> None:
    assert len(ids(instances)) == 10
    assert ids(instances) == ids(instances)


def test_batches_hold_every_instance_once_in_order(instances: Instances) -> None:
    batches = list(instances.batches(4))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert [each for batch in batches for each in ids(batch)] == ids(instances)
    assert [len(batch) for batch in instances.batches(4, drop_last=True)] == [4, 4]
    with pytest.raises(ValueError, match="at least one"):
        next(instances.batches(0))


def test_shares_have_whole_dialogues_and_everything_once(instances: Instances) -> None:
    shares = [list(instances.share(number, 2)) for number in range(2)]
    assert [{each.dialogue_id for each in share} for share in shares] == [
        {"t0", "t2", "t4"},
        {"t1", "t3"},
    ]
    assert sorted(ids(shares[0]) + ids(shares[1])) == sorted(ids(instances))


def test_pickled_instances_open_the_store_anew(instances: Instances) -> None:
    gold = Gold(corpus=instances.gold.corpus[:2])
    again = pickle.loads(pickle.dumps(Instances(instances.task, gold)))  # noqa: S301
    assert {each.dialogue_id for each in again} == {"t0", "t1"}


@pytest.mark.parametrize("workers", [0, 2])
def test_torch_loads_every_instance_once(instances: Instances, workers: int) -> None:
    data = pytest.importorskip("torch.utils.data", reason="torch is not installed")
    loader = data.DataLoader(
        instances.to_torch(), batch_size=3, num_workers=workers, collate_fn=list
    )
    assert sorted(each for batch in loader for each in ids(batch)) == sorted(ids(instances))


def test_only_dialogues_to_keep_are_listed_and_scored(
    make_corpus: Callable[..., Corpus], tmp_path: Path
) -> None:
    corpus = make_corpus(test={"a": "glad", "b": "sad", "c": "sad"})
    task, gold = get_task("toy/mood"), Gold(corpus=corpus, dialogues=frozenset("bc"))
    assert [each.instance_id for each in list_instances(task, gold)] == ["b:0", "c:0"]
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps({"b:0": "sad", "c:0": "glad"}))
    result = evaluate_predictions(task, path, gold).result
    # What is not kept is not missing either.
    assert (result.n, result.problems, result.measures[0].values[0].value) == (2, [], 0.5)
