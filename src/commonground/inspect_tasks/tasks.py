"""A task of inspect_ai for each benchmark task that has a prompt."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai import Task as InspectTask
from inspect_ai import task as as_task
from inspect_ai.solver import generate

from commonground.evaluation.prompts import SEED, find_prompts, inspect_name
from commonground.evaluation.tasks import get_task
from commonground.inspect_tasks.asking.instructing import instruct
from commonground.inspect_tasks.asking.pictures import LARGEST, refuse_blind
from commonground.inspect_tasks.asking.questions import Asking, make_dataset
from commonground.inspect_tasks.asking.tools import offer_tools
from commonground.inspect_tasks.refusals import refuse_unreachable, refusing_in_words
from commonground.inspect_tasks.scoring.judging import judged, require_rubric
from commonground.inspect_tasks.scoring.official import official
from commonground.task import Task

_OPTIONS = """
Args:
    corpus: imported corpus, where a task has several.
    split: split to ask about; None for the one that baselines are tested on, `all` for all.
    part: part of the corpus, such as SIMMC's `fashion`; None for all.
    where: SQL condition over the columns of `dialogues`.
    limit: number of dialogues, drawn by the seed and asked whole; None for all.
    few_shot: number of examples from the training split, drawn by the seed.
    seed: of what is drawn, and of the order in which candidates are shown.
    answers: `json` as the prompt says, `schema` where the provider keeps models to a schema,
        `tools` where they may call the actions of the corpus.
    variant: `text` or `pictures`; None for pictures where the task has some and their folder is
        known.
    image_size: pixels of the longer side of a picture, at most.
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
        few_shot: int = 0,
        seed: int = SEED,
        answers: str = "json",
        variant: str | None = None,
        image_size: int = LARGEST,
        judge: bool = False,
        store: str | None = None,
    ) -> InspectTask:
        asking = Asking(
            task=task.name,
            corpus=corpus or task.corpora[0],
            split=split,
            part=part,
            where=where,
            limit=limit,
            few_shot=few_shot,
            seed=seed,
            answers=answers,
            variant=variant,
            image_size=image_size,
            judge=judge,
            store=store,
        )
        return make_inspect_task(asking)

    ask.__doc__ = f"{task.name}: {task.title}.\n{_OPTIONS}"
    return as_task(name=inspect_name(task.name))(ask)


def make_inspect_task(asking: Asking) -> InspectTask:
    """Makes what inspect_ai runs of what is to be asked.

    Raises:
        PrerequisiteError: a name is unknown, nothing is there to be asked about, or nobody answers
            where the model is asked.
    """
    with refusing_in_words():
        refuse_unreachable()
        made = make_dataset(asking)
        if made.facts["variant"] == "pictures":
            refuse_blind()
        if asking.judge:
            require_rubric(asking.task)
    return InspectTask(
        dataset=made.dataset,
        # Not among the solvers: what stands in for a model (`--solver`) is told the same.
        setup=instruct(made.ask, made.examples),
        solver=offer_tools(made.tools) if made.tools else generate(),
        config=made.config,
        scorer=[official(store=asking.store), *([judged()] if asking.judge else [])],
        version=made.facts["prompt_version"],
        metadata=made.facts,
        tags=["commonground", asking.corpus],
        display_name=made.title,
        description=get_task(asking.task).title,
    )
