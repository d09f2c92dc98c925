"""The benchmark tasks: a file or a folder each, found in the corpora's ``tasks`` folders.

What others published stands beside them in ``published.toml``. A table has a source and columns
such as ``simmc/dst act_f1 %``: the task, the name of the number, and a percent sign where the
source prints percent. A row has the name of a system and its cells: numbers, ``-`` for none, or
text as printed, ``57.24±0.63*``, with the deviation and the mark of significance after the number.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from commonground.corpora import iterate_corpora
from commonground.errors import FormatError, close_names, find_named, unknown_name
from commonground.task import Published, Task

if TYPE_CHECKING:
    from commonground.store.corpus import Corpus

T = TypeVar("T")


def collect_parts(constant: str, kind: type[T], name_of: Callable[[T], str]) -> dict[str, T]:
    """Collects what the tasks of all corpora have under a constant, by name of the task.

    Args:
        constant: ``TASK``, ``PROMPT`` or ``BASELINES``.

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


# Such as `simmc/dst act_f1 %`, and `photobook/reference mrr (first)` as reports call it.
_COLUMN = re.compile(r"(?P<task>\S+) (?P<name>\S+(?: \(\S+\))?)(?P<percent> %)?")
# As papers print: 0.53, 31.2±0.4, 0.87**.
_CELL = re.compile(r"(?P<value>-?[0-9.]+)(?:±(?P<deviation>[0-9.]+))?(?P<mark>\**)")
_NONE = "-"
_PLACES = 10
"""More than any source prints; dividing percent by 100 leaves a rest far below them."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    split: str
    comparable: str
    columns: list[str]
    rows: list[list[str | int | float]]


class _Unlisted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tasks: list[str]
    text: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: list[_Table] = []
    unlisted: list[_Unlisted] = []


class PublishedResults(msgspec.Struct, frozen=True):
    """What was published for the tasks of a corpus.

    Attributes:
        listed: the results by name of the task, in the order of the file.
        unlisted: by name of the task, what others published that is not listed, and why.
    """

    listed: dict[str, list[Published]]
    unlisted: dict[str, str]

    def tasks(self) -> set[str]:
        """Returns the names of the tasks that it speaks of."""
        return self.listed.keys() | self.unlisted.keys()


def read_published(path: Path) -> PublishedResults:
    """Reads a file of published results.

    Raises:
        FormatError: it is not TOML, lacks a field, or a row or cell has another form; the message
            says which.
    """
    try:
        file = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", "Compare it with another corpus's.") from error
    listed: dict[str, list[Published]] = {}
    for number, table in enumerate(file.table, 1):
        for task, published in _list_results(table, f"{path}: table {number}"):
            listed.setdefault(task, []).append(published)
    unlisted = {task: each.text for each in file.unlisted for task in each.tasks}
    return PublishedResults(listed, unlisted)


def _list_results(table: _Table, where: str) -> Iterator[tuple[str, Published]]:
    """Yields the results of each row, one for each task that it has numbers of."""
    columns = [
        _match(_COLUMN, each, f"{where}, columns", "TASK NAME [%]") for each in table.columns
    ]
    for number, (system, *cells) in enumerate(table.rows, 1):
        place = f"{where}, row {number}"
        if len(cells) != len(columns) or not isinstance(system, str):
            expected = f"a system and {len(columns)} cells"
            raise FormatError(f"{place}: expected {expected}, found {[system, *cells]}.")
        found: dict[str, Published] = {}
        for column, cell in zip(columns, cells, strict=True):
            if cell != _NONE:
                begun = Published(
                    system=system,
                    split=table.split,
                    values={},
                    source=table.source,
                    comparable=table.comparable,
                )
                _add_cell(found.setdefault(column["task"], begun), column, cell, place)
        yield from found.items()


def _match(pattern: re.Pattern[str], text: str, where: str, expected: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise FormatError(f"{where}: expected {expected}, found {text!r}.")
    return found


def _add_cell(published: Published, column: re.Match[str], cell: str | float, place: str) -> None:
    name, scale = column["name"], 100 if column["percent"] else 1
    if not isinstance(cell, str):
        published.values[name] = round(cell / scale, _PLACES) if scale > 1 else cell
        return
    where = f"{place}, {column[0]}"
    printed = _match(_CELL, cell, where, "a number, perhaps with ± and *")
    published.values[name] = round(float(printed["value"]) / scale, _PLACES)
    if printed["deviation"] is not None:
        published.deviations[name] = round(float(printed["deviation"]) / scale, _PLACES)
    if printed["mark"]:
        published.marks[name] = printed["mark"]
