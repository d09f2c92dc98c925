"""How far two ways to score the same examples put them in the same order: Spearman's rho.

It does not divide into sums of counts, so its interval draws dialogues anew and ranks them again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.statistics.bootstrap import RESAMPLES

# Of a 95 % interval.
_EDGES = (0.025, 0.975)


class Correlation(msgspec.Struct, frozen=True):
    """Spearman's rho with its 95 % interval.

    Attributes:
        value: from -1 to 1; None where either side has one value only.
        low: lower end; None, as ``high``, where there is one group only, or no value.
    """

    value: float | None
    low: float | None
    high: float | None


def correlate_ranks(
    first: Sequence[float],
    second: Sequence[float],
    groups: Sequence[Hashable],
    *,
    seed: int,
) -> Correlation:
    """Returns the rank correlation of two scores, with an interval clustered by group.

    Args:
        second: scores of the same examples as ``first``, in the same order.
        groups: for each example the group that it is drawn with, such as its dialogue.
    """
    one, other = (np.asarray(each, dtype=np.float64) for each in (first, second))
    value = _correlate(one, other) if len(one) else None
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    if value is None or len(places) < 2:
        return Correlation(value, None, None)
    members, rng = [np.array(each) for each in places.values()], np.random.default_rng(seed)
    drawn = []
    for _round in range(RESAMPLES):
        # Whole groups are drawn: examples of one dialogue are alike, and drawn one by one they
        # would make the interval too narrow.
        chosen = np.concatenate([members[n] for n in rng.integers(len(members), size=len(members))])
        found = _correlate(one[chosen], other[chosen])
        if found is not None:
            drawn.append(found)
    if not drawn:
        return Correlation(value, None, None)
    low, high = np.quantile(drawn, _EDGES, method="inverted_cdf").tolist()
    return Correlation(value, low, high)


def _correlate(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    """Correlates the ranks; None where all examples of a side have the same one."""
    one, other = _rank(first), _rank(second)
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / size if size else None


def _rank(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks values from the lowest; equal ones share the mean of their places."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks
