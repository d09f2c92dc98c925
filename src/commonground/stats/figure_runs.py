"""What a user asks for by the name of a corpus: its figures, or those that compare all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonground.errors import find_named
from commonground.figure import Figure
from commonground.stats.comparison import COMPARISONS
from commonground.stats.figure_files import find_figures, get_figure
from commonground.stats.tables import FigureTable, StoreData
from commonground.store.opening import Store

ALL = "all"
"""Stands for the name of a corpus: all that are imported, compared with each other."""


class FigureRun:
    """Figures to be run over a store.

    Args:
        store: an open store.
        corpus: name of the corpus that the figures are of.

    Attributes:
        figures: in order.
    """

    def __init__(self, store: Store, corpus: str, figures: Sequence[Figure]) -> None:
        self._data = StoreData(store, corpus)
        self.figures = tuple(figures)

    def run(self) -> Iterator[FigureTable]:
        """Runs one figure after the other over one connection.

        Raises:
            StoreError: a query is wrong.
            FormatError: a figure gives other columns than it declares.
        """
        for figure in self.figures:
            yield self._data.run(figure)

    def find_behind(self) -> dict[str, list[str]]:
        """Returns the dialogues behind the rows of all figures that name them, by row.

        A row is named as in ``figure:NAME/CELL`` of the explorer's language.

        Raises:
            StoreError: a query is wrong.
            FormatError: a query gives other columns than it should.
        """
        found: dict[str, list[str]] = {}
        for figure in self.figures:
            found |= self._data.find_behind(figure)
        return found


def choose_figures(store: Store, corpus: str, names: Sequence[str] = ()) -> FigureRun:
    """Finds the figures of an imported corpus, or with ``all`` the comparisons of all.

    Args:
        store: an open store.
        corpus: name of a corpus, or ``all``.
        names: figures to run, in this order; empty means all.

    Raises:
        StoreError: the corpus was not imported.
        UsageError: there is no such figure.
    """
    if corpus == ALL:
        return FigureRun(store, "", _choose_comparisons(names))
    store.corpus(corpus)
    return FigureRun(store, corpus, [get_figure(corpus, n) for n in names] or find_figures(corpus))


def _choose_comparisons(names: Sequence[str]) -> list[Figure]:
    known = {each.name: each for each in COMPARISONS}
    return [find_named("comparison", name, known) for name in names] or list(COMPARISONS)
