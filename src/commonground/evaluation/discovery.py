"""The benchmark tasks: a file or a folder each, found in the corpora's ``tasks`` folders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from commonground.corpora import iterate_corpora
from commonground.errors import FormatError, close_names, find_named, unknown_name
from commonground.evaluation.published import read_published
from commonground.task import Task

if TYPE_CHECKING:
    from commonground.store.corpus import Corpus


@cache
def _find_tasks() -> dict[str, Task]:
    found: dict[str, Task] = {}
    # Several corpora may share a folder, whose tasks are found once.
    for entry in {entry.folder: entry for entry in iterate_corpora()}.values():
        mine: dict[str, Task] = {}
        for path, task in entry.task_parts("TASK", Task):
            if task.name in found or task.name in mine:
                raise FormatError(f"{path}: there is a task {task.name!r} already.")
            mine[task.name] = task
        found |= _add_published(entry.folder / "tasks" / "published.toml", mine)
    return found


def _add_published(path: Path, tasks: dict[str, Task]) -> dict[str, Task]:
    """Gives the tasks of a corpus what its file of published results has for them.

    Raises:
        FormatError: the file speaks of a task that the corpus does not have.
    """
    if not path.exists():
        return tasks
    results = read_published(path)
    for name in sorted(results.tasks() - tasks.keys()):
        raise FormatError(f"{path}: there is no task {name!r}.", close_names(name, tasks))
    return {
        name: msgspec.structs.replace(
            task,
            published=tuple(results.listed.get(name, task.published)),
            unlisted=results.unlisted.get(name, task.unlisted),
        )
        for name, task in tasks.items()
    }


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
