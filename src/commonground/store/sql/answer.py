"""What a query found: an Arrow table that prints small and becomes a dataframe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonground.extras import needing
from commonground.printing import Sheet, Tabled, count_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_MOST_ROWS = 100
"""Rows that are made text: as many as a notebook shows, and more than a terminal does."""


class Answer(Tabled):
    """What a query found: an Arrow table that prints as a small one.

    It has every attribute and method of ``pyarrow.Table``, and is read like one by all that read
    Arrow streams, such as DuckDB and ``polars.DataFrame``. Some functions take nothing but a
    ``pyarrow.Table``, such as ``pyarrow.parquet.write_table``: give them ``arrow``.

    Attributes:
        arrow: the ``pyarrow.Table``.

    Example:
        >>> import commonground as cg
        >>> answer = cg.sql("select speaker, count(*) as n from events group by all order by n")
        >>> answer.num_rows, answer["speaker"].to_pylist(), answer.arrow.nbytes
        (2, ['user', 'wizard'], ...)
    """

    __slots__ = ("arrow",)

    def __init__(self, arrow: pyarrow.Table) -> None:
        self.arrow = arrow

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """Returns the rows as a pandas dataframe.

        Args:
            options: what ``pyarrow.Table.to_pandas`` takes.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        with needing("pandas", "A dataframe needs pandas"):
            import pandas  # noqa: F401 - pyarrow imports it, too, and says less without it
        frame: pandas.DataFrame = self.arrow.to_pandas(**options)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a polars dataframe.

        Raises:
            MissingExtraError: polars is not installed.
        """
        with needing("polars", "A dataframe of polars needs polars"):
            import polars

        return polars.DataFrame(self.arrow)

    def sheet(self) -> Sheet:
        """Returns the first rows; a dash stands for null."""
        from pyarrow import types

        fields = self.arrow.schema
        first = self.arrow.slice(0, _MOST_ROWS)
        numbers = (types.is_integer, types.is_floating, types.is_decimal)
        return Sheet(
            title=f"{count_of(len(self), 'row')}, {count_of(len(fields), 'column')}",
            columns=tuple(fields.names),
            rows=list(zip(*(map(_write, each.to_pylist()) for each in first.columns), strict=True)),
            right=frozenset(f.name for f in fields if any(is_one(f.type) for is_one in numbers)),
            total=len(self),
        )

    def __getattr__(self, name: str) -> Any:
        if name == "arrow":  # asked for while it is unpickled, before it has one
            raise AttributeError(name)
        return getattr(self.arrow, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.arrow)})

    # Python asks a class for these, not a value, so they need saying.
    def __len__(self) -> int:
        return len(self.arrow)

    def __getitem__(self, key: Any) -> Any:
        return self.arrow[key]

    def __eq__(self, other: object) -> bool:
        return bool(self.arrow == (other.arrow if isinstance(other, Answer) else other))

    __hash__ = None  # type: ignore[assignment]  # nor has a pyarrow.Table one

    def __array__(self, *given: Any, **named: Any) -> Any:
        return self.arrow.__array__(*given, **named)


def _write(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else str(value)
