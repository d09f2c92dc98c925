"""``commonground stats``: prints the figures of a corpus, beside what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    new_table,
    plain,
    print_json,
    print_rich,
    progress_bar,
    store_option,
)

if TYPE_CHECKING:
    from commonground.figure import Figure
    from commonground.figures.published import Comparison
    from commonground.figures.views import FigureView


@click.command(short_help="Print a corpus's statistics beside the published ones.")
@click.argument("corpus")
@click.option(
    "--figure", "names", multiple=True, metavar="NAME", help="Only this figure; may be repeated."
)
@click.option("--list", "only_list", is_flag=True, help="List the figures without running them.")
@click.option(
    "--rows", type=click.IntRange(1), default=40, show_default=True, help="Rows of a printed table."
)
@click.option("--sql", "queries", is_flag=True, help="Print the query of each table, too.")
@json_option
@store_option
def command(
    corpus: str,
    names: tuple[str, ...],
    only_list: bool,
    rows: int,
    queries: bool,
    as_json: bool,
    store: Path | None,
) -> None:
    """Print the tables of a corpus, with published numbers beside ours and why they differ.

    CORPUS is a name that `commonground list` prints; `all` compares the imported corpora with each
    other.

    \b
    Example:
      commonground stats photobook
      commonground stats photobook --figure rounds --json
      commonground stats all --sql
    """
    from commonground.figures.figure_runs import choose_figures
    from commonground.figures.views import SIMULATED, describe_figure
    from commonground.store.opening import open_store

    chosen = choose_figures(open_store(store), corpus, names)
    if not chosen.figures and not as_json:
        click.echo(f"{corpus} has no figures of its own. See: commonground stats all")
        return
    if only_list:
        _print_list(chosen.figures, as_json)
        return
    with progress_bar("statistics") as report:
        views = [describe_figure(table) for table in chosen.run(report)]
    if as_json:
        print_json({"corpus": corpus, "figures": views})
        return
    for view in views:
        _print_view(view, rows, with_query=queries)
    if any(view.simulated for view in views):
        click.echo(SIMULATED)


def _print_list(figures: tuple[Figure, ...], as_json: bool) -> None:
    if as_json:
        print_json([{"name": f.name, "title": f.title, "caption": f.caption} for f in figures])
        return
    table = new_table("figure", "title", "published")
    for each in figures:
        table.add_row(each.name, each.title, str(len(each.published) or ""))
    print_rich(table)


def _print_view(view: FigureView, most: int, *, with_query: bool) -> None:
    from commonground.figures.views import show_cell

    print_rich(plain(f"{view.title}  [{view.name}]", "bold"), plain(view.caption))
    if view.query and with_query:
        print_rich(plain(view.query, "dim"))
    heads = [f"{c.title} ({c.unit})" if c.unit else c.title for c in view.columns]
    # Numbers of columns in which some cell is text: these stand left.
    texts = {n for row in view.rows for n, cell in enumerate(row) if isinstance(cell, str)}
    table = new_table(*heads, right=[head for n, head in enumerate(heads) if n not in texts])
    for row in view.rows[:most]:
        cells = zip(view.columns, row, strict=True)
        table.add_row(*(show_cell(column, cell) for column, cell in cells))
    print_rich(table)
    if len(view.rows) > most:
        print_rich(f"{most:,} of {len(view.rows):,} rows; see --rows and --json\n")
    if view.comparisons:
        _print_comparisons(view.comparisons)


def _print_comparisons(comparisons: list[Comparison]) -> None:
    """Prints published numbers beside ours; sources and reasons stand below, once each."""
    table = new_table("published", "value", "ours", "", "see", right=("value", "ours"))
    notes: dict[str, int] = {}
    for each in comparisons:
        texts = [each.source] + ([each.why] if each.why else [])
        numbers = [notes.setdefault(text, len(notes) + 1) for text in texts]
        name = f"{each.name} ({each.unit})" if each.unit else each.name
        value = f"{each.published:,.10g}"
        ours = "none" if each.ours is None else f"{each.ours:,.10g}"
        sign = "=" if each.agrees else "differs" if each.ours is not None else ""
        see = " ".join(f"[{number}]" for number in numbers)
        table.add_row(name, value, ours, sign, see)
    print_rich(table)
    for text, number in notes.items():
        print_rich(plain(f"[{number}] {text}"))
    print_rich("")
