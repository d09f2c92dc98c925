"""``commonground figures``: writes the charts and numbers of a corpus as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    json_option,
    print_json,
    progress_bar,
    store_option,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.figures.drawing.paper import Paper


@click.command(short_help="Write a corpus's figures as SVG, PNG, PDF and CSV.")
@click.argument("corpus")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--figure", "names", multiple=True, metavar="NAME", help="Only this figure; may be repeated."
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
@store_option
@json_option
def command(
    corpus: str,
    out: Path,
    names: tuple[str, ...],
    endings: tuple[Any, ...],
    columns: Any,
    background: Any,
    title: bool,
    font: Any,
    store: Path | None,
    as_json: bool,
) -> None:
    """Write each figure of a corpus to OUT: a chart as SVG and PNG, the numbers as CSV.

    CORPUS is a name that `commonground list` prints; `all` compares the imported corpora with each
    other. Charts need altair and vl-convert. With PDF or any option for paper, charts are drawn
    for a paper, in the sizes of ACL's style.

    \b
    Example:
      commonground figures photobook figures
      commonground figures photobook figures --columns 1 --format pdf --font serif
    """
    from commonground.figures.drawing.writing import SCREEN, write_figure
    from commonground.figures.figure_runs import choose_figures
    from commonground.files.outputs import refuse_file_name
    from commonground.store.opening import open_store

    refuse_file_name(out)
    chosen = choose_figures(open_store(store), corpus, names)
    paper = _choose_paper(endings, columns, background, title, font)
    written: list[Path] = []
    with progress_bar("figures") as report:
        for table in chosen.run(report):
            written += write_figure(table, out, paper=paper, endings=endings or SCREEN)
    if as_json:
        names = tuple(each.name for each in chosen.figures)
        print_json({"figures": names, "files": [str(path) for path in written]})
        return
    figures, files = count_of(len(chosen.figures), "figure"), count_of(len(written), "file")
    click.echo(f"{figures}, {files} in {out}")


def _choose_paper(
    endings: tuple[Any, ...], columns: Any, background: Any, title: bool, font: Any
) -> Paper | None:
    """Returns how charts are printed; None for the screen.

    Args:
        endings: formats that were asked for; PDF is for paper only.
        columns: columns of the page; None where nothing was asked.
        background: likewise.
        title: whether titles stand above charts.
        font: as with ``columns``.
    """
    from commonground.figures.drawing.paper import Paper

    if not (columns or background or title or font or "pdf" in endings):
        return None
    return Paper(
        columns=columns or 1,
        background=background or "white",
        title=title,
        font=font or "sans",
    )
