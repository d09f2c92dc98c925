"""A baseline that stands in for a model: its predictions, said as a model would say them.

So a baseline has a log beside those of models, and ``commonground report LOG LOG`` compares a model
with it dialogue by dialogue: ``inspect eval commonground/simmc_dst --model none --solver
commonground/baseline -S method=linear``.
"""

from __future__ import annotations

from functools import partial

import anyio
import anyio.to_thread
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.solver import solver as as_solver

from commonground.errors import TaskError, UsageError
from commonground.evaluation.baselines.jobs import list_jobs
from commonground.evaluation.baselines.methods import get_baselines
from commonground.evaluation.baselines.run import list_answers
from commonground.evaluation.prompts import render_answer
from commonground.inspect_tasks.open_scorers import Asked, open_scorer, read_asked
from commonground.store.opening import load


def say_answers(asked: Asked, method: str, store: str | None = None) -> dict[str, str]:
    """Learns, answers, and returns what a model would say to give the same answers, by instance.

    What is learned from and what is answered are those of ``commonground baseline``: where nothing
    but a hold-out is answered, only that is here.

    Args:
        asked: what is asked about.
        method: name of the baseline.
        store: folder of the store; None for the usual one.

    Raises:
        CommongroundError: a name is unknown, or there is nothing to learn from.
    """
    corpus, scorer = load(asked.corpus, store), open_scorer(asked, store)
    usual = get_baselines(asked.task).test_split
    test = None if asked.split == usual else asked.split
    jobs = list_jobs(asked.task, corpus, methods=[method], test=test)
    return {
        each.instance_id: render_answer(
            scorer.prompt, scorer.lines[each.instance_id].question, said
        )
        for job in jobs
        for each, said in list_answers(job)
    }


@as_solver(name="baseline")
def baseline(method: str, store: str | None = None) -> Solver:
    """Answers as a baseline of the task would; no model is asked.

    Args:
        method: name of the baseline, as ``commonground baseline`` lists them.
        store: folder of the store; None for the usual one.
    """
    said: dict[Asked, dict[str, str]] = {}
    lock = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's
        if state.metadata.get("answers") == "tools":
            raise UsageError("A baseline calls no tools.", "Leave -T answers=tools out.")
        asked, name = read_asked(state.metadata), str(state.sample_id)
        async with lock:
            if asked not in said:
                answers = partial(say_answers, asked, method, store)
                said[asked] = await anyio.to_thread.run_sync(answers)
        if name not in said[asked]:
            raise TaskError(
                f"{method} gives no answer to {name}: it learned from that, or was kept from it.",
                "Name the released test split with -T split.",
            )
        state.output = ModelOutput.from_content(f"baseline/{method}", said[asked][name])
        state.messages.append(state.output.message)
        return state

    return solve
