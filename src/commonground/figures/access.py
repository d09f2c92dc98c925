"""Figures in a line of Python each, as on the command line and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from commonground.corpora import get_corpus
from commonground.errors import find_named
from commonground.extras import needing
from commonground.figures.figure_files import find_comparisons, find_figures
from commonground.figures.figure_runs import ALL, choose_figures
from commonground.figures.published import Comparison
from commonground.figures.tables import FigureTable
from commonground.figures.views import SIMULATED, draw_figure, show_cell
from commonground.printing import Sheet, Tabled, count_of
from commonground.store.opening import open_store

if TYPE_CHECKING:
    import pandas

_SHOWN = 20
"""Rows that a notebook shows below the picture."""


class Plot(Tabled):
    """A figure with its numbers, which shows itself in a notebook.

    Attributes:
        table: the figure with its numbers.
    """

    def __init__(self, table: FigureTable) -> None:
        self.table = table

    def sheet(self) -> Sheet:
        """Returns the rows, and how many published numbers are ours, too."""
        columns = self.table.figure.columns
        texts = {
            each.name
            for n, each in enumerate(columns)
            if any(isinstance(row[n], str) for row in self.rows)
        }
        return Sheet(
            title=f"{self.table.figure.title} [{self.table.figure.name}]",
            columns=tuple(each.name for each in columns),
            rows=[tuple(map(show_cell, columns, row)) for row in self.rows],
            right=frozenset(each.name for each in columns if each.name not in texts),
            notes=tuple(filter(None, [self.agreement()])),
        )

    def agreement(self) -> str:
        """Says how many published numbers are ours, too; empty where none was published."""
        if self.table.simulated:
            return SIMULATED
        compared = self.table.comparisons()
        equal = sum(each.agrees for each in compared)
        return f"{equal} of {len(compared)} published numbers agree" if compared else ""

    @property
    def rows(self) -> list[list[Any]]:
        """The rows, in the order of the figure's columns."""
        return self.table.rows

    def svg(self) -> str | None:
        """Draws it; None for a figure that is a table only.

        Raises:
            UsageError: the drawing library is not installed.
        """
        return draw_figure(self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the numbers as a dataframe.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        with needing("pandas", "A dataframe needs pandas"):
            import pandas

        names = [column.name for column in self.table.figure.columns]
        return pandas.DataFrame(self.rows, columns=names)

    def _repr_html_(self) -> str:
        figure = self.table.figure
        head = "".join(f"<th>{escape(column.title)}</th>" for column in figure.columns)
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows[:_SHOWN])
        left = len(self.rows) - _SHOWN
        more = f"<p>and {count_of(left, 'more row')}</p>" if left > 0 else ""
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


class Figures(Tabled, Sequence[Plot]):
    """The figures of a corpus: a sequence of :class:`Plot`, each also found by its name.

    Attributes:
        corpus: name of the corpus, or ``all``.
        plots: the figures, in order.
    """

    def __init__(self, corpus: str, plots: Sequence[Plot]) -> None:
        self.corpus = corpus
        self.plots = tuple(plots)

    def __len__(self) -> int:
        return len(self.plots)

    @overload
    def __getitem__(self, key: int | str) -> Plot: ...

    @overload
    def __getitem__(self, key: slice) -> Figures: ...

    def __getitem__(self, key: int | str | slice) -> Plot | Figures:
        """Returns the figure at a place or of a name, or those at a slice.

        Raises:
            UnknownNameError: there is none of that name; it is a ``KeyError``, too.
        """
        if isinstance(key, slice):
            return Figures(self.corpus, self.plots[key])
        if isinstance(key, str):
            named = {each.table.figure.name: each for each in self.plots}
            return find_named(f"figure of {self.corpus}", key, named)
        return self.plots[key]

    def sheet(self) -> Sheet:
        """Returns a line for each figure."""
        rows: list[tuple[str, ...]] = [
            (each.table.figure.name, each.table.figure.title, f"{len(each.rows):,}")
            for each in self.plots
        ]
        # What all figures have in common is said once, below the table.
        agreements = tuple(filter(None, dict.fromkeys(each.agreement() for each in self.plots)))
        simulated = agreements == (SIMULATED,)
        columns: tuple[str, ...] = ("figure", "title", "rows")
        if not simulated:
            columns = (*columns, "published")
            pairs = zip(rows, self.plots, strict=True)
            rows = [(*row, each.agreement()) for row, each in pairs]
        return Sheet(
            title=f"{self.corpus}: {count_of(len(self), 'figure')}",
            columns=columns,
            rows=rows,
            right=frozenset({"rows"}),
            notes=agreements if simulated else (),
        )

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self.plots)


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
    found = find_comparisons() if corpus == ALL else find_figures(get_corpus(corpus).name)
    return [each.name for each in found]


def plot(corpus: str, name: str, store: str | Path | None = None) -> Plot:
    """Gives one figure of an imported corpus its numbers.

    Args:
        corpus: name of the corpus; ``all`` for a comparison of those imported.
        name: name of the figure.
        store: folder of the store; None for the usual one.

    Raises:
        StoreError: the corpus was not imported.
        UsageError: there is no such figure.

    Example:
        >>> import commonground as cg
        >>> shown = cg.plot("frames", "ratings")
        >>> shown, shown.rows[0]
        (..., [2.0, 2, 10.0])
    """
    return Plot(next(choose_figures(open_store(store), corpus, [name]).run()))


def stats(corpus: str, *names: str, store: str | Path | None = None) -> Figures:
    """Gives the figures of an imported corpus their numbers, beside the published ones.

    Args:
        corpus: name of the corpus; ``all`` for comparisons of those imported.
        names: names of figures; none for all.
        store: folder of the store; None for the usual one.

    Raises:
        StoreError: the corpus was not imported.
        UsageError: there is no such figure.

    Example:
        >>> import commonground as cg
        >>> len(cg.stats("frames", "ratings", "overview"))
        2
    """
    chosen = choose_figures(open_store(store), corpus, names)
    return Figures(corpus, [Plot(table) for table in chosen.run()])
