"""The benchmark tasks: a file or a folder each, found in the corpora's ``tasks`` folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from commonground.corpora import iterate_corpora
from commonground.errors import FormatError, close_names, find_named, unknown_name
from commonground.evaluation.published import read_published
from commonground.task import Task

if TYPE_CHECKING:
    from commonground.store.corpus import Corpus

T = TypeVar("T")


def collect_parts(constant: str, kind: type[T], name_of: Callable[[T], str]) -> dict[str, T]:
    """Collects what the tasks of all corpora have under a constant, by name of the task.

    Args:
        constant: ``TASK``, ``PROMPT`` or ``BASELINES``.
        kind: what it must be.
        name_of: gives the name of the task.

    Raises:
        FormatError: a task has two of them.
    """
    found: dict[str, T] = {}
    # Several corpora may share a folder, whose tasks are found once.
    for entry in {entry.folder: entry for entry in iterate_corpora()}.values():
        for path, part in entry.task_parts(constant, kind):
            name = name_of(part)
            if name in found:
                raise FormatError(f"{path}: {name!r} has a {constant} already.")
            found[name] = part
    return found


@cache
def _find_tasks() -> dict[str, Task]:
    found = collect_parts("TASK", Task, lambda task: task.name)
    for folder in dict.fromkeys(entry.folder for entry in iterate_corpora()):
        found |= _add_published(folder / "tasks" / "published.toml", found)
    return found


def _add_published(path: Path, tasks: dict[str, Task]) -> dict[str, Task]:
    """Returns the tasks that a file of published results speaks of, with these results.

    Raises:
        FormatError: the file speaks of a task that is not there.
    """
    if not path.exists():
        return {}
    results = read_published(path)
    unknown = sorted(results.tasks() - tasks.keys())
    if unknown:
        raise FormatError(
            f"{path}: there is no task {unknown[0]!r}.", close_names(unknown[0], tasks)
        )
    return {
        name: msgspec.structs.replace(
            tasks[name],
            published=tuple(results.listed.get(name, ())),
            unlisted=results.unlisted.get(name, ""),
        )
        for name in results.tasks()
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
    """Refuses a corpus that a task has no instances in; None stands for the task's first.

    Raises:
        UsageError: it is not one of the task's.
    """
    name = corpus if corpus is None or isinstance(corpus, str) else corpus.name
    if name is not None and name not in task.corpora:
        raise unknown_name("corpus", name, task.corpora, f"of {task.name}")
