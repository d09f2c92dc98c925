"""How far people agree who label the same things: Krippendorff's alpha and Fleiss' kappa.

Both compare the agreement that was observed with the one that chance would give; 1 is full
agreement, 0 what chance gives. Labels have no order here (the nominal level).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

Ratings = Sequence[Hashable]
"""The labels that a unit was given, one of each rater who gave one; their order says nothing."""


class Kappa:
    """Fleiss' kappa over units that come and go, all labelled by as many raters.

    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters".
    """

    def __init__(self) -> None:
        self._totals: Counter[Hashable] = Counter()
        self._raters = 0
        self._differing = 0
        self.units = 0
        self.unanimous = 0

    def add(self, ratings: Ratings, times: int = 1) -> None:
        """Adds a unit, or takes one away that was added (-1).

        Raises:
            ValueError: it has another number of labels than those before.
        """
        if self.units and len(ratings) != self._raters:
            raise ValueError(f"{self._raters} labels expected, found {len(ratings)}")
        self._raters = len(ratings)
        counts = Counter(ratings)
        for label, count in counts.items():
            self._totals[label] += times * count
        self._differing += times * _differing_pairs(counts)
        self.units += times
        self.unanimous += times * (len(counts) == 1)

    @property
    def value(self) -> float | None:
        """Kappa; None where there is no unit, one rater only, or all labels are one."""
        totals = [count for count in self._totals.values() if count]
        if self._raters < 2 or len(totals) < 2:
            return None
        n, pairs = sum(totals), self.units * self._raters * (self._raters - 1)
        by_chance = sum((count / n) ** 2 for count in totals)
        return (1 - self._differing / pairs - by_chance) / (1 - by_chance)


class Alpha:
    """Krippendorff's alpha over units that come and go, for labels without an order.

    Units may have different numbers of labels; one label alone says nothing.

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
    """

    def __init__(self) -> None:
        self._totals: Counter[Hashable] = Counter()
        self._differing: Counter[int] = Counter()  # ordered pairs, by the labels of their unit

    def add(self, ratings: Ratings, times: int = 1) -> None:
        """Adds a unit, or takes one away that was added (-1)."""
        if len(ratings) > 1:
            counts = Counter(ratings)
            for label, count in counts.items():
                self._totals[label] += times * count
            self._differing[len(ratings)] += times * _differing_pairs(counts)

    @property
    def value(self) -> float | None:
        """Alpha; None where no unit has two labels, or all labels are one."""
        by_chance = _differing_pairs(self._totals)
        if not by_chance:
            return None
        observed = sum(pairs / (labels - 1) for labels, pairs in self._differing.items())
        return 1 - (self._totals.total() - 1) * observed / by_chance


def compute_alpha(units: Iterable[Ratings]) -> float | None:
    """Returns Krippendorff's alpha of units, as NLTK computes it; see :class:`Alpha`."""
    from nltk.metrics.distance import binary_distance

    return _ask_nltk(units, binary_distance)


def compute_set_alpha(units: Iterable[Sequence[frozenset[object]]]) -> float | None:
    """Returns Krippendorff's alpha of units whose labels are sets, by MASI distance.

    Two sets that share something differ less than two that share nothing. Empty sets are alike.

    Source: Passonneau 2006, "Measuring agreement on set-valued items (MASI)".

    Returns:
        Alpha; None where no unit has two labels, or all labels are one.
    """
    from nltk.metrics.distance import masi_distance

    # NLTK divides by the size of the union; that nothing is there is a member as well.
    nothing = frozenset([_NOTHING])
    return _ask_nltk(([each or nothing for each in labels] for labels in units), masi_distance)


_NOTHING = ("nothing",)


def _ask_nltk(units: Iterable[Ratings], distance: Callable[[Any, Any], float]) -> float | None:
    from nltk.metrics.agreement import AnnotationTask

    data = [
        (rater, number, label)
        for number, ratings in enumerate(units)
        if len(ratings) > 1
        for rater, label in enumerate(ratings)
    ]
    if len({label for _, _, label in data}) < 2:
        return None
    return float(AnnotationTask(data, distance).alpha())


def compute_kappa(units: Iterable[Ratings]) -> float | None:
    """Returns Fleiss' kappa of units; see :class:`Kappa`.

    Raises:
        ValueError: they have different numbers of labels.
    """
    kappa = Kappa()
    for ratings in units:
        kappa.add(ratings)
    return kappa.value


def compute_agreement(units: Iterable[Ratings]) -> float | None:
    """Returns the share of pairs of labels of one unit that are equal; None without pairs."""
    pairs = differing = 0
    for ratings in units:
        pairs += len(ratings) * (len(ratings) - 1)
        differing += _differing_pairs(Counter(ratings))
    return 1 - differing / pairs if pairs else None


def _differing_pairs(counts: Counter[Hashable]) -> int:
    """Counts the ordered pairs of two labels that differ."""
    # All ordered pairs less the equal ones; a label paired with itself is in both terms.
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
