"""``commonground collect people``: a row for each participant of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    Form,
    form_options,
    print_data,
    print_table,
    study_argument,
)

if TYPE_CHECKING:
    from commonground.play.collect.live.people_table import PersonRow
    from commonground.play.collect.setup.study import Study

_NUMBERS = ("person", "done", "known right", "kappa", "seconds", "pasted", "flagged", "pay")


@click.command(short_help="List what each participant did, and how well.")
@study_argument
@click.option(
    "--sort",
    default="number",
    show_default=True,
    metavar="COLUMN",
    help="Column to sort by, as --csv names it, such as kappa or seconds.",
)
@click.option("--down", is_flag=True, help="Largest first.")
@form_options
def people(study: Study, sort: str, down: bool, form: Form) -> None:
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
    from commonground.play.collect.live.standing import read_hall

    if sort not in COLUMNS:
        raise unknown_name("column", sort, COLUMNS)
    rows = sort_people(list_people(read_hall(study)), sort, down=down)
    if not print_data(form, rows, COLUMNS):
        names = (*_NUMBERS[:1], "participant", "state", *_NUMBERS[1:])
        print_table(names, map(_list_cells, rows), _NUMBERS)


def _list_cells(row: PersonRow) -> list[str]:
    state = row.state or row.exit or row.stage
    return [
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
    ]
