"""How far texts of one set of games are from those of another, by vectors of the texts.

The discrete energy distance of Sicilia and Alikhani 2022 ("LEATHER", arXiv 2210.07777), by which
Imai et al. 2025 say how human-like models write: texts are sorted into groups of similar ones, and
two texts of different sets are in different groups more often than two of the same set, the more
the sets differ: ``2 P(a ≠ b) - P(a ≠ a') - P(b ≠ b')``. It is 0 where the groups are used alike.

How large it can get hangs on the groups. So beside it stands what people get who are set beside
people: as many games as there are of the others, drawn from people's, beside all that are left.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.stats.games.vectors import Vectors

GROUPS = 100
"""As many as in LEATHER, where there are :data:`EACH` times as many texts."""

EACH = 10
"""Texts that a group should have, so that its share is no accident of a few."""

DRAWS = 200
"""Sets of people's games whose distances give people's own range; 5 of them lie at either end."""

_STEPS = 20
"""Steps in which centres are moved; after so many the groups hardly change any more."""

Texts = Sequence[Sequence[str]]
"""The texts of each game."""


class Likeness(msgspec.Struct, frozen=True):
    """How far a set is from another one.

    Attributes:
        distance: 0 where texts of both are alike; None where there are too few games.
        low: lower end of the middle 95 % of people beside people; None where there are too few.
        high: upper end.
        groups: into how many texts were sorted.
    """

    distance: float | None
    low: float | None
    high: float | None
    groups: int


def measure_likeness(people: Texts, others: Texts, vectors: Vectors, *, seed: int = 0) -> Likeness:
    """Measures how far the texts of games are from people's.

    Groups are found in one half of the games of both, and texts compared in the other half: groups
    that were made to fit the texts which are compared would tell them apart too well.

    Args:
        people: texts of their games.
        others: texts of the other games.
        vectors: of all texts.
        seed: of halves, groups and draws.
    """
    rng = np.random.default_rng(seed)
    halves = [_halve(each, rng) for each in (people, others)]
    found, compared = zip(*halves, strict=True)
    if not all(sum(map(len, each)) for each in (*found, *compared)):
        return Likeness(None, None, None, 0)
    centres = _find_groups([_stack(each, vectors) for each in found], rng)
    counts = [_count(each, centres, vectors) for each in compared]
    low, high = _draw_people(counts[0], len(counts[1]), rng)
    distance = _compare(counts[0].sum(axis=0), counts[1].sum(axis=0))
    return Likeness(distance, low, high, len(centres))


def _halve(games: Texts, rng: np.random.Generator) -> tuple[Texts, Texts]:
    order = rng.permutation(len(games))
    middle = len(games) // 2
    return [games[n] for n in order[:middle]], [games[n] for n in order[middle:]]


def _stack(games: Texts, vectors: Vectors) -> NDArray[np.float32]:
    return vectors.rows([text for game in games for text in game])


def _find_groups(
    samples: Sequence[NDArray[np.float32]], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Returns the centres of groups (k-means) in equally many texts of each sample."""
    # As many of each, or groups would be made for the larger set.
    size = min(map(len, samples))
    drawn = [rows[rng.choice(len(rows), size, replace=False)] for rows in samples]
    rows = np.concatenate(drawn)
    groups = max(2, min(GROUPS, len(rows) // EACH))
    centres = rows[rng.choice(len(rows), min(groups, len(rows)), replace=False)]
    for _ in range(_STEPS):
        nearest = _sort(rows, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, rows)
        numbers = np.bincount(nearest, minlength=len(centres))[:, None]
        # A group that has lost its last text stays where it was.
        centres = np.where(numbers, sums / np.maximum(numbers, 1), centres).astype(np.float32)
    return centres


def _sort(rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.intp]:
    """Returns the number of the nearest centre of each row."""
    # Half the squared distance, turned round, without the row's own length, which is the same to
    # all centres: one product of matrices instead of all differences.
    nearness = rows @ centres.T - (centres**2).sum(axis=1) / 2
    places: NDArray[np.intp] = nearness.argmax(axis=1)
    return places


def _count(games: Texts, centres: NDArray[np.float32], vectors: Vectors) -> NDArray[np.intp]:
    """Counts the texts of each game in each group: a row for each game."""
    nearest = _sort(_stack(games, vectors), centres)
    number = np.repeat(np.arange(len(games)), [len(game) for game in games])
    counts = np.zeros((len(games), len(centres)), np.intp)
    np.add.at(counts, (number, nearest), 1)
    return counts


def _compare(one: NDArray[np.intp], other: NDArray[np.intp]) -> float:
    """Returns the distance of two sets by how many of their texts are in each group."""
    # Two texts are in different groups with 1 - sum(p * q), which leaves this of the formula.
    shares = one / one.sum() - other / other.sum()
    return float((shares**2).sum())


def _draw_people(
    counts: NDArray[np.intp], games: int, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    """Returns the range of distances of people's games from people's other games.

    Args:
        counts: texts in groups, a row for each game of people.
        games: how many are drawn.
        rng: draws them.
    """
    if games >= len(counts):
        return None, None
    total, distances = counts.sum(axis=0), []
    for _ in range(DRAWS):
        drawn = counts[rng.choice(len(counts), games, replace=False)].sum(axis=0)
        # Games without a text of their own leave nothing to compare.
        if 0 < drawn.sum() < total.sum():
            distances.append(_compare(total - drawn, drawn))
    if not distances:
        return None, None
    low, high = np.quantile(distances, (0.025, 0.975))
    return float(low), float(high)
