"""``commonground report``: prints results next to published ones, in one of several formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._comparing import print_comparison
from commonground.cli._options import (
    Form,
    form_options,
    number_cell,
    plain,
    print_data,
    print_plain,
    print_rich,
    print_table,
)
from commonground.errors import CommongroundError, TaskError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.evaluation.reporting import TaskReport
    from commonground.bench.inspect_tasks.logs.results import LoggedRun

SECTION = "score"


@click.command(short_help="Show results next to published ones.")
@click.argument(
    "results", metavar="[RESULT.json | LOG | FOLDER]...", nargs=-1, type=click.Path(path_type=Path)
)
@click.option("--task", "tasks", multiple=True, help="Task to show; may be repeated.")
@click.option(
    "--format",
    type=click.Choice(["terminal", "markdown", "html"]),
    default="terminal",
    show_default=True,
    help="How to print the reports.",
)
@click.option(
    "--figures",
    "out",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write a chart of each task there, too, as SVG and PNG.",
)
@form_options
def command(
    results: tuple[Path, ...],
    tasks: tuple[str, ...],
    format: str,
    out: Path | None,
    form: Form,
) -> None:
    """Show results next to published ones, task by task.

    Each RESULT.json is what `evaluate --json` or `baseline --json` printed or `baseline --out`
    wrote, each LOG is one of inspect_ai, and a FOLDER stands for all logs with scores in it.
    Without any, the published results are shown. Each line says where it comes from, and whether it
    can be compared with the others. Two logs of one task are compared, too: by how much one is
    better, and how certain that is. Logs of games and of the probe have separate tables.

    \b
    Example:
      commonground report --task simmc/actions
      commonground report runs/result-*.json --format markdown > results.md
      commonground report logs/one.eval logs/other.eval --figures figures
      commonground report logs
    """
    from commonground.bench.evaluation.rendering import RENDERERS
    from commonground.bench.evaluation.reporting import is_log, make_reports, read_results
    from commonground.files.outputs import refuse_file_name

    if out is not None:
        refuse_file_name(out)
    damaged: list[CommongroundError] = []
    listed = [each for path in results if path.is_dir() for each in _choose_logs(path, damaged)]
    named = [*(path for path in results if not path.is_dir()), *listed]
    logs = [path for path in named if is_log(path)]
    runs, others = _read_logs(logs, damaged) if logs else ([], [])
    found = read_results(path for path in named if path not in logs)
    mine = [*(each.as_result() for each in runs), *found]
    # Where all that is named is of no task, nobody asks for what was published for all of them.
    reports = [*others, *(make_reports(mine, tasks) if mine or tasks or not others else [])]
    if out is not None:
        from commonground.bench.evaluation.report_charts import write_charts

        # To standard error, where it does not disturb what reads the reports.
        click.echo(f"{count_of(len(write_charts(reports, out)), 'file')} in {out}", err=True)
    if print_data(form, reports, _COLUMNS, _list_rows(reports)):
        pass
    elif format in RENDERERS:
        print_plain(RENDERERS[format](reports))
    else:
        for report in reports:
            _print(report)
        # Two only: of three it is not known which is to be compared with which.
        if len(logs) == 2 and runs:
            _compare(runs)
    for each in damaged:
        click.echo(f"Left out: {each}", err=True)
    if damaged:
        click.get_current_context().exit(1)


def _choose_logs(folder: Path, damaged: list[CommongroundError]) -> list[Path]:
    """Lists the logs of a folder that have numbers, and says which ones have none.

    Runs that failed and were retried lie beside those that did not. ``damaged`` takes what is wrong
    with logs that cannot be read.
    """
    from commonground.bench.evaluation.reporting import list_logs
    from commonground.extras import needing

    paths = list_logs(folder)
    with needing("inspect", f"{paths[0]} is a log of inspect_ai"):
        from commonground.bench.inspect_tasks.logs.results import read_log
    chosen = []
    for path in paths:
        try:
            log = read_log(path, header_only=True)
        except CommongroundError as error:
            damaged.append(error)
            continue
        if log.results is None and log.status != "success":
            click.echo(f"Left out: {path} has no numbers: it ended with {log.status!r}.", err=True)
        else:
            chosen.append(path)
    if not chosen and damaged:
        raise damaged[0]
    if not chosen:
        advice = "Continue with `inspect eval-retry`, or score them with `inspect score`."
        raise TaskError(f"No log in {folder} has numbers.", advice)
    return chosen


def _read_logs(
    paths: Sequence[Path], damaged: list[CommongroundError]
) -> tuple[list[LoggedRun], list[TaskReport]]:
    """Returns the runs of tasks, and the reports of games and of the probe.

    One log at least has to be readable; ``damaged`` takes what is wrong with the others.
    """
    from commonground.extras import needing

    with needing("inspect", f"{paths[0]} is a log of inspect_ai"):
        from commonground.bench.inspect_tasks.logs.report_lines import sort_logs
        from commonground.bench.inspect_tasks.logs.results import read_logs
    runs, readable = [], []
    for path in paths:
        try:
            runs += read_logs(sort_logs([path]).tasks)
        except CommongroundError as error:
            damaged.append(error)
        else:
            readable.append(path)
    if not readable:
        raise damaged[-1]
    return runs, sort_logs(readable).others


def _compare(runs: Sequence[LoggedRun]) -> None:
    """Compares the runs of two logs, part by part where they have parts."""
    from commonground.bench.evaluation.comparing import compare_evaluations
    from commonground.bench.inspect_tasks.logs.results import keep_common

    for group in dict.fromkeys(each.asked.group for each in runs):
        mine = [each for each in runs if each.asked.group == group]
        # A part may be in one of the logs only.
        if len(mine) == 2:
            task, one, other, left_out = keep_common(mine[0], mine[1])
            print_comparison(
                compare_evaluations(task, one, other),
                (f"1 {mine[0].asked.model}", f"2 {mine[1].asked.model}"),
            )
            if left_out:
                click.echo(f"Left out: {count_of(left_out, 'instance')} that only one log counts.")


_ABOUT = ("system", "split", "kind", "is_published", "n", "of", "n_read")
_COLUMNS = ("task", *_ABOUT, "number", "value", "low", "high", "source", "comparable")


def _list_rows(reports: Sequence[TaskReport]) -> Iterator[tuple[Any, ...]]:
    for report in reports:
        for row in report.rows:
            line = [getattr(row, name) for name in _ABOUT]
            for name, each in row.numbers.items():
                cells = (name, each.value, each.low, each.high, row.source, row.comparable)
                yield (report.task, *line, *cells)


def _print(report: TaskReport) -> None:
    """Prints a table of numbers, and below it what each line's source is."""
    from rich.markup import escape

    from commonground.bench.evaluation.rendering import (
        describe_problems,
        list_cells,
        list_headings,
        list_notes,
        list_outcomes,
    )

    print_rich(plain(report.task, "bold") + plain(f" {report.title}"))
    headings = list_headings(report)[:-1]  # the note stands after the system
    rows = []
    for row in report.rows:
        system, split, *cells, note = list_cells(report, row)
        name = plain(system, "dim" if row.is_published else "bold") + plain(f" [{note}]")
        numbers = (number_cell(row.numbers.get(name)) for name in report.names)
        rows.append((name, split, *numbers, *cells[len(report.names) :]))
    print_table(headings, rows, right=headings[2:])
    for each in list_notes(report).values():
        print_rich(plain(f"[{each.number}] {each.text}"))
    if outcomes := list_outcomes(report):
        head, *lines = outcomes
        print_table(head, lines, right=head[1:])
    problems = ((row.system, describe_problems(row)) for row in report.rows)
    listed = [f"{system}: {described}" for system, described in problems if described]
    for text in (*report.differences, *listed):
        print_rich(f"[yellow]{escape(text)}[/]")
    if report.unlisted:
        print_rich(plain(report.unlisted))
    print_rich("")
