"""A task of inspect_ai for each benchmark task that has a prompt."""

from __future__ import annotations

import logging
from collections.abc import Callable

from inspect_ai import Task as InspectTask
from inspect_ai.model._model import active_model
from inspect_ai.solver import generate

from commonground.bench.evaluation.prompts import find_prompts, inspect_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.decoding import decode_greedily
from commonground.bench.inspect_tasks.asking.hashing import hash_made
from commonground.bench.inspect_tasks.asking.instructing import instruct
from commonground.bench.inspect_tasks.asking.pictures import refuse_blind
from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset
from commonground.bench.inspect_tasks.asking.tools import offer_tools
from commonground.bench.inspect_tasks.limits import find_excess
from commonground.bench.inspect_tasks.refusals import (
    refuse_unreachable,
    refusing_in_words,
    register_task,
)
from commonground.bench.inspect_tasks.scoring.judging import judged, require_grader, require_rubric
from commonground.bench.inspect_tasks.scoring.official import official
from commonground.task import Task

_log = logging.getLogger(__name__)


def register_tasks() -> dict[str, Callable[..., InspectTask]]:
    """Makes every task that has a prompt known to inspect_ai, and returns them by name."""
    return {inspect_name(name): _register(get_task(name)) for name in sorted(find_prompts())}


def _register(task: Task) -> Callable[..., InspectTask]:
    return register_task(
        inspect_name(task.name),
        Asking,
        make_inspect_task,
        title=f"{task.name}: {task.title}.",
        given={"task": task.name},
        usual={"corpus": task.corpora[0]},
    )


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
        active = active_model()
        for each in [] if active is None else find_excess(made, str(active)):
            _log.warning(each)
        if asking.judge:
            require_rubric(asking.task)
            # In Python a task may be made before it is known who is asked.
            if active is not None:
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
