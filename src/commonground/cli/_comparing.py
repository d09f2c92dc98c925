"""How comparisons of two predictions are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonground.cli._options import new_table, print_csv, print_rich
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.evaluation.comparing import ComparedFiles, MeasureComparison

MOST = 40
"""Numbers of a measure that are shown; JSON has them all."""


def print_comparison(compared: ComparedFiles, names: tuple[str, str] = ("this", "other")) -> None:
    """Prints what was compared with what, and a table for each measure.

    Args:
        compared: the comparison.
        names: what the two are called.
    """
    from rich.markup import escape

    print_rich(
        f"\nCompared with {escape(compared.second.path)} on "
        f"{count_of(compared.instances, 'instance')} of "
        f"{count_of(compared.dialogues, 'dialogue')}: {compared.test}"
    )
    for measure in dict.fromkeys(each.measure for each in compared.numbers):
        mine = [each for each in compared.numbers if each.measure == measure]
        _print_measure(measure, mine, names)


def print_comparison_csv(compared: ComparedFiles) -> None:
    """Prints how the numbers of two predictions differ, a line for each."""
    sides = ("first", "second", "difference", "low", "high", "p_value", "better")
    names = ("measure", "name", *sides)
    print_csv(names, ([getattr(each, name) for name in names] for each in compared.numbers))


def _print_measure(measure: str, compared: list[MeasureComparison], names: tuple[str, str]) -> None:
    right = (*names, "difference", "95 %", "p")
    table = new_table("number", *right, "better", right=right)
    sides = {"first": names[0], "second": names[1], "neither": "neither", None: "–"}
    for each in compared[:MOST]:
        table.add_row(
            each.name,
            show_number(each.first),
            show_number(each.second),
            show_number(each.difference),
            show_interval(each.low, each.high),
            show_number(each.p_value),
            sides[each.better],
        )
    print_rich(f"\n[bold]{measure}[/]", table)
    for each in compared[:MOST]:
        if each.undefined:
            print_rich(f"{each.name} is undefined: {each.undefined}")
    print_more(len(compared))


def print_more(numbers: int) -> None:
    """Says how many numbers are not shown, if any."""
    if numbers > MOST:
        print_rich(f"[dim]and {count_of(numbers - MOST, 'more number')}: see --json[/]")


def show_interval(low: float | None, high: float | None) -> str:
    """Writes an interval; empty where it is undefined."""
    return "" if low is None or high is None else f"{show_number(low)} to {show_number(high)}"


def show_number(value: float | None) -> str:
    """Writes a number with four places; a dash where it is undefined."""
    return "–" if value is None else f"{value:.4f}"
