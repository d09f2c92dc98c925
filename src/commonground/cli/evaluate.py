"""``commonground evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    new_table,
    print_json,
    print_rich,
    store_option,
    to_builtins,
)

if TYPE_CHECKING:
    from commonground.evaluation.scoring import Evaluation, MeasureComparison, MeasureResult
    from commonground.task import Table

_MOST = 40
"""Numbers of a measure that are shown; JSON has them all."""


@click.command(short_help="Score predictions on a benchmark task.")
@click.argument("task_name", metavar="TASK")
@click.option(
    "--predictions", required=True, type=click.Path(path_type=Path), help="File to score."
)
@click.option(
    "--gold",
    "gold_files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Released file with the right answers; may be repeated.  [default: the store]",
)
@click.option("--corpus", help="Imported corpus, where a task has several.")
@click.option("--split", help="Split to score.  [default: all that is there]")
@click.option("--single-round", is_flag=True, help="Score last turns only (SIMMC).")
@click.option(
    "--compare", type=click.Path(path_type=Path), help="Other predictions, for a paired test."
)
@click.option("--per-instance", type=click.Path(path_type=Path), help="Parquet file to write.")
@click.option(
    "--intervals/--no-intervals",
    default=True,
    show_default=True,
    help="95 % bootstrap intervals.",
)
@store_option
@json_option
def command(
    task_name: str,
    predictions: Path,
    gold_files: tuple[Path, ...],
    corpus: str | None,
    split: str | None,
    single_round: bool,
    compare: Path | None,
    per_instance: Path | None,
    intervals: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Score predictions on a benchmark task, as its authors' script does.

    \b
    Example:
      commonground evaluate simmc/dst --predictions predicted.txt --gold target.txt
      commonground evaluate mpchat/nrp --predictions scores.jsonl --split test
    """
    from commonground.evaluation.access import find_gold
    from commonground.evaluation.discovery import get_task
    from commonground.evaluation.instances import write_scored
    from commonground.evaluation.scoring import compare_evaluations, evaluate_predictions

    task = get_task(task_name)
    gold = find_gold(task, gold_files, corpus, split, store)
    found = evaluate_predictions(
        task, predictions, gold, single_round=single_round, intervals=intervals
    )
    compared: list[MeasureComparison] = []
    if compare is not None:
        other = evaluate_predictions(
            task, compare, gold, single_round=single_round, intervals=False
        )
        compared = compare_evaluations(task, found, other)
    if per_instance is not None:
        write_scored(found.instances, per_instance)
    if as_json:
        print_json({**to_builtins(found.result), "compared": to_builtins(compared)})
    else:
        _print(found, compared)


def _print(found: Evaluation, compared: list[MeasureComparison]) -> None:
    from rich.markup import escape

    result = found.result
    mode = ", last turns only" if result.single_round else ""
    print_rich(f"[bold]{result.task}[/]: {result.n:,} instances{mode}, {result.skipped:,} skipped")
    for problem in result.problems:
        print_rich(
            f"[yellow]{problem.count:,} × {problem.kind}[/], such as {escape(problem.example)}. "
            f"The official script: {escape(problem.official)}"
        )
    for measure in result.measures:
        _print_measure(measure)
    if compared:
        print_rich("\nCompared with the other predictions")
        for name in dict.fromkeys(each.measure for each in compared):
            _print_compared(name, [each for each in compared if each.measure == name])


def _print_compared(measure: str, compared: list[MeasureComparison]) -> None:
    table = new_table("number", "difference", "p", right=("difference", "p"))
    for each in compared:
        table.add_row(each.name, _number(each.difference), _number(each.p_value))
    print_rich(f"\n[bold]{measure}[/]", table)


def _print_measure(measure: MeasureResult) -> None:
    origin = f"as {measure.matches}" if measure.matches else "ours"
    print_rich(f"\n[bold]{measure.name}[/] {measure.title} [dim]({origin})[/]")
    table = new_table("number", "value", "std err", "95 %", right=("value", "std err", "95 %"))
    for each in measure.values[:_MOST]:
        interval = "" if each.low is None else f"{_number(each.low)} to {_number(each.high)}"
        table.add_row(each.name, _number(each.value), _number(each.std_err), interval)
    print_rich(table)
    if len(measure.values) > _MOST:
        print_rich(f"[dim]and {len(measure.values) - _MOST:,} more numbers, which --json has[/]")
    for each_table in measure.tables:
        _print_table(each_table)


def _print_table(table: Table) -> None:
    names, *numbers = table.head
    shown = new_table(names, *numbers, right=tuple(numbers))
    for row in table.rows:
        shown.add_row(*(each if isinstance(each, str) else f"{each:g}" for each in row))
    print_rich(f"{table.name}: {table.title}", shown)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
