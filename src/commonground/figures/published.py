"""Compares published numbers with the cells of our figures, to the last digit that they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from commonground.figure import Figure, PublishedValue, Row


class Comparison(msgspec.Struct, frozen=True):
    """A published number beside ours.

    Attributes:
        name: what the number is.
        ours: our number; None where our table has no such row, or nothing in it.
        agrees: whether they differ by no more than the published number's precision.
        why: why they differ; empty where they agree.
        source: where the published number stands.
    """

    figure: str
    name: str
    published: float
    ours: float | None
    unit: str
    agrees: bool
    why: str
    source: str


def compare_published(
    figure: Figure,
    corpus: str,
    rows: Sequence[Row],
    part: str = "",
    missing: Mapping[str, str] = {},
) -> list[Comparison]:
    """Puts each published number of a figure beside ours, in the order of the figure.

    Args:
        part: which part of the corpus was counted, in a sentence: the reason for most
            differences then; empty for all of it.
        missing: sentences on formats some of whose files were not imported, by format.
    """
    parts = {**missing, "": part}
    return [
        _compare(figure, each, rows, parts.get(each.file_format, ""))
        for each in figure.published
        if each.corpus in ("", corpus)
    ]


def _compare(
    figure: Figure, published: PublishedValue, rows: Sequence[Row], part: str
) -> Comparison:
    ours = find_cell(figure, rows, published.row, published.column)
    # Numbers such as 0.1 + 0.2 must not fail by their last bit.
    slack = published.tolerance + 1e-9 * max(1.0, abs(published.value))
    agrees = ours is not None and abs(ours - published.value) <= slack
    return Comparison(
        figure=figure.name,
        name=published.name,
        published=published.value,
        ours=ours,
        unit=published.unit or figure.find_column(published.column).unit,
        agrees=agrees,
        # What was not imported explains a difference before anything else does.
        why="" if agrees else part or published.why,
        source=published.source,
    )


def find_cell(
    figure: Figure, rows: Sequence[Row], where: Mapping[str, Any], column: str
) -> float | None:
    """Returns a number of the first row with the wanted values by column; None if there is none."""
    names = [each.name for each in figure.columns]
    for row in rows:
        cells = dict(zip(names, row, strict=True))
        if all(cells[name] == value for name, value in where.items()):
            value = cells[column]
            return None if value is None else float(value)
    return None
