"""How sure a value is: bootstrap intervals and paired tests over rows of counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.errors import TaskError
from commonground.metric import Counts, Values
from commonground.printing import drop_noise
from commonground.statistics.counts import CountTable, sum_table

RESAMPLES = 1000
_LEVEL = 0.95  # the share of resamples within an interval
# Numbers drawn at once: 32 MiB of them, however many examples there are.
_CELLS = 1 << 22

Combine = Callable[[Counts], Values]


class Interval(msgspec.Struct, frozen=True):
    """A percentile interval of a value.

    Attributes:
        low: its lower end; None, as ``high``, where the value is undefined in every resample, or
            there is one example only.
    """

    low: float | None
    high: float | None


class Comparison(msgspec.Struct, frozen=True):
    """Two predictions of the same examples, compared by one value.

    Attributes:
        first: the first's value; None, as ``second``, where undefined.
        difference: the first's value less the second's; None where either is undefined.
        low: lower end of the 95 % percentile interval of the difference; None as of
            :class:`Interval`.
        p_value: how often chance alone, swapping predictions of an example, makes a difference
            at least as large; two-sided.
    """

    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def bootstrap_intervals(table: CountTable, combine: Combine, *, seed: int) -> dict[str, Interval]:
    """Resamples examples with replacement and returns an interval for every value.

    One example tells nothing of how examples differ: its values have no interval.

    Args:
        table: one row per example; for dependent examples, sum them with
            :func:`~commonground.statistics.counts.group_rows` first.
    """
    names = list(combine(sum_table(table)))
    drawn: dict[str, list[float]] = {name: [] for name in names}
    if len(table.rows) > 1:
        for sums in _resample(table, seed):
            for name, value in combine(dict(zip(table.names, sums, strict=True))).items():
                if value is not None and name in drawn:
                    drawn[name].append(value)
    return {name: _interval(values) for name, values in drawn.items()}


def _resample(table: CountTable, seed: int) -> Iterator[list[float]]:
    """Yields the summed counts of each resample.

    Equal rows are drawn as one: a resample is then a draw of how often each distinct row occurs.
    """
    rng = np.random.default_rng(seed)
    # Counts are small whole numbers as a rule, so that thousands of examples have few different
    # rows.
    rows, times = np.unique(table.rows, axis=0, return_counts=True)
    number = len(table.rows)
    block = max(1, _CELLS // len(rows))
    for first in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - first)
        weights = rng.multinomial(number, times / number, size=size)
        yield from _weigh(weights, rows).tolist()


def _weigh(weights: NDArray[np.int64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiplies; 0 times what is not finite is 0, as a row that is not drawn does not count."""
    finite = np.isfinite(rows)
    with np.errstate(over="ignore", invalid="ignore"):  # sums too large for a float are infinite
        sums: NDArray[np.float64] = weights.astype(np.float64) @ np.where(finite, rows, 0.0)
    for row, column in np.argwhere(~finite):
        drawn = weights[:, row] > 0
        sums[drawn, column] += rows[row, column]
    return sums


def _interval(values: list[float]) -> Interval:
    finite = [value for value in values if not math.isnan(value)]
    if not finite:
        return Interval(None, None)
    edge = (1 - _LEVEL) / 2
    # Always a value that was drawn: halfway to an infinite one there is none.
    low, high = np.quantile(finite, [edge, 1 - edge], method="inverted_cdf").tolist()
    return Interval(drop_noise(low), drop_noise(high))


def compare_paired(
    first: CountTable, second: CountTable, combine: Combine, *, seed: int
) -> dict[str, Comparison]:
    """Compares two predictions by approximate randomisation.

    In every round each example's two rows are swapped or not, with equal chance. The p-value is
    (1 + rounds with at least the observed difference) / (1 + rounds), over the rounds in which
    both values are defined. A value that comes of counts that are not finite is undefined. The
    interval is of the differences in as many resamples, which draw an example with both its rows.

    Args:
        second: one row per example, the same examples in the same order as in ``first``.

    Raises:
        TaskError: the numbers of examples differ.

    Source: Noreen 1989; Yeh 2000.
    """
    if len(first.rows) != len(second.rows):
        found = f"{len(first.rows)} and {len(second.rows)}"
        raise TaskError(f"Two predictions are compared on the same examples, found {found}.")
    names = tuple(dict.fromkeys(first.names + second.names))
    one, other = _align(first, names), _align(second, names)
    blank = _blank_columns(one, other)
    sums = one.sum(axis=0) + blank, other.sum(axis=0) + blank
    first_values, second_values = (combine(_name_counts(each, names)) for each in sums)
    observed = _differences(*sums, names, combine)
    bounds = _bound_differences(one, other, blank, names, combine, seed)
    larger = dict.fromkeys(observed, 0)
    defined = dict.fromkeys(observed, 0)
    for mine, theirs in _swap(one, other, seed):
        for name, value in _differences(mine + blank, theirs + blank, names, combine).items():
            bound = observed.get(name)
            if bound is not None and value is not None:
                defined[name] += 1
                # Sums of the same parts in another order differ by rounding: they are equal.
                larger[name] += abs(value) >= abs(bound) - 1e-12
    return {
        name: Comparison(
            first=first_values.get(name),
            second=second_values.get(name),
            difference=value,
            low=None if value is None else bounds[name].low,
            high=None if value is None else bounds[name].high,
            # The observed order is one of those that chance could give, hence the 1: a p-value is
            # never 0.
            p_value=None if value is None else (1 + larger[name]) / (1 + defined[name]),
        )
        for name, value in observed.items()
    }


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for their number: the chance that any is as small stays below each.

    Args:
        p_values: of tests that are read together, in any order, which the result keeps.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        # A larger value is never corrected to less than a smaller one.
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


def _bound_differences(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    blank: NDArray[np.float64],
    names: tuple[str, ...],
    combine: Combine,
    seed: int,
) -> dict[str, Interval]:
    """Draws pairs of rows with replacement, and returns an interval for every difference."""
    twice = tuple(f"{side}{name}" for side in "12" for name in names)

    def subtract(counts: Counts) -> Values:
        values = np.array([counts[name] for name in twice])
        return _differences(
            values[: len(names)] + blank, values[len(names) :] + blank, names, combine
        )

    table = CountTable(twice, np.hstack([one, other]))
    return bootstrap_intervals(table, subtract, seed=seed)


def _align(table: CountTable, names: tuple[str, ...]) -> NDArray[np.float64]:
    rows = np.zeros((len(table.rows), len(names)))
    rows[:, [names.index(name) for name in table.names]] = table.rows
    return rows


def _blank_columns(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sets counts to 0 that are not finite anywhere, and gives what makes their sums undefined."""
    odd = ~(np.isfinite(one) & np.isfinite(other)).all(axis=0)
    one[:, odd] = other[:, odd] = 0
    return np.where(odd, np.nan, 0.0)


def _swap(
    one: NDArray[np.float64], other: NDArray[np.float64], seed: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    # Examples on which both agree make no difference, swapped or not.
    differ = np.flatnonzero((one != other).any(axis=1))
    # A swap moves the difference of two rows from one side to the other, so a whole round is one
    # product of matrices, and the other side is what is left of the total.
    total, apart = one.sum(axis=0) + other.sum(axis=0), other[differ] - one[differ]
    block = max(1, _CELLS // max(1, len(differ)))
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        swaps = rng.integers(0, 2, size=(size, len(differ))).astype(np.float64)
        for sums in one.sum(axis=0) + swaps @ apart:
            yield sums, total - sums


def _differences(
    one: NDArray[np.float64], other: NDArray[np.float64], names: tuple[str, ...], combine: Combine
) -> Values:
    first, second = combine(_name_counts(one, names)), combine(_name_counts(other, names))
    return {name: _difference(first.get(name), second.get(name)) for name in first | second}


def _name_counts(sums: NDArray[np.float64], names: tuple[str, ...]) -> dict[str, float]:
    return dict(zip(names, sums.tolist(), strict=True))


def _difference(one: float | None, other: float | None) -> float | None:
    if one is None or other is None or not math.isfinite(one - other):
        return None
    return one - other
