"""The Python file that ``inspect_ai`` runs."""

from __future__ import annotations

from collections.abc import Mapping

_HEAD = '''"""Benchmark tasks for inspect_ai: `inspect eval task.py@NAME --model MODEL`."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import SampleScore, Score, metric, scorer
from inspect_ai.solver import generate

from commonground.evaluation.asking import is_readable, score_texts

HERE = Path(__file__).resolve().parent


@metric
def measures(task_name, corpus):
    """The measures of a benchmark task, over all answers together."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        texts = {str(each.sample_id): each.score.answer or "" for each in scores}
        return score_texts(task_name, texts, corpus)

    return compute


def keep_answer(task_name):
    """Keeps what was said; the value says whether it has the form that was asked for."""

    async def score(state, target):
        said = state.output.completion
        return Score(value=float(is_readable(task_name, said)), answer=said)

    return score
'''

_TASK = '''

@scorer(metrics=[measures("{task}", "{corpus}")])
def {name}_scorer():
    return keep_answer("{task}")


@task
def {name}():
    """The benchmark task {task} on {corpus}."""
    return Task(
        dataset=json_dataset(str(HERE / "{name}.jsonl"), name="{task}"),
        solver=generate(),
        scorer={name}_scorer(),
    )
'''


def render_tasks(tasks: Mapping[str, tuple[str, str]]) -> str:
    """Returns ``task.py``.

    Args:
        tasks: name of the benchmark task and the corpus, by base name of the file of samples.
    """
    parts = [
        _TASK.format(name=name, task=task, corpus=corpus) for name, (task, corpus) in tasks.items()
    ]
    return _HEAD + "".join(parts)
