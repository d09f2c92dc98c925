"""What stands in for a model: a baseline, or files of predictions, said as a model would say them.

So either has a log beside those of models, and ``commonground report LOG LOG`` compares a model
with it dialogue by dialogue: ``inspect eval commonground/simmc_dst --model none --solver
commonground/baseline -S method=linear``, or ``commonground/predictions -S file=mine.json``.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.solver import solver as as_solver

from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.methods import get_baselines, iterate_baselines
from commonground.bench.evaluation.baselines.run import list_answers
from commonground.bench.evaluation.coverage import score_covered
from commonground.bench.evaluation.prompts import SEED, render_answer, render_target
from commonground.bench.inspect_tasks.refusals import checking_options, refusing_in_words
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, open_scorer, read_asked
from commonground.errors import CommongroundError, TaskError, UsageError, find_named
from commonground.store.opening import load
from commonground.task import Gold, Problem

PROBLEMS = "problems"
"""What the store of one sample holds: what must be known of the files that were replayed."""

_log = logging.getLogger(__name__)


@as_solver(name="baseline")
@checking_options("commonground/baseline")
def baseline(method: str, store: str | None = None) -> Solver:
    """Answers as a baseline of the task would; no model is asked.

    What is learned from and what is answered are those of ``commonground baseline``: where nothing
    but a hold-out is answered, only that is here.

    Args:
        method: name of the baseline, as ``commonground baseline`` lists them.
        store: folder of the store; None for the usual one.
    """
    with refusing_in_words():
        # A solver is made before it is known of which task; a name that none has is wrong anyway.
        methods = {each.name: each for task in iterate_baselines() for each in task.methods}
        find_named("baseline", method, methods)

    @cache
    def learn(asked: Asked) -> dict[str, str]:
        corpus, scorer = load(asked.corpus, store), open_scorer(asked, store)
        usual = get_baselines(asked.task).test_split
        # Not named where it is the usual one: `plan_baselines` then also finds folds and hold-outs.
        test = None if asked.split == usual else asked.split
        return {
            each.instance_id: render_answer(
                scorer.prompt, scorer.lines[each.instance_id].question, said
            )
            for job in plan_baselines(asked.task, method, corpus=corpus, test=test)
            for each, said in list_answers(job)
        }

    def answer(state: TaskState, asked: Asked) -> str:
        said, name = learn(asked), str(state.sample_id)
        if name not in said:
            raise TaskError(
                f"{method} gives no answer to {name}: it was trained on it, or was not given it.",
                "Name the released test split with -T split.",
            )
        return said[name]

    return _answer_one_by_one(f"baseline/{method}", answer)


@as_solver(name="chance")
def chance(seed: int = SEED, store: str | None = None) -> Solver:
    """Answers with the right answer of another question, drawn at random; no model is asked.

    So what is said has the form and the names that right answers have, and nothing else of them.

    Args:
        seed: the same seed draws the same.
        store: folder of the store; None for the usual one.
    """

    def answer(state: TaskState, asked: Asked) -> str:
        scorer, name = open_scorer(asked, store), str(state.sample_id)
        part = scorer.lines[name].part
        others = [each for each in scorer.list_asked() if each != name]
        others = [each for each in others if scorer.lines[each].part == part]
        if not others:
            raise TaskError(f"{asked.task} has no other question to take an answer of.")
        drawn = scorer.lines[random.Random(f"{seed}:{name}").choice(others)]
        return render_target(scorer.prompt, drawn.instance) or ""

    return _answer_one_by_one("chance", answer)


@as_solver(name="people")
def people(store: str | None = None) -> Solver:
    """Answers as people did, where the corpus has their answer beside the right one.

    Args:
        store: folder of the store; None for the usual one.
    """

    def answer(state: TaskState, asked: Asked) -> str:
        scorer = open_scorer(asked, store)
        if scorer.task.people is None:
            raise TaskError(f"{asked.task} has no answers of people but the right ones.")
        line = scorer.lines[str(state.sample_id)]
        return render_answer(scorer.prompt, line.question, scorer.task.people(line.instance))

    return _answer_one_by_one("people", answer)


def _answer_one_by_one(model: str, answer: Callable[[TaskState, Asked], str]) -> Solver:
    """Has a function answer, which is called in a thread for one sample at a time."""
    lock = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's
        if state.metadata.get("answers") == "tools":
            raise UsageError("No tools are called without a model.", "Leave -T answers=tools out.")
        try:
            # Samples run at the same time: the first learns or reads, and the others wait for it.
            async with lock:
                said = await anyio.to_thread.run_sync(answer, state, read_asked(state.metadata))
        # inspect_ai draws the traceback of whatever ends a run, without the lines of its own code:
        # of ours, this one alone is left.
        except CommongroundError as error:
            raise error.with_traceback(None) from None
        state.output = ModelOutput.from_content(model, said)
        state.messages.append(state.output.message)
        return state

    return solve


class _Replayed(msgspec.Struct):
    """What a model would say to predict the same, by instance, and what is to be known of it."""

    said: dict[str, str]
    problems: list[Problem]


def _read_files(asked: Asked, files: Sequence[Path], store: str | None) -> _Replayed:
    """Reads files of predictions as ``commonground evaluate`` does.

    Of an instance that was predicted several times, the first prediction is replayed that the task
    scores.
    """
    scorer, found = open_scorer(asked, store), _Replayed({}, [])
    gold = Gold(corpus=load(asked.corpus, store), split=asked.split)
    for file in files:
        scoring = score_covered(scorer.task, file, gold).scoring
        found.problems += scoring.problems
        answers = {
            each.instance_id: each.answer
            for each in scoring.instances
            if each.answer is not None and each.instance_id in scorer.lines
        }
        if twice := answers.keys() & found.said.keys():
            raise TaskError(f"{file} predicts {min(twice)}, which another file does, too.")
        for name, answer in answers.items():
            question = scorer.lines[name].question
            found.said[name] = render_answer(scorer.prompt, question, answer)
    return found


@as_solver(name="predictions")
@checking_options("commonground/predictions")
def predictions(file: str | list[str], store: str | None = None) -> Solver:
    """Answers as files of predictions do; no model is asked.

    What a file lacks is answered with nothing, so that it counts as a prediction that is missing.

    Args:
        file: a file that ``commonground evaluate`` takes; several, divided by commas, where parts
            of a corpus have files of their own.
        store: folder of the store; None for the usual one.
    """
    with refusing_in_words():
        if not file:
            raise UsageError("No file of predictions was named.", "Name one: -S file=FILE.")
        files = [Path(each) for each in ([file] if isinstance(file, str) else file)]
        for each in files:
            if not each.exists():
                raise UsageError(f"{each} is not there.", "Check the path.")
    read: dict[Asked, _Replayed] = {}

    def answer(state: TaskState, asked: Asked) -> str:
        if asked not in read:
            read[asked] = _read_files(asked, files, store)
            # By the sample that came first: on the screen, and once in the log.
            state.store.set(PROBLEMS, msgspec.to_builtins(read[asked].problems))
            for each in read[asked].problems:
                _log.warning("%s %s, such as %s.", f"{each.count:,}", each.kind, each.example)
        return read[asked].said.get(str(state.sample_id), "")

    return _answer_one_by_one("predictions/" + "+".join(each.name for each in files), answer)
