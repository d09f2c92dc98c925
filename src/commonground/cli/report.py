"""``commonground report``: prints results beside published ones, in one of several formats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    new_table,
    number_cell,
    plain,
    print_json,
    print_plain,
    print_rich,
    to_builtins,
)

if TYPE_CHECKING:
    from commonground.evaluation.reporting import TaskReport


@click.command(short_help="Put results beside published ones.")
@click.argument("results", metavar="[RESULT.json]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--task", "tasks", multiple=True, help="Task to show; may be repeated.")
@click.option(
    "--format",
    type=click.Choice(["terminal", "markdown", "html"]),
    default="terminal",
    show_default=True,
    help="How to print the reports.",
)
@json_option
def command(results: tuple[Path, ...], tasks: tuple[str, ...], format: str, as_json: bool) -> None:
    """Put results beside those that others published, task by task.

    Each RESULT.json is what `evaluate --json` or `baseline --json` printed, or `baseline --out`
    wrote. Without any, the published ones are shown. Each line says where it is from, and whether
    it may be compared.

    \b
    Example:
      commonground report --task simmc/actions
      commonground report runs/result-*.json --format markdown > results.md
    """
    from commonground.evaluation.rendering import RENDERERS
    from commonground.evaluation.reporting import make_reports, read_results

    reports = make_reports(read_results(results), tasks)
    if as_json:
        print_json(to_builtins(reports))
    elif format in RENDERERS:
        print_plain(RENDERERS[format](reports))
    else:
        _print(reports)


def _print(reports: Sequence[TaskReport]) -> None:
    for report in reports:
        print_rich(plain(report.task, "bold") + plain(f" {report.title}"))
        print_rich(*_lay_out(report))


def _lay_out(report: TaskReport) -> list[object]:
    """Makes a table of numbers, and below it what each line's source is."""
    from rich.markup import escape

    from commonground.evaluation.rendering import list_cells, list_notes

    notes = list_notes(report)
    table = new_table("system", "split", *report.names, "n", right=(*report.names, "n"))
    for row in report.rows:
        system, split, *_, count, note = list_cells(report, row)
        name = plain(system, "dim" if row.is_published else "bold") + plain(f" [{note}]")
        numbers = (number_cell(row.numbers.get(name)) for name in report.names)
        table.add_row(name, split, *numbers, count)
    told = [plain(f"[{each.number}] {each.text}") for each in notes.values()]
    problems = [
        f"[yellow]{escape(row.system)}: {', '.join(row.problems)}[/]"
        for row in report.rows
        if row.problems
    ]
    unlisted = [plain(report.unlisted)] if report.unlisted else []
    return [table, *told, *problems, *unlisted, ""]
