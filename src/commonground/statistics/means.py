"""Means with intervals: 95 %, 1.96 standard errors to either side."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import stdev

REACH = 1.96


def bound_mean(values: Sequence[float]) -> list[float | None]:
    """Returns the mean and the ends of its interval; None for what too few values leave open.

    Args:
        values: one of each dialogue.
    """
    if not values:
        return [None, None, None]
    middle = sum(values) / len(values)
    if len(values) < 2:
        return [middle, None, None]
    reach = REACH * stdev(values) / sqrt(len(values))
    return [middle, middle - reach, middle + reach]


def bound_ratio(parts: Sequence[float], wholes: Sequence[float]) -> list[float | None]:
    """Returns a ratio of two sums and the ends of its interval, clustered by dialogue.

    Words of an utterance, say: utterances of a dialogue are alike, and so the dialogues are what
    differs by chance.

    Args:
        parts: what is counted above the line, of each dialogue; ``wholes`` are below it.
    """
    whole = sum(wholes)
    if not whole:
        return [None, None, None]
    middle = sum(parts) / whole
    if len(parts) < 2:
        return [middle, None, None]
    apart = [part - middle * each for part, each in zip(parts, wholes, strict=True)]
    reach = REACH * stdev(apart) * sqrt(len(parts)) / whole
    return [middle, middle - reach, middle + reach]
