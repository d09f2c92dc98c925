"""How the games of a corpus are measured, page by page, whether people or models played them.

A corpus that knows it has the constant ``MEASURING`` in a module of its figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from commonground.figure import Row
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
        digits: after the point.
    """

    name: str
    title: str
    digits: int = 2


class Measuring(msgspec.Struct, frozen=True):
    """How the games of a corpus are measured: the constant ``MEASURING`` of its figures.

    Attributes:
        measures: what is measured.
        page: what a page of a game is called.
        read: reads games; raises :class:`TaskError` where there are none.
        measure: measures games. Arguments: the games, and a seed of resamples and controls.
        keep_shared: keeps the games of each set whose material was played in every set.
        number: gives the number of a game's record.
        roles: of the players, in order.
    """

    measures: tuple[Measure, ...]
    page: str
    read: Callable[[Gold], Sequence[Any]]
    measure: Callable[[Sequence[Any], int], MeasuredGames]
    keep_shared: Callable[[Mapping[str, Sequence[Any]]], Mapping[str, Sequence[Any]]]
    number: Callable[[Any], int]
    roles: tuple[str, ...]


def list_pages(measured: MeasuredGames, names: Sequence[str]) -> list[Row]:
    """Returns a row for each page: its number, and each measure with the ends of its interval."""
    found = {(each.measure, each.page): each for each in measured.points}
    pages = sorted({each.page for each in measured.points if each.page is not None})
    rows: list[Row] = []
    for page in pages:
        points = [found[name, page] for name in names]
        rows.append([page, *(end for each in points for end in (each.value, each.low, each.high))])
    return rows
