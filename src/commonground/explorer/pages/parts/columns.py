"""The columns of a list of dialogues: which there are, which are shown, how long their bars are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from commonground.errors import unknown_name
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.search.ranks import FINDINGS, ID

NOT_AT_FIRST = frozenset({"utterances"})
"""Columns that are shown only where they are asked for."""

_NUMBERS = {"events": "n_events", "utterances": "n_utterances"}


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column that a list of dialogues can have.

    Attributes:
        name: as in an address.
        shown: whether the list has it now.
        is_number: whether it holds numbers, with bars.
        order: ``up`` or ``down`` where the list is sorted by it; None where it is not.
        next_sort: order of the list that a click on its heading asks for; empty for that of the
            files.
    """

    name: str
    title: str
    shown: bool
    is_number: bool = False
    order: str | None = None
    next_sort: str = ""


def list_columns(opened: OpenCorpus, asked: Sequence[str], sort: str) -> list[Column]:
    """Lists the columns of a corpus.

    Args:
        asked: names of those to show; empty for the usual ones.

    Raises:
        UsageError: there is no column of a name.
    """
    names = opened.remember("columns", lambda: _names(opened))
    for name in asked:
        if name not in names:
            raise unknown_name("column", name, names)
    shown = set(asked) or set(names) - NOT_AT_FIRST
    return [_column(opened, name, title, name in shown, sort) for name, title in names.items()]


def _names(opened: OpenCorpus) -> dict[str, str]:
    fields = opened.index.postings.fields
    title_outcome = opened.entry.manifest.title_outcome
    names = {"split": "split", "domain": "domain"}
    # What is the same for all says nothing of any.
    names = {k: v for k, v in names.items() if k in fields and len(fields[k].values) > 1}
    names |= {"events": "events", "utterances": "utterances"}
    names |= {name: title_outcome(name) for name in opened.searcher.quantities}
    if "finding" in fields and fields["finding"].values:
        names["findings"] = "findings"
    return names


def _column(opened: OpenCorpus, name: str, title: str, shown: bool, sort: str) -> Column:
    is_number = name in _NUMBERS or name in opened.searcher.quantities
    order, following = turn_order(
        name, sort, first="down" if is_number or name == FINDINGS else "up"
    )
    return Column(
        name=name,
        title=title,
        shown=shown,
        is_number=is_number,
        order=order,
        next_sort=following,
    )


def head_column(unit: str, sort: str) -> Column:
    """Returns the first column, which every list has: the dialogues by their ids."""
    order, following = turn_order(ID, sort, first="up")
    return Column(name=ID, title=unit, shown=True, order=order, next_sort=following)


def turn_order(name: str, sort: str, *, first: str) -> tuple[str | None, str]:
    """Returns the direction that a list has by a column, and the order that a click asks for.

    The first click asks for what is looked for most, such as high numbers or the beginning of the
    alphabet; the second for the other way; the third for the order of the files.

    Args:
        sort: order of the list; empty for that of the files.
        first: ``up`` or ``down``, the way that the first click asks for.
    """
    order = next((way for way in ("up", "down") if sort == f"{name}-{way}"), None)
    if order is None:
        return None, f"{name}-{first}"
    return order, f"{name}-{'up' if first == 'down' else 'down'}" if order == first else ""


def measure_bars(opened: OpenCorpus) -> Mapping[str, tuple[float, float]]:
    """Returns the lowest and the highest number of each column, from which bars are drawn."""

    def measure() -> dict[str, tuple[float, float]]:
        quantities = opened.index.postings.quantities
        names = [*_NUMBERS, *opened.searcher.quantities]
        keys = {name: _NUMBERS.get(name, name) for name in names}
        found = {name: quantities[key] for name, key in keys.items() if key in quantities}
        found = {name: each[~np.isnan(each)] for name, each in found.items()}
        # A bar begins at nought, unless there are numbers below it.
        return {
            name: (min(0.0, float(each.min())), float(each.max()))
            for name, each in found.items()
            if len(each)
        }

    return opened.remember("bars", measure)


def cut_bar(value: float, bounds: tuple[float, float]) -> int:
    """Returns the length of a bar, in percent of the longest."""
    low, high = bounds
    return round(100 * (value - low) / (high - low)) if high > low else 100
