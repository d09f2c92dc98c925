"""Figures as files: chart and numbers."""

from __future__ import annotations

from pathlib import Path

from commonground.outputs import new_files
from commonground.stats.charts import render_png
from commonground.stats.tables import FigureTable
from commonground.stats.views import draw_figure, write_csv


def write_figure(table: FigureTable, out: Path) -> list[Path]:
    """Writes ``NAME.csv`` and, where the figure has a chart, ``NAME.svg`` and ``NAME.png``.

    Args:
        table: a figure with its numbers.
        out: folder to write to; made where it is missing, files of these names are replaced.

    Returns:
        The files that were written.

    Raises:
        SourceError: a file cannot be written.
        UsageError: the drawing library is not installed.
    """
    contents = {".csv": write_csv(table).encode()}
    svg = draw_figure(table)
    if svg is not None:
        contents |= {".svg": svg.encode(), ".png": render_png(svg)}
    with new_files(out) as beside:
        for ending, data in contents.items():
            (beside / f"{table.figure.name}{ending}").write_bytes(data)
    return [out / f"{table.figure.name}{ending}" for ending in contents]
