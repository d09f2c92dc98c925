"""The figures of the corpora, found in their folders."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Formatter

from commonground.corpora import get_corpus
from commonground.errors import FormatError, find_named
from commonground.figure import Figure
from commonground.stats.figure_files import SHARED, read_figure


def find_figures(corpus: str) -> tuple[Figure, ...]:
    """Returns the figures of a corpus, in their order; empty where it has none.

    Raises:
        UsageError: there is no such corpus.
        FormatError: a figure is not well formed; the message names file and figure.
    """
    entry = get_corpus(corpus)
    every = _find_all(corpus, entry.folder)
    mine = [each for each in every if not each.corpora or corpus in each.corpora]
    found = tuple(sorted(mine, key=lambda each: (each.order, each.name)))
    check_figures(found, str(entry.folder / "figures"))
    return found


@cache
def _find_all(corpus: str, folder: Path) -> tuple[Figure, ...]:
    """Finds the figures in the folder of a corpus, as files and as constants of its modules."""
    entry, folder = get_corpus(corpus), folder / "figures"
    declared = {id(each): each for _, each in entry.constants("figures", None, Figure)}
    paths = sorted([*folder.glob("*.sql"), *folder.glob("*.toml")])
    read = (
        read_figure(path, lambda name: entry.module(f"figures/{name}"))
        for path in paths
        if path.name != SHARED
    )
    return (*declared.values(), *read)


def get_figure(corpus: str, name: str) -> Figure:
    """Returns one figure of a corpus.

    Raises:
        UsageError: there is none of that name.
    """
    found = {each.name: each for each in find_figures(corpus)}
    return find_named(f"figure of {corpus}", name, found)


def check_figures(figures: tuple[Figure, ...], where: str) -> None:
    """Raises where a figure cannot be run or drawn.

    Raises:
        FormatError: two have one name, a figure has no rows to come from, or something names a
            column that is not there.
    """
    names: set[str] = set()
    for each in figures:
        for fault in _list_faults(each):
            raise FormatError(f"{where}: figure {each.name!r} {fault}.")
        if each.name in names:
            raise FormatError(f"{where}: there are two figures {each.name!r}.")
        names.add(each.name)


def _list_faults(figure: Figure) -> list[str]:
    faults = []
    if (figure.query is None) == (figure.compute is None):
        faults.append("needs exactly one of query and compute")
    known = {column.name for column in figure.columns}
    chart, behind = figure.chart, figure.behind
    used = {chart.x, chart.color, *chart.y} if chart.kind != "none" else set()
    if figure.link is not None:
        used |= {name for _, name, _, _ in Formatter().parse(figure.link)}
    if behind is not None:
        used |= {*behind.keys}
        faults += ["has both link and behind"] if figure.link is not None else []
        if (behind.query is None) == (behind.compute is None):
            faults.append("needs exactly one of query and compute behind it")
    for each in figure.published:
        used |= {each.column, *each.row}
    faults += [f"names a column {name!r}, which it lacks" for name in _unknown(used, known)]
    if chart.kind != "none" and not (chart.x and chart.y):
        faults.append("has a chart without x or y")
    return faults


def _unknown(used: set[str | None], known: set[str]) -> list[str]:
    return sorted(name for name in used if name and name not in known)
