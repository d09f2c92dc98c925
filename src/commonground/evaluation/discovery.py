"""The benchmark tasks: a file or a folder each, found in the corpora's ``tasks`` folders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from commonground.corpora import iterate_corpora
from commonground.errors import FormatError, find_named, unknown_name
from commonground.task import Task

if TYPE_CHECKING:
    from commonground.store.corpus import Corpus


@cache
def _find_tasks() -> dict[str, Task]:
    found: dict[str, Task] = {}
    # Several corpora may share a folder, whose tasks are found once.
    for entry in {entry.folder: entry for entry in iterate_corpora()}.values():
        for path, task in entry.task_parts("TASK", Task):
            if task.name in found:
                raise FormatError(f"{path}: there is a task {task.name!r} already.")
            found[task.name] = task
    return found


def iterate_tasks() -> Iterator[Task]:
    """Yields every task found, in order of name."""
    found = _find_tasks()
    for name in sorted(found):
        yield found[name]


def get_task(name: str) -> Task:
    """Returns the task of a name such as ``simmc/dst``.

    Raises:
        UsageError: there is none.

    Example:
        >>> import commonground as cg
        >>> task = cg.get_task("frames/nlu")
        >>> task.title, list(task.allowed)
        ('acts, slots and values of a user turn', ['text', 'history'])
    """
    found = _find_tasks()
    return find_named("task", name, found)


def require_corpus(task: Task, corpus: str | Corpus | None) -> None:
    """Refuses a corpus that a task has no instances in; null stands for the task's first.

    Raises:
        UsageError: it is not one of the task's.
    """
    name = corpus if corpus is None or isinstance(corpus, str) else corpus.name
    if name is not None and name not in task.corpora:
        raise unknown_name(f"corpus of {task.name}", name, task.corpora)
