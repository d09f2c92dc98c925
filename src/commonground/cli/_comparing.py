"""How comparisons of two predictions are printed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commonground.cli._options import print_rich, print_table
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.evaluation.comparing import ComparedFiles, MeasureComparison

_SIDES = ("first", "second", "difference", "low", "high", "p_value", "p_holm", "better")
COLUMNS = ("measure", "name", *_SIDES)
"""Fields of numbers that are compared, as CSV has them."""

MOST = 40
"""Numbers of a measure that are shown; JSON has them all."""


def print_comparison(compared: ComparedFiles, names: tuple[str, str] = ("this", "other")) -> None:
    """Prints what was compared with what, and a table for each measure."""
    from rich.markup import escape

    print_rich(
        f"\nCompared with {escape(compared.second.path)} on "
        f"{count_of(compared.instances, 'instance')} of "
        f"{count_of(compared.dialogues, 'dialogue')}: {compared.test}"
    )
    print_rich(f"[dim]{compared.note}[/]")
    main = [each for each in compared.numbers if each.is_main]
    if main:
        _print_measure("main numbers", main, names, is_main=True)
    others = [each for each in compared.numbers if not each.is_main]
    for measure in dict.fromkeys(each.measure for each in others):
        _print_measure(measure, [each for each in others if each.measure == measure], names)


def _print_measure(
    title: str,
    compared: list[MeasureComparison],
    names: tuple[str, str],
    *,
    is_main: bool = False,
) -> None:
    right = (*names, "difference", "95 %", "p (Holm)" if is_main else "p")
    sides = {"first": names[0], "second": names[1], "neither": "neither", None: "–"}
    # Main numbers are of several measures, which may call theirs the same.
    names_often = Counter(each.name for each in compared)
    rows = (
        (
            f"{each.measure}:{each.name}" if names_often[each.name] > 1 else each.name,
            *map(show_number, (each.first, each.second, each.difference)),
            show_interval(each.low, each.high),
            show_number(each.p_holm if is_main else each.p_value),
            sides[each.better],
        )
        for each in compared[:MOST]
    )
    print_rich(f"\n[bold]{title}[/]")
    print_table(("number", *right, "better"), rows, right)
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
