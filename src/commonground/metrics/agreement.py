"""How far people agree who label the same things: Krippendorff's alpha and Fleiss' kappa.

Both compare the agreement that was observed with the one that chance would give; 1 is full
agreement, 0 what chance gives. Labels have no order here (the nominal level).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

Ratings = Sequence[Hashable]
"""The labels that a unit was given, one of each rater who gave one; their order says nothing."""


def compute_alpha(units: Iterable[Ratings]) -> float | None:
    """Returns Krippendorff's alpha; units with fewer than two labels say nothing.

    Null where no unit has two labels, or all labels are one, so that nothing could differ.

    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", nominal data.
    """
    totals: Counter[Hashable] = Counter()
    differing = 0.0
    for ratings in units:
        if len(ratings) < 2:
            continue
        counts = Counter(ratings)
        totals.update(counts)
        # So weighed, each label counts once, however many others its unit has.
        differing += _differing_pairs(counts) / (len(ratings) - 1)
    n = totals.total()
    expected = _differing_pairs(totals)
    return 1 - (n - 1) * differing / expected if expected else None


def compute_kappa(units: Iterable[Ratings]) -> float | None:
    """Returns Fleiss' kappa, for units that were all labelled by as many raters.

    Null where there is no unit, one rater only, or all labels are one.

    Raises:
        ValueError: units have different numbers of labels.

    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters".
    """
    totals: Counter[Hashable] = Counter()
    raters, number, agreement = 0, 0, 0.0
    for ratings in units:
        if number and len(ratings) != raters:
            raise ValueError(f"{raters} labels expected, found {len(ratings)}")
        raters, number = len(ratings), number + 1
        counts = Counter(ratings)
        totals.update(counts)
        if raters > 1:
            agreement += 1 - _differing_pairs(counts) / (raters * (raters - 1))
    n = totals.total()
    by_chance = sum((count / n) ** 2 for count in totals.values())
    if raters < 2 or len(totals) < 2:
        return None
    return (agreement / number - by_chance) / (1 - by_chance)


def compute_agreement(units: Iterable[Ratings]) -> float | None:
    """Returns the share of pairs of labels of one unit that are equal; null without pairs."""
    pairs = differing = 0
    for ratings in units:
        pairs += len(ratings) * (len(ratings) - 1)
        differing += _differing_pairs(Counter(ratings))
    return 1 - differing / pairs if pairs else None


def _differing_pairs(counts: Counter[Hashable]) -> int:
    """Counts the ordered pairs of two labels that differ."""
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
