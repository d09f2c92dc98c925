"""Figures as files: chart and numbers, for the screen or for a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from commonground.figures.drawing.charts import render_png
from commonground.figures.drawing.paper import Ending, Paper, convert_svg, print_figure
from commonground.figures.drawing.plain import can_draw, draw_plain
from commonground.figures.tables import FigureTable
from commonground.figures.views import draw_figure, write_csv
from commonground.files.outputs import new_files

SCREEN: tuple[Ending, ...] = ("svg", "png")
"""What is written of a chart unless something else is asked for."""


def write_figure(
    table: FigureTable,
    out: Path,
    *,
    paper: Paper | None = None,
    endings: Sequence[Ending] = SCREEN,
) -> list[Path]:
    """Writes ``NAME.csv`` and, where the figure has a chart, that in each format asked for.

    Args:
        out: folder to write to; made where it is missing, files of these names are replaced.
        paper: how the chart is printed; None for the screen.
        endings: formats of the chart; PDF is for paper only.

    Raises:
        SourceError: a file cannot be written.
        UsageError: the drawing library is not installed.
    """
    contents = {".csv": write_csv(table).encode()}
    if can_draw():
        drawn = {each: draw_plain(table.figure, table.rows, each, paper) for each in endings}
        contents |= {f".{each}": data for each, data in drawn.items() if data is not None}
        return _write(table, out, contents)
    if paper is not None:
        svg = print_figure(table.figure, table.rows, paper, table.corpus)
        draw = convert_svg
    else:
        svg, draw = draw_figure(table), _draw_for_screen
    if svg is not None:
        contents |= {f".{ending}": draw(svg, ending) for ending in endings}
    return _write(table, out, contents)


def _write(table: FigureTable, out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    # All or none: a drawing that fails leaves the files of the run before.
    with new_files(out) as staged:
        for ending, data in contents.items():
            (staged / f"{table.figure.name}{ending}").write_bytes(data)
    return [out / f"{table.figure.name}{ending}" for ending in contents]


def _draw_for_screen(svg: str, ending: Ending) -> bytes:
    return render_png(svg) if ending == "png" else svg.encode()
