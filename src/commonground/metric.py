"""What a metric is: counts of one example first, named values of summed counts second.

Counts of many examples are summed; ``combine`` turns the sums into values. So parts of a run can
be merged, a bootstrap resamples rows of counts, and every value opens down to its examples. A
metric's own file declares all of it once; tasks name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

import msgspec

Counts = Mapping[str, float]
"""Named, additive numerators and denominators of one example, or their sums; a missing one is 0."""

Values = dict[str, float | None]
"""Named results; None where one is undefined, such as a share of nothing."""


class PrintedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that an official script prints beside its numbers, or instead of them.

    Attributes:
        name: short name: ``confusion``.
        title: one sentence on what its rows and columns are.
        head: names of the columns; the first is that of the rows' names.
        rows: the rows' names and numbers.
    """

    name: str
    title: str
    head: list[str]
    rows: list[list[str | float]]


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric: how one example is counted, and what sums of counts come to.

    Attributes:
        name: short and unique in a task: ``simmc_dst``; key into ``Scored.counts``.
        version: raised whenever the same input may give another value.
        title: one sentence on what is measured.
        matches: official script and commit whose numbers it gives; None where it is ours.
        score: counts one example; its arguments are the metric's own.
        combine: turns summed counts into values.
        std_err: turns summed counts into standard errors; None where the script has none.
        tables: turns summed counts into the script's tables; None where it has none.
        lower: names of the values of which the lower is the better; ``*`` stands for anything.
        neutral: names of the values that are neither better nor worse, such as numbers of things.
        best: the best values by name, where they are not 1; None where it depends on the data.
        parts: names of the counts that a value comes of, for those who wonder why it is undefined.
        counts_missing: whether it is about instances without a prediction, too; if not, they are
            left out where nobody asked for the split.
    """

    name: str
    version: str
    title: str
    matches: str | None = None
    score: Callable[..., Counts]
    combine: Callable[[Counts], Values]
    std_err: Callable[[Counts], Values] | None = None
    tables: Callable[[Counts], list[PrintedTable]] | None = None
    lower: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    best: dict[str, float | None] = {}
    parts: dict[str, tuple[str, ...]] = {}
    counts_missing: bool = False

    def find_direction(self, name: str) -> int:
        """Returns 1 where the higher value is the better, -1 where the lower is, 0 for neither."""
        if _fits(name, self.neutral):
            return 0
        return -1 if _fits(name, self.lower) else 1

    def find_best(self, name: str) -> float | None:
        """Returns the best that a value can be; None where there is none, or it depends."""
        if _fits(name, self.neutral):
            return None
        return next((best for pattern, best in self.best.items() if _fits(name, (pattern,))), 1.0)

    def explain(self, name: str, sums: Counts) -> str | None:
        """Says what counts a value comes of; None where the metric does not tell."""
        zeros = [f"{part} is {sums.get(part, 0):g}" for part in self.parts.get(name, ())]
        return ", ".join(zeros) or None


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
