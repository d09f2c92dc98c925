"""Runs tasks with what a model is made to say, and no model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_tasks
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.solver import solver as as_solver

from commonground.bench.inspect_tasks.scoring.logged_replies import Row

Say = Callable[[TaskState], str | ModelOutput]


@as_solver
def says(say: Say) -> Solver:
    """Answers each sample with a text, or with all that a provider says of one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        said = say(state)
        if isinstance(said, str):
            said = ModelOutput.from_content("said", said)
        state.output = said
        return state

    return solve


def say_target(state: TaskState) -> str:
    return state.target.text


def say_texts(texts: Mapping[str, str]) -> Say:
    return lambda state: texts[str(state.sample_id)]


def run(task: Task, say: Say, logs: Path, **options: Any) -> EvalLog:
    """Runs a task; samples run together, so that they are scored together."""
    return run_with(task, says(say), logs, **options)


def run_with(task: Task, solver: Solver, logs: Path, **options: Any) -> EvalLog:
    """Runs a task with a solver in place of a model."""
    found = run_tasks(
        task,
        model="mockllm/model",
        solver=solver,
        display="none",
        log_dir=str(logs),
        max_samples=200,
        log_realtime=False,
        **options,
    )
    assert [each.status for each in found] == ["success"], found[0].error
    return found[0]


def score_rows(task: Task, solver: Solver) -> list[Row]:
    """Answers and scores all samples of a task as a run does, without inspect_ai's log of it."""

    async def score_all() -> list[Row]:
        rows: list[Row] = []
        for sample in task.dataset:
            state = TaskState(
                ModelName("mockllm/model"),
                str(sample.id),
                1,
                sample.input,
                [],
                Target(sample.target),
                metadata=dict(sample.metadata or {}),
            )
            state = await solver(state, _generate_nothing)
            score = await task.scorer[0](state, state.target)  # type: ignore[index]
            assert score is not None
            rows.append((state.metadata, score.metadata or {}, str(sample.id)))
        return rows

    return asyncio.run(score_all())


async def _generate_nothing(state: TaskState, *_args: Any, **_options: Any) -> TaskState:
    return state


def list_rows(log: EvalLog) -> list[Row]:
    """Returns what a log has of each reply, as :func:`score_rows` does without one."""
    assert log.samples is not None
    return [
        (each.metadata, (each.scores or {})["official"].metadata or {}, str(each.id))
        for each in log.samples
    ]


def list_values(log: EvalLog) -> dict[str, float]:
    """Returns every number of a log by name."""
    assert log.results is not None
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }
