"""Intervals that hold however often one looks, so that a study may stop when it knows enough.

An ordinary interval of 95 % holds for one look at a number of values that was fixed before. Who
looks after each value, and stops when it is narrow enough, is wrong far more often. These bounds
hold at all numbers of values at once: in 95 % of studies the truth is never outside. Values are to
be independent of each other; nothing else is assumed of them but their limits.

Source: Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting",
Journal of the Royal Statistical Society B 86(1), section 4.4: the hedged capital process with
predictable plug-in bets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.statistics.agreement import Alpha, Ratings

LEVEL = 0.95
"""Share of studies in which the truth is never outside."""

_STEPS = 1_000
"""Steps of the grid on which bounds are found."""

_BOLDEST = 0.5
"""Share of what one has that can be lost with one bet; the value of the paper."""

Floats = NDArray[np.float64]


class Bounded(msgspec.Struct, frozen=True):
    """An estimate with its bounds.

    Attributes:
        low: the truth is not below it, nor above ``high``.
        n: values, or units, that it is made of.
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def half_width(self) -> float:
        """Half of the width of the interval."""
        return (self.high - self.low) / 2


class Betting:
    """Bets against each of some hypotheses, and rules out those against which it wins much.

    A hypothesis says that gains are 0 on average. Whoever bets on gains that are gets twenty times
    as rich with a probability of 5 % at most, however long the game is.

    Args:
        lowest: the least that can be gained with a bet of 1, below 0, for each hypothesis.
        highest: the most, above 0.

    Attributes:
        rounds: bets so far.
        ruled_out: for each hypothesis whether it was ruled out by any number of bets so far.
    """

    def __init__(self, lowest: Floats, highest: Floats) -> None:
        self.rounds = 0
        self.ruled_out: NDArray[np.bool_] = np.zeros(lowest.shape, dtype=bool)
        with np.errstate(divide="ignore"):
            self._most_up, self._most_down = _BOLDEST / abs(lowest), _BOLDEST / abs(highest)
        self._up = np.zeros(lowest.shape)  # logarithms of what one has
        self._down = np.zeros(lowest.shape)
        self._mean = np.zeros(lowest.shape)
        self._spread = np.full(lowest.shape, 0.25)  # begun with the largest variance of the paper
        # Half of the money is bet each way.
        self._wanted = np.log(2 / (1 - LEVEL))

    def add(self, gains: Floats, aim: float | None = None) -> None:
        """Bets a round, by what was seen before it.

        Args:
            gains: of a bet of 1, for each hypothesis.
            aim: mean gain that the bets are to find soonest, known before the round; None for
                bets that find smaller and smaller ones, as those of the paper.
        """
        t = self.rounds = self.rounds + 1
        if aim is None:
            bet = np.sqrt(2 * self._wanted / (self._spread * np.log(t + 1)))
        else:
            # What one has grows by bet * aim - bet ** 2 * variance / 2 a round: most for this bet.
            bet = aim * t / self._spread
        self._up += np.log1p(np.minimum(bet, self._most_up) * gains)
        self._down += np.log1p(-np.minimum(bet, self._most_down) * gains)
        self.ruled_out |= np.maximum(self._up, self._down) >= self._wanted
        self._mean += (gains - self._mean) / (t + 1)
        self._spread += (gains - self._mean) ** 2


def _bound(grid: Floats, betting: Betting, value: float, n: int) -> Bounded:
    left = grid[~betting.ruled_out]
    if not left.size:
        # Every hypothesis was ruled out, which happens in 5 % of studies at most.
        return Bounded(value, value, value, n)
    # One step further either way: the truth may lie between two points of the grid.
    step = float(grid[1] - grid[0])
    low = max(float(grid[0]), float(left.min()) - step)
    high = min(float(grid[-1]), float(left.max()) + step)
    return Bounded(value, min(low, value), max(high, value), n)


class MeanBound:
    """The mean of values from 0 to a largest one, such as the points of games.

    Args:
        most: the largest value.
        aim: half of the width that is wanted, which is reached soonest; None for no such width.
    """

    def __init__(self, most: float = 1.0, aim: float | None = None) -> None:
        self._most = most
        self._aim = None if aim is None else aim / most
        self._grid = np.linspace(0, 1, _STEPS + 1)
        self._betting = Betting(-self._grid, 1 - self._grid)
        self._total = 0.0

    def add(self, value: float) -> None:
        """Adds a value; one outside of the limits counts as the limit."""
        share = min(max(value / self._most, 0.0), 1.0)
        self._total += share
        self._betting.add(share - self._grid, self._aim)

    def bound(self) -> Bounded | None:
        """Returns the mean with its bounds; None before the first value."""
        n, most = self._betting.rounds, self._most
        if not n:
            return None
        found = _bound(self._grid, self._betting, self._total / n, n)
        return Bounded(found.value * most, found.low * most, found.high * most, n)


class LabelSums(msgspec.Struct, frozen=True):
    """What is counted of the labels of a unit, or of as many units as the arrays have places.

    Attributes:
        differing: ordered pairs of labels of one element that differ, each over one less than the
            labels of the element.
        labels: that were given.
        counts: how often each was given; labels are along the last axis.
    """

    differing: Floats
    labels: Floats
    counts: Floats


def contrast(one: LabelSums, other: LabelSums) -> tuple[Floats, Floats]:
    """Compares disagreement within units with that between units of different things.

    Alpha is the number for which the first is (1 - alpha) times the second, on average over pairs
    of units that were drawn independently, however many labels they have.

    Returns:
        Both, in pairs of labels.
    """
    within = (one.differing * other.labels + other.differing * one.labels) / 2
    across = one.labels * other.labels - (one.counts * other.counts).sum(-1)
    return within, across


class AlphaBound:
    """Krippendorff's alpha of units in their order, with bounds.

    Units are taken two by two. What one unit asks of several elements counts as one, since these
    are not independent of each other.

    Args:
        most: labels that a unit may have.
        aim: half of the width that is wanted, which is reached soonest; None for no such width.
    """

    def __init__(self, most: int, aim: float | None = None) -> None:
        self._aim = aim
        self._across = 0.0
        self._grid = np.linspace(-1, 1, _STEPS + 1)
        self._betting = Betting(self._grid - 1, np.ones(_STEPS + 1))
        self._most = most
        self._alpha = Alpha()
        self._alone: Sequence[Ratings] | None = None
        self._units = 0

    def add(self, elements: Sequence[Ratings]) -> None:
        """Adds a unit: the labels of each thing that it asks about, two of each at least."""
        self._units += 1
        for each in elements:
            self._alpha.add(each)
        if self._alone is None:
            self._alone = elements
            return
        names = list(dict.fromkeys(x for unit in (self._alone, elements) for e in unit for x in e))
        within, across = contrast(_sum_up(self._alone, names), _sum_up(elements, names))
        # Where alpha is wrong by the aim, a bet gains so much on average.
        before = self._betting.rounds
        aim = None if self._aim is None or not self._across else self._aim * self._across / before
        self._betting.add((within - (1 - self._grid) * across) / self._most**2, aim)
        self._across += float(across) / self._most**2
        self._alone = None

    def bound(self) -> Bounded | None:
        """Returns alpha with its bounds; None before two units, or where all labels are one."""
        value = self._alpha.value
        if value is None or not self._betting.rounds:
            return None
        return _bound(self._grid, self._betting, value, self._units)


def _sum_up(elements: Sequence[Ratings], names: Sequence[Hashable]) -> LabelSums:
    counts = [Counter(each) for each in elements]
    differing = sum(
        count * (each.total() - count) / (each.total() - 1)
        for each in counts
        for count in each.values()
    )
    total = sum(counts, Counter())
    return LabelSums(
        np.float64(differing),  # type: ignore[arg-type]
        np.float64(total.total()),  # type: ignore[arg-type]
        np.array([total[name] for name in names], dtype=float),
    )
