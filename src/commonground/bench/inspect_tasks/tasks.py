"""A task of inspect_ai for each benchmark task that has a prompt."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai import task as as_task
from inspect_ai.model._model import active_model
from inspect_ai.solver import generate

from commonground.bench.evaluation.prompts import SEED, find_prompts, inspect_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.decoding import decode_greedily
from commonground.bench.inspect_tasks.asking.hashing import hash_made
from commonground.bench.inspect_tasks.asking.instructing import instruct
from commonground.bench.inspect_tasks.asking.pictures import LARGEST, refuse_blind
from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset
from commonground.bench.inspect_tasks.asking.tools import offer_tools
from commonground.bench.inspect_tasks.limits import list_excess_of_active
from commonground.bench.inspect_tasks.refusals import (
    refuse_unreachable,
    refusing_in_words,
    refusing_unknown,
)
from commonground.bench.inspect_tasks.scoring.judging import judged, require_grader, require_rubric
from commonground.bench.inspect_tasks.scoring.official import official
from commonground.errors import UsageError
from commonground.task import Task

_log = logging.getLogger(__name__)

_OPTIONS = """
Args:
    corpus: imported corpus, where a task has several.
    split: split to ask about; None for the one that baselines are tested on, `all` for all.
    part: part of the corpus, such as SIMMC's `fashion`; None for all.
    where: SQL condition over the columns of `dialogues`.
    limit: number of dialogues, drawn by the seed and asked whole; None for all.
    per_dialogue: number of instances of each dialogue, drawn by the seed; None for all.
    few_shot: number of examples from the training split, drawn by the seed.
    seed: of what is drawn, and of the order in which candidates are shown.
    answers: `json` as the prompt says, `schema` where the provider keeps models to a schema,
        `tools` where they may call the actions of the corpus.
    variant: `text`, `pictures`, or `fewer` pictures, which leaves out those of candidates; None for
        pictures where the task has some and their folder is known, fewer where it can.
    image_size: pixels of the longer side of a picture, at most.
    context: tokens that the model takes in one request; None for what is known of it. Questions
        that are longer are warned of.
    max_pictures: pictures that it takes, likewise.
    judge: whether the model of the role `grader` judges replies, too, where words are asked for.
    store: folder of the store; None for the usual one.
"""


def register_tasks() -> dict[str, Callable[..., InspectTask]]:
    """Makes every task that has a prompt known to inspect_ai, and returns them by name."""
    return {inspect_name(name): _register(get_task(name)) for name in sorted(find_prompts())}


def _register(task: Task) -> Callable[..., InspectTask]:
    def ask(
        corpus: str | None = None,
        split: str | None = None,
        part: str | None = None,
        where: str | None = None,
        limit: int | None = None,
        per_dialogue: int | None = None,
        few_shot: int = 0,
        seed: int = SEED,
        answers: str = "json",
        variant: str | None = None,
        image_size: int = LARGEST,
        context: int | None = None,
        max_pictures: int | None = None,
        judge: bool = False,
        store: str | None = None,
    ) -> InspectTask:
        return make_inspect_task(
            _check(
                task=task.name,
                corpus=corpus or task.corpora[0],
                split=split,
                part=part,
                where=where,
                limit=limit,
                per_dialogue=per_dialogue,
                few_shot=few_shot,
                seed=seed,
                answers=answers,
                variant=variant,
                image_size=image_size,
                context=context,
                max_pictures=max_pictures,
                judge=judge,
                store=store,
            )
        )

    ask.__doc__ = f"{task.name}: {task.title}.\n{_OPTIONS}"
    name = inspect_name(task.name)
    return as_task(name=name)(refusing_unknown(f"commonground/{name}")(ask))


def _check(**options: Any) -> Asking:
    """Returns what is to be asked; what stands on a command line may be of any type.

    Raises:
        PrerequisiteError: an option is of the wrong one.
    """
    with refusing_in_words():
        try:
            return msgspec.convert(options, Asking)
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$.")
            raise UsageError(f"-T {where.rstrip('`')}: {what}.") from error


def make_inspect_task(asking: Asking) -> InspectTask:
    """Makes what inspect_ai runs of what is to be asked.

    Raises:
        PrerequisiteError: a name is unknown, nothing is there to be asked about, nobody answers
            where a model is asked, or no model is to judge.
    """
    with refusing_in_words():
        refuse_unreachable()
        made = make_dataset(asking)
        if made.facts["variant"] != "text":
            refuse_blind()
        for each in list_excess_of_active(made):
            _log.warning(each)
        if asking.judge:
            require_rubric(asking.task)
            # In Python a task may be made before it is known who is asked.
            if active_model() is not None:
                require_grader()
        hashes = hash_made(made)
    return InspectTask(
        dataset=made.dataset,
        # Not among the solvers: what stands in for a model (`--solver`) is told the same.
        setup=[instruct(made.ask, made.examples), decode_greedily(made.config.temperature)],
        solver=offer_tools(made.tools) if made.tools else generate(),
        config=made.config,
        scorer=[official(store=asking.store), *([judged()] if asking.judge else [])],
        version=made.facts["prompt_version"],
        metadata=made.facts | {"questions_hash": hashes.texts, "pictures_hash": hashes.pictures},
        tags=["commonground", asking.corpus],
        display_name=made.title,
        description=get_task(asking.task).title,
    )
