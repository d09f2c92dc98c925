"""The benchmark tasks: one file each, found in the corpora's ``tasks`` folders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from commonground.corpora import Entry, iterate_corpora
from commonground.errors import FormatError, unknown_name
from commonground.task import Task


@cache
def _find_tasks() -> dict[str, Task]:
    found: dict[str, Task] = {}
    for folder, entry in {entry.folder: entry for entry in iterate_corpora()}.items():
        for path in sorted((folder / "tasks").glob("*.py")):
            task = _task_in(entry, path.stem)
            if task is None:
                continue
            if task.name in found:
                raise FormatError(f"{path}: there is a task {task.name!r} already.")
            found[task.name] = task
    return found


def _task_in(entry: Entry, stem: str) -> Task | None:
    """Returns the task of a module; null for a module that only helps."""
    if stem.startswith("_"):
        return None
    task = getattr(entry.module(f"tasks.{stem}"), "TASK", None)
    return task if isinstance(task, Task) else None


def iterate_tasks() -> Iterator[Task]:
    """Yields every task found, in order of name."""
    found = _find_tasks()
    for name in sorted(found):
        yield found[name]


def get_task(name: str) -> Task:
    """Returns the task of a name such as ``simmc/dst``.

    Raises:
        UsageError: there is none.
    """
    found = _find_tasks()
    if name not in found:
        raise unknown_name("task", name, found)
    return found[name]
