"""A report card filled in: its tasks asked of models, scripts, people and chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from inspect_ai import eval as run_task
from inspect_ai.solver import Solver

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.prompts import inspect_name
from commonground.bench.evaluation.report_card import Card, CardTask
from commonground.bench.evaluation.reporting import BASELINE, PEOPLE
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.refusals import refusing_in_words
from commonground.bench.inspect_tasks.solvers import baseline, chance, people
from commonground.errors import TaskError
from commonground.store.opening import open_store

CHANCE = f"{BASELINE}chance"
"""Name of what answers at random."""

_NOBODY = "mockllm/model"
"""The model that inspect_ai is given where none is asked."""


class CardRun(msgspec.Struct, frozen=True, kw_only=True):
    """One system to be asked one task.

    Attributes:
        model: who is asked; None where nobody is.
        method: the baseline that answers; None where none does.
        by_people: whether people's own answers are given. Of the three at most one is set; with
            none, chance answers.
    """

    task: CardTask
    model: str | None = None
    method: str | None = None
    by_people: bool = False

    @property
    def system(self) -> str:
        """Name of the system, as logs and boards have it."""
        if self.model is not None:
            return self.model
        if self.by_people:
            return PEOPLE
        return CHANCE if self.method is None else f"{BASELINE}{self.method}"


def list_runs(
    tasks: Sequence[CardTask], models: Sequence[str], *, scripted: bool, by_chance: bool
) -> list[CardRun]:
    """Lists who is to be asked what; people's own answers are given wherever a task has them.

    Args:
        models: models, as inspect_ai names them.
        scripted: whether the baseline that the card names answers, too.
        by_chance: whether the right answer of another question is said, too.
    """
    return [
        run
        for task in tasks
        for run in (
            *([CardRun(task=task, by_people=True)] if get_task(task.task).people else []),
            *(CardRun(task=task, model=each) for each in models),
            *([CardRun(task=task, method=task.scripted)] if scripted else []),
            *([CardRun(task=task)] if by_chance else []),
        )
    ]


def run_card(card: Card, run: CardRun, logs: Path, *, dialogues: int, store: str | None) -> Path:
    """Asks one task of one system, and returns the log.

    Args:
        dialogues: about how many dialogues.

    Raises:
        TaskError: nothing can be asked, or the run ended before its end.
    """
    # By the name that inspect_ai knows it by, so that `inspect eval-retry` finds it.
    made = TASKS[inspect_name(run.task.task)](
        part=run.task.part,
        limit=dialogues,
        per_dialogue=1,
        few_shot=card.few_shot,
        seed=card.seed,
        variant=card.variant,
        store=store,
    )
    with refusing_in_words():
        (log,) = run_task(
            made,
            model=run.model or _NOBODY,
            solver=_choose_solver(run, store),
            log_dir=str(logs),
            display="none",
            # A call that fails costs its question, which counts as wrong, and no other.
            fail_on_error=False,
            temperature=0.0,
            max_tokens=card.max_tokens,
            seed=card.seed,
        )
    path = Path(log.location.removeprefix("file://"))
    if log.status != "success":
        why = log.error.message if log.error else log.status
        raise TaskError(f"{log.eval.task} ended before its end: {why}", f"Its log is {path}.")
    return path


def _choose_solver(run: CardRun, store: str | None) -> Solver | None:
    if run.model is not None:
        return None
    if run.by_people:
        return people(store=store)
    return chance(store=store) if run.method is None else baseline(run.method, store=store)


def find_missing(tasks: Sequence[CardTask], store: str | None) -> dict[str, str]:
    """Says of each task that cannot be asked what is missing."""
    opened = open_store(store)
    imported = opened.corpora()
    missing = {}
    for each in tasks:
        corpus, tested = get_task(each.task).corpora[0], get_baselines(each.task).test_split
        if corpus not in imported:
            missing[each.task] = f"{corpus} is not imported"
        # Of what systems may have learned from, nothing is asked.
        elif tested is not None and tested not in opened.corpus(corpus).splits():
            missing[each.task] = f"the import of {corpus} has no split {tested!r}"
    return missing
