"""Numbers of dialogues as histograms, whose bars are filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from commonground.explorer.search.language import QUANTITY_NAMES, Term
from commonground.explorer.search.searcher import Mask
from commonground.store.index.postings import Numbers

BINS = 20
"""Bars of a histogram, about."""

_NEAR = 1e-9
"""What numbers may be off where they were reckoned with."""


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """A bar.

    Attributes:
        label: the numbers it stands for, as ``12 to below 15``.
        count: dialogues of the selection that have one of them.
        share: height, in percent of the highest.
        query: the query for just those dialogues.
    """

    label: str
    count: int
    share: int
    query: str


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one field among the dialogues of a selection.

    Attributes:
        field: its name in the query language.
        bins: the bars, in order, of equal width.
    """

    field: str
    title: str
    bins: list[Bin]


def draw_histograms(
    quantities: Mapping[str, Numbers],
    selected: Mask,
    query: str,
    terms: Sequence[Term],
    title: Callable[[str], str] = str,
) -> list[Histogram]:
    """Counts the numbers of every field that has more than a few different ones.

    Args:
        quantities: number of each dialogue, by name; NaN where it has none.
        query: the query that gave the selection.
        terms: the same, read.
        title: gives what people call a field.
    """
    names = {quantity: field for field, quantity in QUANTITY_NAMES.items()}
    found = []
    for quantity, values in quantities.items():
        field = names.get(quantity, quantity)
        if field == "utterances":  # as long as events are: one of both is enough
            continue
        given = values[selected & ~np.isnan(values)]
        if len(np.unique(given)) < 3:
            continue
        heading = title(field)
        bins = _count(given, field, _without(query, terms, field))
        found.append(Histogram(field=field, title=heading[:1].upper() + heading[1:], bins=bins))
    return found


def _count(given: Numbers, field: str, rest: str) -> list[Bin]:
    distinct = np.unique(given)
    least = float(np.diff(distinct).min())
    # No narrower than numbers lie apart: else every second bar would be empty.
    step = max(_round_up((distinct[-1] - distinct[0]) / BINS), least)
    start = float(np.floor(distinct[0] / step + _NEAR) * step)
    places = np.floor((given - start) / step + _NEAR).astype(int)
    counts = np.bincount(places).tolist()
    top = max(counts)
    return [
        _bin(count, top, field, (round(start + place * step, 9), step, step == least), rest)
        for place, count in enumerate(counts)
    ]


def _round_up(width: float) -> float:
    """Returns the next width that people would choose: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width))
    return next(
        float(power * each) for each in (1, 2, 5, 10) if power * each >= width * (1 - _NEAR)
    )


def _bin(count: int, top: int, field: str, span: tuple[float, float, bool], rest: str) -> Bin:
    """Makes a bar.

    Args:
        count: dialogues in it.
        top: dialogues in the highest bar.
        span: its lowest number, its width, and whether that number is the only one in it.
        rest: the query without the field.
    """
    low, step, single = span
    high = round(low + step, 9)
    label = f"{low:g}" if single else f"{low:g} to below {high:g}"
    term = f"{field}:{low:g}" if single else f"{field}:>={low:g} {field}:<{high:g}"
    share = max(4, round(100 * count / top)) if count else 0
    return Bin(label=label, count=count, share=share, query=f"{rest} {term}".strip())


def _without(query: str, terms: Sequence[Term], field: str) -> str:
    """Returns a query without its terms on a field: a bar takes the place of the one before."""
    for term in sorted(terms, key=lambda each: -each.start):
        if term.field == field and not term.negated:
            query = query[: term.start] + query[term.end :]
    return " ".join(query.split())
