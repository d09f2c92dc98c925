"""``commonground evaluate``: scores predictions; prints measures, intervals and problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._comparing import (
    COLUMNS,
    MOST,
    print_comparison,
    print_more,
    show_interval,
    show_number,
)
from commonground.cli._options import (
    Form,
    form_options,
    print_data,
    print_rich,
    print_table,
    store_option,
    to_builtins,
    working,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.evaluation.comparing import ComparedFiles
    from commonground.bench.evaluation.scoring import Evaluation, MeasureResult, Result, Value
    from commonground.metric import PrintedTable

SECTION = "score"


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
@click.option(
    "--split",
    help="Split to score in full, or all.  [default: only what the predictions name]",
)
@click.option("--mode", help="How to score, where a task has several ways, such as single-round.")
# The name that SIMMC's own script has for it; still taken, and not documented.
@click.option("--single-round", "mode", flag_value="single-round", hidden=True)
@click.option(
    "--compare", type=click.Path(path_type=Path), help="Other predictions, for a paired test."
)
@click.option(
    "--per-instance",
    type=click.Path(path_type=Path),
    help="Parquet file to write the score of each instance to.",
)
@click.option(
    "--intervals/--no-intervals",
    default=True,
    show_default=True,
    help="95 % bootstrap intervals.",
)
@store_option
@form_options
def command(
    task_name: str,
    predictions: Path,
    gold_files: tuple[Path, ...],
    corpus: str | None,
    split: str | None,
    mode: str | None,
    compare: Path | None,
    per_instance: Path | None,
    intervals: bool,
    store: Path | None,
    form: Form,
) -> None:
    """Score predictions on a benchmark task, as its authors' script does.

    TASK is a name that `commonground tasks` prints.

    \b
    Example:
      commonground evaluate simmc/dst --predictions predicted.txt --gold target.txt
      commonground evaluate mpchat/nrp --predictions scores.jsonl --split test
    """
    from commonground.bench.evaluation import access
    from commonground.bench.evaluation.instances import write_scored
    from commonground.bench.evaluation.tasks import get_task
    from commonground.files.sources import read_path

    given: dict[str, Any] = {
        "gold": gold_files,
        "corpus": corpus,
        "split": split,
        "mode": mode,
        "store": store,
    }
    if compare is not None:
        read_path(compare)  # a wrong name is said before anything is scored
    with working(f"scoring {predictions}"):
        found = access.evaluate(task_name, predictions, intervals=intervals, **given)
    compared = None
    if compare is not None:
        with working(f"comparing with {compare}"):
            compared = access.compare(task_name, found, compare, **given)
    if per_instance is not None:
        task = get_task(task_name)
        source = access.find_gold(task, gold_files, corpus, split, store)
        write_scored(found.instances, per_instance, task=task, gold=source)
    columns, rows = _list_rows(found.result) if compared is None else (COLUMNS, compared.numbers)
    told = {**to_builtins(found.result), "compared": compared}
    if not print_data(form, told, columns, rows):
        _print(found, compared, intervals=intervals)


def _list_rows(result: Result) -> tuple[tuple[str, ...], Iterable[Any]]:
    rows = (
        (measure.name, each.name, each.value, each.std_err, each.low, each.high)
        for measure in result.measures
        for each in measure.values
    )
    return ("measure", "number", "value", "std_err", "low", "high"), rows


def _print(found: Evaluation, compared: ComparedFiles | None, *, intervals: bool) -> None:
    from rich.markup import escape

    result = found.result
    _print_head(result)
    for problem in result.problems:
        print_rich(
            f"[yellow]{problem.count:,} × {problem.kind}[/], such as {escape(problem.example)}. "
            f"The official script: {escape(problem.official)}"
        )
    for measure in result.measures:
        _print_measure(measure)
    values = (each for measure in result.measures for each in measure.values)
    if intervals and all(each.low is None for each in values):
        print_rich("No 95 % intervals: there are too few dialogues to resample.")
    if compared is not None:
        print_comparison(compared)


def _print_head(result: Result) -> None:
    """Says what the numbers are of: how many instances of which splits, and what is missing."""
    from rich.markup import escape

    mode = f", mode {result.mode}" if result.mode else ""
    splits = [each.split for each in result.coverage if each.split is not None]
    text = f" of {', '.join(splits)}" if splits else ""
    inferred = " (which the predictions name)" if splits and result.is_inferred else ""
    print_rich(
        f"[bold]{result.task}[/]: {count_of(result.n, 'instance')}{text}{inferred}{mode}, "
        f"{result.skipped:,} skipped"
    )
    for each in result.coverage:
        if each.missing:
            where = "" if each.split is None else f" of {each.split}"
            print_rich(f"[bold yellow]{each.missing:,} of {each.of:,} instances{where} missing[/]")
    if result.is_inferred and any(each.missing for each in result.coverage):
        print_rich(
            "They are left out of the scores, except of measures that are about them. --split "
            "scores a split in full, --split all every split."
        )
    for name, setting in result.settings.items():
        print_rich(f"[dim]{name}: {escape(setting)}[/]")


def _print_measure(measure: MeasureResult) -> None:
    origin = f"as {measure.matches}" if measure.matches else "ours"
    print_rich(f"\n[bold]{measure.name}[/] {measure.title} [dim]({origin})[/]")
    _print_values(measure.values)
    for name, text in measure.undefined.items():
        print_rich(f"[yellow]{name} is undefined[/]: {text}")
    print_more(len(measure.values))
    for each_table in measure.tables:
        _print_table(each_table)


def _print_values(values: Sequence[Value]) -> None:
    """Prints numbers; standard errors and intervals only where there are some."""
    columns = {"value": [show_number(each.value) for each in values]}
    if any(each.std_err is not None for each in values):
        columns["std err"] = [show_number(each.std_err) for each in values]
    if any(each.low is not None for each in values):
        columns["95 %"] = [show_interval(each.low, each.high) for each in values]
    rows = zip((each.name for each in values), *columns.values(), strict=True)
    print_table(("number", *columns), list(rows)[:MOST], tuple(columns))


def _print_table(table: PrintedTable) -> None:
    rows = ((each if isinstance(each, str) else f"{each:g}" for each in row) for row in table.rows)
    print_rich(f"{table.name}: {table.title}")
    print_table(table.head, rows, right=table.head[1:])
