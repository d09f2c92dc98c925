from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from commonground.evaluation.scoring import evaluate_predictions
from commonground.evaluation.subsets import list_instances
from commonground.evaluation.tasks import get_task
from commonground.store.corpus import Corpus
from commonground.task import Gold


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
