"""What a user asks for by the name of a corpus: its figures, or those that compare all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from commonground.errors import find_named
from commonground.figure import Figure
from commonground.figures.figure_files import find_comparisons, find_figures
from commonground.figures.tables import FigureTable, StoreData
from commonground.store.opening import Store

ALL = "all"
"""Stands for the name of a corpus: all that are imported, compared with each other."""


class FigureRun:
    """Figures to be run over a store."""

    def __init__(self, store: Store, corpus: str, figures: Sequence[Figure]) -> None:
        self._data = StoreData(store, corpus)
        self.figures = tuple(figures)

    def run(self, step: Callable[[int, int], None] | None = None) -> Iterator[FigureTable]:
        """Runs one figure after the other over one connection.

        Args:
            step: called with how many figures are done, and how many there are.

        Raises:
            StoreError: a query is wrong.
            FormatError: a figure gives other columns than it declares.
        """
        for number, figure in enumerate(self.figures, 1):
            yield self._data.run(figure)
            if step is not None:
                step(number, len(self.figures))

    def run_quick_first(self) -> Iterator[FigureTable]:
        """Runs those that are a query first: what Python computes takes far longer.

        Raises:
            StoreError: a query is wrong.
            FormatError: a figure gives other columns than it declares.
        """
        # False comes before True, and the sort keeps the order of each kind.
        for figure in sorted(self.figures, key=lambda each: each.compute is not None):
            yield self._data.run(figure)

    def find_row_dialogues(self) -> dict[str, list[str]]:
        """Returns the dialogues of the rows of all figures that name them, by row.

        A row is named as in ``figure:NAME/CELL`` of the explorer's language.

        Raises:
            StoreError: a query is wrong.
            FormatError: a query gives other columns than it should.
        """
        found: dict[str, list[str]] = {}
        for figure in self.figures:
            found |= self._data.find_row_dialogues(figure)
        return found


def choose_figures(store: Store, corpus: str, names: Sequence[str] = ()) -> FigureRun:
    """Finds the figures of an imported corpus, or with ``all`` the comparisons of all.

    Args:
        names: figures to run, in this order; empty means all.

    Raises:
        StoreError: the corpus was not imported.
        UsageError: there is no such figure.
    """
    if corpus == ALL:
        corpus, kind, figures = "", "comparison", find_comparisons()
    else:
        store.corpus(corpus)
        kind, figures = f"figure of {corpus}", find_figures(corpus)
    known = {each.name: each for each in figures}
    chosen = [find_named(kind, name, known) for name in names] or figures
    return FigureRun(store, corpus, chosen)
