"""Rows that stand as columns until somebody looks at one.

An import makes a few million rows only to read each of their fields once, a column at a time. A
conversion that has the values of a field in one list anyway gives :func:`keep_columns` instead of
rows; what writes tables takes the lists by :func:`read_column`; everybody else sees a list.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")


class Repeated(Sequence[T]):
    """A column of which many rows share a value: row ``i`` has ``values[places[i]]``.

    Attributes:
        values: each once.
        places: which of them each row has; an ``array("i")`` is read without copying it.
    """

    def __init__(self, values: list[T], places: Sequence[int]) -> None:
        self.values = values
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[T]:
        return map(self.values.__getitem__, self.places)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return Repeated(self.values, self.places[index])
        return self.values[self.places[index]]


class Rows(UserList[T]):
    """A list whose rows are made of columns when one of them is looked at, all at once.

    From then on the rows alone count, as each of them can be changed.
    """

    def __init__(self, rows: Iterable[T] = ()) -> None:
        # `UserList` would set `data`, which is read through the property below.
        self._rows = list(rows)
        self._columns: dict[str, Sequence[Any]] | None = None
        self._make: Callable[..., T] | None = None

    @property
    def data(self) -> list[T]:  # type: ignore[override]
        """The rows, of which any may be changed; `UserList` does everything by this list."""
        columns, make = self._columns, self._make
        if columns is not None and make is not None:
            names = list(columns)
            self._rows = [
                make(**dict(zip(names, values, strict=True)))
                for values in zip(*columns.values(), strict=True)
            ]
            self._columns = None
        return self._rows

    def __len__(self) -> int:
        return len(self._rows) if self._columns is None else _count(self._columns)

    def __iter__(self) -> Iterator[T]:
        # That of `UserList` asks for one row after the other by its number.
        return iter(self.data)

    def __copy__(self) -> Rows[T]:
        return Rows(self.data)

    def has(self, name: str) -> bool:
        """Whether any row may have a value other than None under this name."""
        return bool(self._rows) if self._columns is None else name in self._columns


def _count(columns: Mapping[str, Sequence[Any]]) -> int:
    return len(next(iter(columns.values())))


def keep_columns(make: Callable[..., T], **columns: Sequence[Any]) -> list[T]:
    """Gives rows as columns.

    Args:
        make: makes one row of its values by name: a struct of ``model``, or a function. A field
            that has no column here must be None by default.
        columns: the values of each field, one for each row, at least one column; they are kept,
            not copied.

    Returns:
        What behaves as a list of rows in everything, but is none to ``isinstance``.

    Raises:
        ValueError: a column has another number of values than the first.
    """
    count = _count(columns)
    for name, values in columns.items():
        if len(values) != count:
            raise ValueError(f"The column {name} has {len(values)} values for {count} rows.")
    rows: Rows[T] = Rows()
    if count:
        rows._make, rows._columns = make, columns
    return cast("list[T]", rows)


def read_column(rows: Sequence[Any], name: str) -> Sequence[Any]:
    """Returns the values of a field in all rows, without making any row that is not there yet."""
    if isinstance(rows, Rows) and rows._columns is not None:
        values = rows._columns.get(name)
        return [None] * len(rows) if values is None else values
    return list(map(attrgetter(name), rows))
