"""What every metric is: counts of one example first, named values of summed counts second.

A ``score_*`` function turns one example into a mapping of named, additive counts. Counts of many
examples are summed; a ``combine`` function turns the sums into values. So parts of a run can be
merged, a bootstrap resamples rows of counts, and every value opens down to its examples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.task import Measure, Table

Counts = Mapping[str, float]
"""Named numerators and denominators of one example, or their sums. A missing one is 0."""

Values = dict[str, float | None]
"""Named results; null where one is undefined, such as a share of nothing."""


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric.

    Attributes:
        name: short and unique: ``simmc_dst``.
        version: raised whenever the same input may give another value.
        title: one sentence on what is measured.
        matches: the official script and commit whose numbers it gives; null where it is ours.
        counts: names of the counts of one example. A name that ends in ``*`` stands for all
            names that begin so.
        score: scores one example; its arguments are the metric's own.
        combine: turns summed counts into values.
        std_err: turns summed counts into standard errors; null where the official script has
            none.
        tables: turns summed counts into the tables that the official script prints; null where
            it prints none.
        lower: as of :class:`~commonground.task.Measure`, like the next three.
        neutral: names of values that are neither better nor worse.
        best: the best values by name, where they are not 1.
        parts: names of the counts that a value comes of.
    """

    name: str
    version: str
    title: str
    matches: str | None = None
    counts: tuple[str, ...]
    score: Callable[..., Counts]
    combine: Callable[[Counts], Values]
    std_err: Callable[[Counts], Values] | None = None
    tables: Callable[[Counts], list[Table]] | None = None
    lower: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    best: dict[str, float | None] = {}
    parts: dict[str, tuple[str, ...]] = {}


def measure_of(metric: Metric, *, counts_missing: bool = False) -> Measure:
    """Returns a metric as a measure of a task, under its own name.

    Args:
        metric: the metric.
        counts_missing: whether it is about instances without a prediction, too.
    """
    return Measure(
        name=metric.name,
        version=metric.version,
        title=metric.title,
        matches=metric.matches,
        combine=metric.combine,
        std_err=metric.std_err,
        tables=metric.tables,
        lower=metric.lower,
        neutral=metric.neutral,
        best=metric.best,
        parts=metric.parts,
        counts_missing=counts_missing,
    )


class CountTable(msgspec.Struct, frozen=True):
    """Counts of many examples.

    Attributes:
        names: of the counts, in order of first appearance.
        rows: one row per example, one column per name.
    """

    names: tuple[str, ...]
    rows: NDArray[np.float64]


def tabulate_counts(examples: Iterable[Counts]) -> CountTable:
    """Lays counts out in rows, one per example; a count that an example lacks is 0."""
    columns: dict[str, int] = {}
    listed = list(examples)
    for counts in listed:
        for name in counts:
            columns.setdefault(name, len(columns))
    names = tuple(columns)
    flat = [counts.get(name, 0) for counts in listed for name in names]
    rows = np.array(flat, dtype=np.float64).reshape(len(listed), len(names))
    return CountTable(names, rows)


def sum_table(table: CountTable) -> dict[str, float]:
    """Sums the rows of a table, without rounding on the way."""
    columns = table.rows.T.tolist()
    return {name: sum_exactly(column) for name, column in zip(table.names, columns, strict=True)}


def sum_counts(examples: Iterable[Counts]) -> dict[str, float]:
    """Sums counts of examples, or of parts that were summed before."""
    columns: dict[str, list[float]] = {}
    for counts in examples:
        for name, count in counts.items():
            columns.setdefault(name, []).append(count)
    return {name: sum_exactly(column) for name, column in columns.items()}


def sum_exactly(values: Sequence[float]) -> float:
    """Adds up without rounding: a spread that comes of sums of squares needs every digit."""
    total = sum(values)
    # What is infinite or not a number has no digits to keep.
    return math.fsum(values) if isinstance(total, float) and math.isfinite(total) else total


def group_rows(table: CountTable, groups: Sequence[object]) -> CountTable:
    """Sums rows of the same group: turns of a dialogue, to resample whole dialogues.

    Args:
        table: one row per example.
        groups: for each row the group it belongs to.
    """
    numbers: dict[object, int] = {}
    index = [numbers.setdefault(group, len(numbers)) for group in groups]
    rows = np.zeros((len(numbers), len(table.names)))
    with np.errstate(invalid="ignore"):  # infinities of both signs are not a number together
        np.add.at(rows, index, table.rows)
    return CountTable(table.names, rows)


def ratio(numerator: float | None, denominator: float | None) -> float | None:
    """Divides; null where there is nothing to divide by or a part is undefined."""
    if numerator is None or not denominator:
        return None
    value = numerator / denominator
    return None if math.isnan(value) else value


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """Returns F1: null where a part is undefined, 0.0 where both are 0."""
    if precision is None or recall is None:
        return None
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def precision_recall_f1(correct: float, predicted: float, gold: float, prefix: str = "") -> Values:
    """Returns precision, recall and F1 of summed counts, each under its prefixed name."""
    precision, recall = ratio(correct, predicted), ratio(correct, gold)
    f1 = harmonic_mean(precision, recall)
    return {f"{prefix}precision": precision, f"{prefix}recall": recall, f"{prefix}f1": f1}


_ROUNDING = 1e-15


def spread(number: float, total: float, squares: float) -> float | None:
    """Returns the population standard deviation from a number, a sum and a sum of squares.

    A variance that is less than the rounding of its parts is 0, as for equal values it should be.
    """
    if not number:
        return None
    mean_square = squares / number
    variance = mean_square - (total / number) ** 2
    if math.isnan(variance):
        return None
    return math.sqrt(variance) if variance > _ROUNDING * mean_square else 0.0


def standard_error(number: float, total: float, squares: float) -> float | None:
    """Returns the standard error of a mean: :func:`spread` over the root of the number."""
    deviation = spread(number, total, squares)
    return None if deviation is None else deviation / math.sqrt(number)


def is_last_turn(turn: int, turns: int) -> bool:
    """Says whether SIMMC's single-round mode scores a turn: only a dialogue's last one is."""
    return turn == turns - 1
