"""``commonground stats``: prints or draws the figures of a corpus, beside what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    form_options,
    plain,
    print_data,
    print_json,
    print_plain,
    print_rich,
    print_table,
    progress_bar,
    refuse_options,
    store_option,
)
from commonground.errors import UsageError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.figure import Figure
    from commonground.figures.drawing.paper import Paper
    from commonground.figures.published import Comparison
    from commonground.figures.views import FigureView

SECTION = "look"

_PRINTING = frozenset({"only_list", "rows", "queries", "as_csv"})
_DRAWING = frozenset({"endings", "columns", "background", "title", "font"})


@click.command(short_help="Print or draw a corpus's statistics next to the published ones.")
@click.argument("corpus")
@click.option(
    "--figure", "names", multiple=True, metavar="NAME", help="Only this figure; may be repeated."
)
@click.option("--list", "only_list", is_flag=True, help="List the figures without running them.")
@click.option(
    "--rows", type=click.IntRange(1), default=40, show_default=True, help="Rows of a printed table."
)
@click.option("--sql", "queries", is_flag=True, help="Print the query of each table, too.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write charts and numbers to instead."
)
@click.option(
    "--format",
    "endings",
    multiple=True,
    type=click.Choice(["svg", "pdf", "png"]),
    help="Format of charts; may be repeated.  [default: svg and png]",
)
@click.option(
    "--columns",
    type=click.IntRange(1, 2),
    help="Draw for a paper: 1 or 2 columns wide, PNG at 300 dpi.  [default: for the screen]",
)
@click.option(
    "--background",
    type=click.Choice(["white", "transparent"]),
    help="Background on paper.  [default: white]",
)
@click.option("--title", is_flag=True, help="On paper, write the title above the chart.")
@click.option(
    "--font", type=click.Choice(["sans", "serif"]), help="Letters on paper.  [default: sans]"
)
@form_options
@store_option
def command(
    corpus: str,
    names: tuple[str, ...],
    only_list: bool,
    rows: int,
    queries: bool,
    out: Path | None,
    endings: tuple[Any, ...],
    columns: Any,
    background: Any,
    title: bool,
    font: Any,
    form: Form,
    store: Path | None,
) -> None:
    """Print the tables of a corpus, with published numbers next to ours and why they differ.

    CORPUS is a name that `commonground info` prints; `all` compares the imported corpora with each
    other.

    With --out, each figure is written to that folder instead: a chart as SVG and PNG, the numbers
    as CSV. Charts need altair and vl-convert, or matplotlib. With PDF or any option for paper,
    charts are drawn for a paper, in the sizes of ACL's style.

    \b
    Example:
      commonground stats photobook
      commonground stats photobook --figure rounds --csv
      commonground stats all --sql
      commonground stats photobook --out figures
      commonground stats photobook --out figures --columns 1 --format pdf --font serif
    """
    from commonground.figures.figure_runs import choose_figures
    from commonground.figures.views import SIMULATED, describe_figure, write_csv
    from commonground.store.opening import open_store

    if out is not None:
        refuse_options(_PRINTING, "prints, and --out writes files")
        paper = _choose_paper(endings, columns, background, title, font)
        _draw(corpus, names, store, out, paper, endings, form)
        return
    refuse_options(_DRAWING, "needs --out")
    chosen = choose_figures(open_store(store), corpus, names)
    if not chosen.figures and form is None:
        click.echo(f"{corpus} has no figures of its own. See: commonground stats all")
        return
    if only_list:
        _print_list(chosen.figures, form)
        return
    if form == "csv" and len(chosen.figures) != 1:
        raise UsageError("CSV holds one table.", "Name a figure: --figure NAME")
    with progress_bar("statistics") as report:
        tables = list(chosen.run(report))
    if form == "csv":
        print_plain(write_csv(tables[0]))
        return
    views = [describe_figure(table) for table in tables]
    if form == "json":
        print_json({"corpus": corpus, "figures": views})
        return
    for view in views:
        _print_view(view, rows, with_query=queries)
    if any(view.simulated for view in views):
        click.echo(SIMULATED)


def _draw(
    corpus: str,
    names: tuple[str, ...],
    store: Path | None,
    out: Path,
    paper: Paper | None,
    endings: tuple[Any, ...],
    form: Form,
) -> None:
    from commonground.figures.drawing.writing import SCREEN, write_figure
    from commonground.figures.figure_runs import choose_figures
    from commonground.files.outputs import refuse_file_name
    from commonground.store.opening import open_store

    refuse_file_name(out)
    chosen = choose_figures(open_store(store), corpus, names)
    written: list[Path] = []
    with progress_bar("figures") as report:
        for table in chosen.run(report):
            written += write_figure(table, out, paper=paper, endings=endings or SCREEN)
    if form == "json":
        drawn = [each.name for each in chosen.figures]
        print_json({"figures": drawn, "files": [str(path) for path in written]})
        return
    figures, files = count_of(len(chosen.figures), "figure"), count_of(len(written), "file")
    click.echo(f"{figures}, {files} in {out}")


def _choose_paper(
    endings: tuple[Any, ...], columns: Any, background: Any, title: bool, font: Any
) -> Paper | None:
    """Returns how charts are printed; None for the screen, which takes no PDF."""
    from commonground.figures.drawing.paper import Paper

    if not (columns or background or title or font or "pdf" in endings):
        return None
    return Paper(
        columns=columns or 1,
        background=background or "white",
        title=title,
        font=font or "sans",
    )


def _print_list(figures: tuple[Figure, ...], form: Form) -> None:
    told = [{"name": f.name, "title": f.title, "caption": f.caption} for f in figures]
    rows = [(each.name, each.title, len(each.published)) for each in figures]
    if not print_data(form, told, ("name", "title", "published"), rows):
        shown = ((name, title, str(count or "")) for name, title, count in rows)
        print_table(("figure", "title", "published"), shown)


def _print_view(view: FigureView, most: int, *, with_query: bool) -> None:
    from commonground.figures.views import show_cell

    print_rich(plain(f"{view.title}  [{view.name}]", "bold"), plain(view.caption))
    if view.query and with_query:
        print_rich(plain(view.query, "dim"))
    heads = [f"{c.title} ({c.unit})" if c.unit else c.title for c in view.columns]
    # Numbers of columns in which some cell is text: these stand left.
    texts = {n for row in view.rows for n, cell in enumerate(row) if isinstance(cell, str)}
    rows = (map(show_cell, view.columns, row) for row in view.rows[:most])
    print_table(heads, rows, [head for n, head in enumerate(heads) if n not in texts])
    if len(view.rows) > most:
        print_rich(f"{most:,} of {len(view.rows):,} rows; see --rows and --json\n")
    if view.comparisons:
        _print_comparisons(view.comparisons)


def _print_comparisons(comparisons: list[Comparison]) -> None:
    """Prints published numbers next to ours; sources and reasons are listed below, once each."""
    rows = []
    notes: dict[str, int] = {}
    for each in comparisons:
        texts = [each.source] + ([each.why] if each.why else [])
        numbers = [notes.setdefault(text, len(notes) + 1) for text in texts]
        name = f"{each.name} ({each.unit})" if each.unit else each.name
        value = f"{each.published:,.10g}"
        ours = "none" if each.ours is None else f"{each.ours:,.10g}"
        sign = "=" if each.agrees else "differs" if each.ours is not None else ""
        see = " ".join(f"[{number}]" for number in numbers)
        rows.append((name, value, ours, sign, see))
    print_table(("published", "value", "ours", "", "see"), rows, right=("value", "ours"))
    for text, number in notes.items():
        print_rich(plain(f"[{number}] {text}"))
    print_rich("")
