"""Results that others published, from the file ``tasks/published.toml`` of a corpus.

A table has a source and columns such as ``simmc/dst act_f1 %``: the task, the name of the number,
and a percent sign where the source prints percent. A row has the name of a system and its cells:
numbers, ``-`` for none, or text as printed, ``57.24±0.63*``, with the deviation and the mark of
significance behind the number.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from commonground.errors import FormatError
from commonground.task import Published

# Such as `simmc/dst act_f1 %`.
_COLUMN = re.compile(r"(?P<task>\S+) (?P<name>\S+)(?P<percent> %)?")
# As papers print: 0.53, 31.2±0.4, 0.87**.
_CELL = re.compile(r"(?P<value>-?[0-9.]+)(?:±(?P<deviation>[0-9.]+))?(?P<mark>\**)")
_NONE = "-"
_PLACES = 10
"""More than any source prints; dividing percent by 100 leaves a rest far behind them."""


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


class _Number(msgspec.Struct, frozen=True):
    value: float
    deviation: float | None
    mark: str


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
        found: dict[str, dict[str, _Number]] = {}
        for column, cell in zip(columns, cells, strict=True):
            if cell != _NONE:
                scale = 100 if column["percent"] else 1
                numbers = found.setdefault(column["task"], {})
                numbers[column["name"]] = _read_cell(cell, scale, f"{place}, {column[0]}")
        for task, numbers in found.items():
            yield task, _make(table, system, numbers)


def _match(pattern: re.Pattern[str], text: str, where: str, expected: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise FormatError(f"{where}: expected {expected}, found {text!r}.")
    return found


def _read_cell(cell: str | float, scale: int, where: str) -> _Number:
    if not isinstance(cell, str):
        return _Number(round(cell / scale, _PLACES) if scale > 1 else cell, None, "")
    printed = _match(_CELL, cell, where, "a number, perhaps with ± and *")
    value, deviation = float(printed["value"]), printed["deviation"]
    return _Number(
        round(value / scale, _PLACES),
        None if deviation is None else round(float(deviation) / scale, _PLACES),
        printed["mark"],
    )


def _make(table: _Table, system: str, numbers: dict[str, _Number]) -> Published:
    return Published(
        system=system,
        split=table.split,
        values={name: each.value for name, each in numbers.items()},
        source=table.source,
        comparable=table.comparable,
        deviations={
            name: each.deviation for name, each in numbers.items() if each.deviation is not None
        },
        marks={name: each.mark for name, each in numbers.items() if each.mark},
    )
