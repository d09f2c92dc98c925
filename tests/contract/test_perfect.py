"""Right answers as predictions give the best value of every measure of every task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.prompts import get_prompt, read_answer, write_json
from commonground.bench.evaluation.scoring import MeasureResult, evaluate_predictions
from commonground.bench.evaluation.tasks import iterate_tasks
from commonground.store.corpus import Corpus
from commonground.task import Gold, Instance, Task
from tests.contract.conftest import NAMES, Simulate
from tests.thorough import a_few

CASES = [
    (task, corpus)
    for task in iterate_tasks()
    for corpus in task.corpora
    if corpus in NAMES and not task.name.startswith("toy/")
]


OWN = [case for case in CASES if case[0].corpora[0] == case[1]]
"""Each task with the corpus that it is named after."""


def list_right(task: Task, corpus: Corpus) -> Iterator[list[tuple[Instance, object]]]:
    """Yields instances with their right answers, split by split and part by part."""
    prompt, baselines = get_prompt(task.name), get_baselines(task.name)
    for split in corpus.splits():
        parts: dict[str | None, list[tuple[Instance, object]]] = {}
        for each in task.instances(Gold(corpus=corpus, split=split or None)):
            target = None if each.gold is None else prompt.target(each)
            if target is not None:
                text = target if prompt.is_text else write_json(target)
                part = baselines.part(each) if baselines.part else None
                parts.setdefault(part, []).append((each, read_answer(prompt, each, text)))
        yield from parts.values()


def find_other_values(task: Task, found: list[MeasureResult]) -> dict[str, tuple[float, float]]:
    """Returns the values that are not the best they can be, with the best."""
    measures = {measure.name: measure for measure in task.measures}
    return {
        f"{each.name}:{value.name}": (value.value, best)
        for each in found
        for value in each.values
        if (best := measures[each.name].find_best(value.name)) is not None
        # F1 of SIMMC's lists of attributes has 1e-5 added to its denominator.
        and value.value is not None
        and abs(value.value - best) > 1e-5
    }


@pytest.mark.parametrize(
    ("task", "corpus"), a_few(CASES, OWN), ids=lambda each: getattr(each, "name", each)
)
def test_right_answers_are_the_best(
    task: Task, corpus: str, simulate: Simulate, tmp_path: Path
) -> None:
    imported, times = simulate(corpus).corpus, 0
    for right in list_right(task, imported):
        path = tmp_path / "right.json"
        get_baselines(task.name).write(iter(right), path)
        evaluation = evaluate_predictions(task, path, Gold(corpus=imported), intervals=False)
        assert not find_other_values(task, evaluation.result.measures)
        assert evaluation.result.n == len(right)
        times += 1
    assert times
