"""What metrics compute with: sums of counts, and shares, means and spreads of sums."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from commonground.metric import Counts, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    # Late, as figures and metrics are listed without it.
    import numpy as np

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
    """Sums rows of the same group: turns of a dialogue, to resample whole dialogues."""
    import numpy as np

    numbers: dict[object, int] = {}
    index = [numbers.setdefault(group, len(numbers)) for group in groups]
    rows = np.zeros((len(numbers), len(table.names)))
    # Infinities of both signs are not a number together; what is too large is infinite.
    with np.errstate(invalid="ignore", over="ignore"):
        # Not `rows[index] += ...`, which adds one row of each group only.
        np.add.at(rows, index, table.rows)
    return CountTable(table.names, rows)


def to_float(number: float) -> float:
    """Returns a number as a float; a whole one that is too large for any is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def has_infinite(numbers: Sequence[float]) -> bool:
    """Says whether any of many numbers is infinite; no whole number is too large for a float."""
    # The sum tells at once of nearly all lists that none is.
    return not math.isfinite(sum(numbers)) and any(map(math.isinf, numbers))


def ratio(numerator: float | None, denominator: float | None) -> float | None:
    """Divides; None where there is nothing to divide by or a part is undefined."""
    if numerator is None or not denominator:
        return None
    value = numerator / denominator
    return None if math.isnan(value) else value


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """Returns F1: 0.0 where nothing is right, None where there is nothing to be right about.

    Where only one part is undefined, things were predicted and none was right, or the other way
    round: nothing is right then, either.
    """
    if precision is None and recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def precision_recall_f1(correct: float, predicted: float, gold: float, prefix: str = "") -> Values:
    """Returns precision, recall and F1 of summed counts, each under its prefixed name.

    Args:
        prefix: put before the names, with its underscore.
    """
    precision, recall = ratio(correct, predicted), ratio(correct, gold)
    f1 = harmonic_mean(precision, recall)
    return {f"{prefix}precision": precision, f"{prefix}recall": recall, f"{prefix}f1": f1}


def list_f1_parts(
    correct: str, predicted: str, gold: str, prefix: str = ""
) -> dict[str, tuple[str, ...]]:
    """Names the counts that the values of :func:`precision_recall_f1` come of.

    Args:
        correct: name of that count; so are ``predicted`` and ``gold``.
    """
    return {
        f"{prefix}precision": (correct, predicted),
        f"{prefix}recall": (correct, gold),
        f"{prefix}f1": (correct, predicted, gold),
    }


def f1_by_kind(sums: Counts, kinds: Iterable[str]) -> Values:
    """Returns precision, recall and F1 of several kinds of thing, each named after one of them.

    Args:
        sums: counts ``correct_KIND``, ``predicted_KIND`` and ``gold_KIND``; 0 where one lacks.
        kinds: what is counted, in the plural: ``acts`` gives ``act_precision`` and so on.
    """
    values: Values = {}
    for kind in kinds:
        correct, predicted = sums.get(f"correct_{kind}", 0), sums.get(f"predicted_{kind}", 0)
        prefix = f"{kind.removesuffix('s')}_"
        values |= precision_recall_f1(correct, predicted, sums.get(f"gold_{kind}", 0), prefix)
    return values


def list_parts_by_kind(kinds: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Names the counts that the values of :func:`f1_by_kind` come of."""
    parts: dict[str, tuple[str, ...]] = {}
    for kind in kinds:
        prefix = f"{kind.removesuffix('s')}_"
        parts |= list_f1_parts(f"correct_{kind}", f"predicted_{kind}", f"gold_{kind}", prefix)
    return parts


# About five times the last bit of a float: more than is left of the variance of equal values.
_ROUNDING = 1e-15


def spread(number: float, total: float, squares: float) -> float | None:
    """Returns the population standard deviation from a number, a sum and a sum of squares.

    A variance that is less than the rounding of its parts is 0, as for equal values it should be.
    """
    if not number:
        return None
    mean_square = squares / number
    # The difference of two numbers of like size: most digits cancel out, so the sums come exact.
    mean = total / number
    # Not ``mean**2``, which is an error where it is too large for a float.
    variance = mean_square - mean * mean
    if math.isinf(squares) and math.isfinite(total):
        return math.inf
    if math.isnan(variance):
        return None
    return math.sqrt(variance) if variance > _ROUNDING * mean_square else 0.0


def standard_error(number: float, total: float, squares: float) -> float | None:
    """Returns the standard error of a mean: :func:`spread` over the root of the number."""
    deviation = spread(number, total, squares)
    return None if deviation is None else deviation / math.sqrt(number)
