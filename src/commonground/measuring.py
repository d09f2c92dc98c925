"""Measures of played games as curves, a set of games beside others: people and models, say.

A corpus that knows how its games are measured has a module ``measures`` with the constant
``MEASURING``. Sets are read from released files, from what ``commonground play`` has written, or
from stores; whoever played them, they are measured by the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.figure import Chart, Figure, FigureColumn, Row
from commonground.stats.tables import FigureTable
from commonground.store.opening import load
from commonground.task import Gold


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A measure of many games on one page, or on all.

    Attributes:
        measure: its name.
        page: from 1; None for all pages.
        value: None where there is nothing to measure.
        low: lower end of the 95 % interval, over resampled games; None where there is none.
        high: upper end.
    """

    measure: str
    page: int | None
    value: float | None
    low: float | None
    high: float | None


class Coupling(msgspec.Struct, frozen=True):
    """A measure of what partners do to each other, beside pairs who never met.

    Attributes:
        real: the partners' value.
        control: that of players of different games.
        difference: by how much the partners' is greater, over the same resamples.
        games: how many have a control.
    """

    real: Point
    control: Point
    difference: Point
    games: int


class MeasuredGames(msgspec.Struct, frozen=True):
    """What was measured of a set of games.

    Attributes:
        games: how many there are.
        points: each measure on each page and on all.
        declines: by how much the last page has less than the first, as a share of the first.
        coupling: how far partners adapt, with its control; None where no two games are alike.
    """

    games: int
    points: list[Point]
    declines: list[Point]
    coupling: Coupling | None


class Measure(msgspec.Struct, frozen=True):
    """A measure, for people.

    Attributes:
        name: as in tables and files.
        title: in a few words.
        digits: behind the point.
    """

    name: str
    title: str
    digits: int = 2


class Measuring(msgspec.Struct, frozen=True):
    """How the games of a corpus are measured: the constant ``MEASURING`` of its ``measures``.

    Attributes:
        measures: what is measured.
        page: what a page of a game is called.
        read: reads games; raises :class:`TaskError` where there are none.
        measure: measures games. Arguments: the games, a seed of resamples and controls.
        keep_shared: keeps the games of each set whose material was played in every set.
    """

    measures: tuple[Measure, ...]
    page: str
    read: Callable[[Gold], Sequence[Any]]
    measure: Callable[[Sequence[Any], int], MeasuredGames]
    keep_shared: Callable[[Mapping[str, Sequence[Any]]], Mapping[str, Sequence[Any]]]


def get_measuring(entry: Entry) -> Measuring:
    """Returns how the games of a corpus are measured.

    Raises:
        UsageError: nobody has said it.
    """
    found = next((each for _, each in entry.constants("measures", "MEASURING", Measuring)), None)
    if found is None:
        raise UsageError(f"{entry.name} has no measures of games.")
    return found


def measure_sets(
    entry: Entry,
    sets: Mapping[str, Path],
    *,
    same: bool = False,
    split: str | None = None,
    seed: int = 0,
) -> dict[str, MeasuredGames]:
    """Measures sets of games, by name.

    Args:
        entry: the corpus that they are of.
        sets: for each name, a store, or a folder of released or played files.
        same: measure only the games whose material was played in every set.
        split: released split that is measured; None for all.
        seed: of resamples, and of pairs who never met.

    Raises:
        CommongroundError: a set cannot be read.
        UsageError: the corpus has no measures, or no material is in every set.
    """
    measuring = get_measuring(entry)
    found: Mapping[str, Sequence[Any]] = {
        name: measuring.read(_find_games(entry, path, split)) for name, path in sets.items()
    }
    if same:
        found = measuring.keep_shared(found)
        if not all(found.values()):
            raise UsageError(
                "No material was played in every set.",
                "Play them on one schedule: commonground play --schedule.",
            )
    return {name: measuring.measure(games, seed) for name, games in found.items()}


def _find_games(entry: Entry, path: Path, split: str | None) -> Gold:
    if (path / entry.name / "manifest.json").is_file():
        return Gold(corpus=load(entry.name, path), split=split)
    return Gold(files=[path], split=split)


def make_curves(measuring: Measuring, measured: Mapping[str, MeasuredGames]) -> FigureTable:
    """Returns the curves of sets as a figure: a line for each set, with its intervals.

    Args:
        measuring: how the games were measured.
        measured: what was measured of each set, by its name.
    """
    names = tuple(each.name for each in measuring.measures)
    columns = [FigureColumn("set", "games of"), FigureColumn("page", measuring.page)]
    for each in measuring.measures:
        columns += [
            FigureColumn(each.name, each.title, digits=each.digits),
            FigureColumn(f"{each.name}_low", "from", digits=each.digits),
            FigureColumn(f"{each.name}_high", "to", digits=each.digits),
        ]
    figure = Figure(
        name="curves",
        title=f"Games by {measuring.page}",
        caption="Means with 95 % intervals over resampled games.",
        columns=tuple(columns),
        compute=lambda _data: rows,
        chart=Chart(kind="line", x="page", y=names, color="set", zero=False, interval=True),
    )
    rows = [[name, *row] for name, each in measured.items() for row in list_pages(each, names)]
    return FigureTable(figure, "", rows, 0.0)


def list_pages(measured: MeasuredGames, names: Sequence[str]) -> list[Row]:
    """Returns a row for each page: its number, and each measure with the ends of its interval.

    Args:
        measured: what was measured.
        names: of the measures, in order.
    """
    found = {(each.measure, each.page): each for each in measured.points}
    pages = sorted({each.page for each in measured.points if each.page is not None})
    rows: list[Row] = []
    for page in pages:
        points = [found[name, page] for name in names]
        rows.append([page, *(end for each in points for end in (each.value, each.low, each.high))])
    return rows
