"""The colours of speakers and corpora, in charts as on pages; ``site/static/base.css`` has both.

Each is a pair, for light and for dark pages. A chart is drawn in light ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from commonground.corpora import iterate_corpora


class ColourPair(NamedTuple):
    """A colour on white and on dark pages."""

    light: str
    dark: str


SPEAKERS = (
    ColourPair("#1f5fbf", "#85b6ff"),
    ColourPair("#9c3f0a", "#ffb184"),
    ColourPair("#1a7341", "#74d699"),
    ColourPair("#7a3fa8", "#d0a5f5"),
    ColourPair("#7d5a00", "#e6c15c"),
    ColourPair("#0b6f78", "#6fd3dc"),
)
"""Users and first peers, assistants and second peers, then further ones."""

CORPORA = (
    ColourPair("#0b6f78", "#6fd3dc"),
    ColourPair("#7a3fa8", "#d0a5f5"),
    ColourPair("#8f4a00", "#f5b85c"),
    ColourPair("#a3266a", "#f79ac8"),
    ColourPair("#8a3a8c", "#e3a1e6"),
    ColourPair("#1a7341", "#74d699"),
    ColourPair("#4d6a0f", "#b7d36c"),
    ColourPair("#1f5fbf", "#85b6ff"),
    ColourPair("#5b51b8", "#b3acff"),
)
"""Corpora, in the order of their names; where there are more, colours come again."""

_ROLES = {"user": 0, "A": 0, "player A": 0, "assistant": 1, "wizard": 1, "system": 1, "B": 1}
_ROLES["player B"] = 1


@cache
def corpus_numbers() -> dict[str, int]:
    """Returns the number of each corpus's colour, by name."""
    # Of all corpora there are, not of a store's: one corpus has its colour in every store.
    names = sorted(each.name for each in iterate_corpora())
    return {name: number % len(CORPORA) for number, name in enumerate(names)}


def corpus_colour(name: str) -> ColourPair | None:
    """Returns the colour of a corpus; None for a name that is not known."""
    number = corpus_numbers().get(name)
    return None if number is None else CORPORA[number]


def choose_colours(values: Sequence[object]) -> list[ColourPair] | None:
    """Returns the colours of values that are all speakers, or all corpora; None for others."""
    names = [str(each) for each in values]
    if names and all(name in _ROLES for name in names):
        return [SPEAKERS[_ROLES[name]] for name in names]
    if names and all(name in corpus_numbers() for name in names):
        return [CORPORA[corpus_numbers()[name]] for name in names]
    return None
