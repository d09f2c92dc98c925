"""Figures in a line of Python each, as on the command line and in a notebook."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonground.stats.comparison import COMPARISONS
from commonground.stats.figure_files import find_figures
from commonground.stats.published import Comparison
from commonground.stats.tables import FigureTable
from commonground.stats.views import SIMULATED, draw_figure, show_cell
from commonground.stats.work import ALL, choose_work
from commonground.store.opening import open_store

if TYPE_CHECKING:
    import pandas

_SHOWN = 20
"""Rows that a notebook shows below the picture."""


class Plot:
    """A figure with its numbers, which shows itself in a notebook.

    Attributes:
        table: the figure with its numbers.
    """

    def __init__(self, table: FigureTable) -> None:
        self.table = table

    def __repr__(self) -> str:
        return f"<Figure {self.table.figure.name}: {len(self.rows)} rows>"

    @property
    def rows(self) -> list[list[Any]]:
        """The rows, in the order of the figure's columns."""
        return self.table.rows

    def svg(self) -> str | None:
        """Draws it; null for a figure that is a table only.

        Raises:
            UsageError: the drawing library is not installed.
        """
        return draw_figure(self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the numbers as a dataframe.

        Raises:
            ImportError: pandas is not installed (``pip install commonground[pandas]``).
        """
        import pandas

        names = [column.name for column in self.table.figure.columns]
        return pandas.DataFrame(self.rows, columns=names)

    def _repr_html_(self) -> str:
        figure = self.table.figure
        head = "".join(f"<th>{escape(column.title)}</th>" for column in figure.columns)
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows[:_SHOWN])
        left = len(self.rows) - _SHOWN
        more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
        caption = f"<p><b>{escape(figure.title)}.</b> {escape(figure.caption)}</p>"
        numbers = f"<table><tr>{head}</tr>{body}</table>{more}"
        return f"{self.svg() or ''}{caption}{numbers}{self._published()}"

    def _published(self) -> str:
        """Writes the published numbers beside ours; empty where there are none."""
        if self.table.simulated:
            return f"<p>{SIMULATED}</p>"
        rows = "".join(
            f"<tr><td>{escape(each.name)}</td><td>{each.published:,.7g} {escape(each.unit)}</td>"
            f"<td>{_ours(each)}</td><td>{escape(each.source)}</td><td>{escape(each.why)}</td></tr>"
            for each in self.table.comparisons()
        )
        names = ("published", "theirs", "ours", "source", "why they differ")
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><tr>{head}</tr>{rows}</table>" if rows else ""

    def _cells(self, row: list[Any]) -> str:
        columns = self.table.figure.columns
        shown = (show_cell(column, cell) for column, cell in zip(columns, row, strict=True))
        return "".join(f"<td>{escape(text)}</td>" for text in shown)


def _ours(comparison: Comparison) -> str:
    if comparison.ours is None:
        return "none"
    return f"{comparison.ours:,.7g} {'=' if comparison.agrees else '≠'}"


def list_figures(corpus: str) -> list[str]:
    """Returns the names of a corpus's figures; with ``all`` those that compare corpora.

    Raises:
        UsageError: there is no such corpus.

    Example:
        >>> import commonground as cg
        >>> cg.list_figures("frames")
        ['overview', 'documented', ...]
    """
    found = COMPARISONS if corpus == ALL else find_figures(corpus)
    return [each.name for each in found]


def plot(corpus: str, name: str, store: str | Path | None = None) -> Plot:
    """Gives one figure of an imported corpus its numbers.

    Args:
        corpus: name of the corpus; ``all`` for a comparison of those imported.
        name: name of the figure.
        store: folder of the store; null for the usual one.

    Raises:
        StoreError: the corpus was not imported.
        UsageError: there is no such figure.

    Example:
        >>> import commonground as cg
        >>> shown = cg.plot("frames", "ratings")
        >>> shown, shown.rows[0]
        (<Figure ratings: 4 rows>, [1.0, 1, 5.0])
    """
    return Plot(next(choose_work(open_store(store), corpus, [name]).run()))
