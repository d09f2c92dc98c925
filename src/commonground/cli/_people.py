"""``commonground collect people``: a row for each participant of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    form_options,
    new_table,
    print_csv,
    print_json,
    print_rich,
)

if TYPE_CHECKING:
    from commonground.play.collect.live.people_table import PersonRow

_NUMBERS = ("person", "done", "known right", "kappa", "seconds", "pasted", "flagged", "pay")


@click.command(short_help="List what each participant did, and how well.")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--sort",
    default="number",
    show_default=True,
    metavar="COLUMN",
    help="Column to sort by, as --csv names it, such as kappa or seconds.",
)
@click.option("--down", is_flag=True, help="Largest first.")
@form_options
def people(study: Path, sort: str, down: bool, as_json: bool, as_csv: bool) -> None:
    """List what each participant did, and how well: a row each, as the monitor shows it.

    Games or units done, known answers that are right, agreement with the majority of others, median
    seconds of a unit or a message, pasted texts, pay. It reads the log, whether the study is being
    served or not. STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect people studies/pilot
      commonground collect people studies/pilot --sort kappa
      commonground collect people studies/pilot --csv
    """
    from commonground.errors import unknown_name
    from commonground.play.collect.live.people_table import COLUMNS, list_people, sort_people
    from commonground.play.collect.live.standing import restore_hall
    from commonground.play.collect.setup.study import open_study

    if sort not in COLUMNS:
        raise unknown_name("column", sort, COLUMNS)
    opened = open_study(study)
    log = opened.open_log()
    try:
        rows = sort_people(list_people(restore_hall(opened, log, str)), sort, down=down)
    finally:
        log.close()
    if as_json:
        print_json(rows)
    elif as_csv:
        print_csv(COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))
    else:
        _print_rows(rows)


def _print_rows(rows: list[PersonRow]) -> None:
    names = (*_NUMBERS[:1], "participant", "state", *_NUMBERS[1:])
    table = new_table(*names, right=_NUMBERS)
    for row in rows:
        state = row.state or row.exit or row.stage
        table.add_row(
            str(row.number),
            row.participant,
            f"{state}: {row.reason}" if row.reason else state.replace("_", " "),
            str(row.done),
            f"{row.right} of {row.known}" if row.known else "–",
            "–" if row.kappa is None else f"{row.kappa:.2f}",
            "–" if row.seconds is None else f"{row.seconds:.1f}",
            str(row.pastes),
            str(row.flags),
            f"{row.owed + row.bonus:.2f}",
        )
    print_rich(table)
