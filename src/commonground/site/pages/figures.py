"""Figures: charts and tables of a corpus, with published numbers, and of all corpora compared."""

from __future__ import annotations

from functools import cache

import msgspec
from markupsafe import Markup

from commonground.errors import UsageError
from commonground.site.drawings import clean_svg
from commonground.site.library import Library, Shelf
from commonground.site.links import Links
from commonground.stats.discovery import find_figures
from commonground.stats.running import FigureTable
from commonground.stats.views import SIMULATED, FigureView, describe_figure, draw_figure
from commonground.stats.work import ALL, choose_work


class FiguresPage(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a corpus, or those that compare all.

    Attributes:
        corpus: name of the corpus; empty where all are compared.
        title: its title.
        unit: what a dialogue is called there.
        figures: in order.
        simulated: what to say where the numbers are of simulated data; empty where they are not.
    """

    corpus: str
    title: str
    unit: str
    figures: list[FigureView]
    simulated: str = ""


def has_figures(shelf: Shelf) -> bool:
    """Tells whether a corpus has figures; parts of a corpus have none."""
    return shelf.corpus.whole is shelf.corpus and _declares_figures(shelf.name)


@cache
def _declares_figures(corpus: str) -> bool:
    return bool(find_figures(corpus))


def build_figures_page(shelf: Shelf) -> FiguresPage:
    """Runs the figures of a corpus; the first time takes seconds.

    Raises:
        StoreError: a query is wrong.
    """
    manifest = shelf.entry.manifest
    return FiguresPage(
        corpus=shelf.name,
        title=manifest.title,
        unit=manifest.unit,
        figures=[describe_figure(table) for table in _tables(shelf)],
        simulated=SIMULATED if shelf.corpus.manifest.simulated else "",
    )


def draw_charts(shelf: Shelf, links: Links) -> dict[str, Markup]:
    """Draws the figures that have a chart, by name; none without the drawing library."""

    def address(query: str) -> str:
        return links.page("browse", shelf.name, q=query)

    def draw() -> dict[str, Markup]:
        drawn = {table.figure.name: draw_figure(table, address) for table in _tables(shelf)}
        return {name: clean_svg(svg) for name, svg in drawn.items() if svg is not None}

    try:
        return shelf.keep(("charts", address("x")), draw)
    except UsageError:
        return {}


def has_comparisons(library: Library) -> bool:
    """Tells whether there are corpora to compare: several, each whole, and no others beside."""
    corpora = [shelf.corpus for shelf in library.shelves.values()]
    if len(corpora) < 2 or any(each.whole is not each for each in corpora):
        return False
    return sorted(library.shelves) == sorted(corpora[0].store.corpora())


def build_comparisons_page(library: Library) -> FiguresPage:
    """Runs the figures that compare all corpora.

    Raises:
        UsageError: there are none to compare.
    """
    if not has_comparisons(library):
        raise UsageError("There is nothing to compare.", "Import and show several whole corpora.")
    figures = [describe_figure(table) for table in _comparisons(library)]
    return FiguresPage(corpus="", title="All corpora", unit="dialogue", figures=figures)


def draw_comparisons(library: Library) -> dict[str, Markup]:
    """Draws the comparisons that have a chart, by name; none without the drawing library."""
    try:
        drawn = {table.figure.name: draw_figure(table) for table in _comparisons(library)}
    except UsageError:
        return {}
    return {name: clean_svg(svg) for name, svg in drawn.items() if svg is not None}


def _comparisons(library: Library) -> list[FigureTable]:
    shelves = list(library.shelves.values())
    store = shelves[0].corpus.store
    # Another import of any of them makes other numbers.
    times = tuple(shelf.corpus.manifest.imported_at for shelf in shelves)
    return shelves[0].keep(("compared", times), lambda: list(choose_work(store, ALL).run()))


def _tables(shelf: Shelf) -> list[FigureTable]:
    return shelf.keep("figures", lambda: list(choose_work(shelf.corpus.store, shelf.name).run()))
