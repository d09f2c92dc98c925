"""Numbers as logs have them, each with the ends of its 95 % interval by ``_low`` and ``_high``."""

from __future__ import annotations

from commonground.statistics.bootstrap import Combine, bootstrap_intervals
from commonground.statistics.counts import CountTable, sum_table

ENDS = ("_low", "_high")
"""What stands after the name of a number for the ends of its interval."""


def name_ends(
    name: str, value: float | None, low: float | None, high: float | None
) -> dict[str, float]:
    """Returns a number and the ends of its interval by name; without those that are None."""
    pairs = zip(("", *ENDS), (value, low, high), strict=True)
    return {f"{name}{end}": each for end, each in pairs if each is not None}


def measure_rates(table: CountTable, combine: Combine, *, seed: int) -> dict[str, float]:
    """Returns the values of summed counts, each with the ends of its interval.

    Args:
        table: a row of counts for each dialogue.
    """
    intervals = bootstrap_intervals(table, combine, seed=seed)
    found: dict[str, float] = {}
    for name, value in combine(sum_table(table)).items():
        found |= name_ends(name, value, intervals[name].low, intervals[name].high)
    return found
