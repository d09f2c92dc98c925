"""The baselines of the tasks, found beside them in the corpora's ``tasks`` folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache

from commonground.bench.evaluation.tasks import collect_parts
from commonground.errors import find_named
from commonground.extras import needing
from commonground.method import Baseline, Baselines


def explain_extra() -> AbstractContextManager[None]:
    """Turns the lack of scikit-learn into words on how to get it.

    Raises:
        MissingExtraError: it is not installed and was asked for.
    """
    return needing("baselines", "This baseline needs scikit-learn")


@cache
def _find_baselines() -> dict[str, Baselines]:
    with explain_extra():
        return collect_parts("BASELINES", Baselines, lambda each: each.task)


def iterate_baselines() -> Iterator[Baselines]:
    """Yields the baselines of every task that has some, in order of the tasks' names."""
    found = _find_baselines()
    for name in sorted(found):
        yield found[name]


def get_baselines(task: str) -> Baselines:
    """Returns the baselines of a task.

    Raises:
        UsageError: it has none.
    """
    found = _find_baselines()
    return find_named("baseline of task", task, found)


def choose_methods(
    baselines: Baselines, names: Sequence[str], *, encodes: bool = False, sees: bool = False
) -> tuple[Baseline, ...]:
    """Returns the methods of these names, or all where none is named.

    Args:
        encodes: whether all methods are also those that need a sentence encoder.
        sees: whether they are also those that look at pictures.

    Raises:
        UsageError: there is none of a name.
    """
    known = {each.name: each for each in baselines.methods}
    kind = f"method for {baselines.task}"
    chosen = tuple(find_named(kind, name, known) for name in dict.fromkeys(names))
    return chosen or tuple(
        each
        for each in baselines.methods
        if (encodes or not each.encodes) and (sees or not each.sees)
    )
