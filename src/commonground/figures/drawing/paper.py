"""Figures for papers: as wide as one or two columns, in print sizes, as SVG, PDF and PNG.

A unit of the drawing is a point, 1/72 inch. The library puts labels and titles outside of the
width that it is given, so a chart is drawn twice: once to see how much room they take.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec

from commonground.figure import Figure, Row
from commonground.figures.drawing.charts import (
    INK,
    LINE,
    chart_spec,
    draw_pixels,
    draw_spec,
    finish_svg,
    list_writable,
    load_converter,
    theme,
)
from commonground.figures.drawing.palette import corpus_colour

Ending = Literal["svg", "pdf", "png"]
ENDINGS: tuple[Ending, ...] = ("svg", "pdf", "png")
DPI = 300
"""Dots of a PNG per inch."""

COLUMN_PT = {1: 219.0, 2: 455.0}
"""Widths of one and of two columns of ACL's style: 7.7 and 16 cm."""

SIZE_PT, TITLE_PT = 8, 9
"""Letters of labels and of titles: captions have 10 there, footnotes 9."""

FONTS = {
    "sans": "'Liberation Sans', Arial, Helvetica, sans-serif",
    "serif": "'Times New Roman', 'Liberation Serif', 'Nimbus Roman', 'TeX Gyre Termes', serif",
}
"""The first comes with the drawing library; of the others, the first that is installed."""

_STEP, _BESIDE = 12, 8  # of bars: alone, and beside others
_NARROWEST, _PARTS = 40, 3
_SLANTED = 13
"""Width of columns from which names have room that slant by 40 degrees; upright ones need less."""

# Of the outermost element, which the library writes first.
_WIDTH = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


class Paper(msgspec.Struct, frozen=True, kw_only=True):
    """How a figure is printed.

    Attributes:
        columns: how many columns of the page it is wide.
        title: whether its title stands above it; papers have captions.
    """

    columns: Literal[1, 2] = 1
    background: Literal["white", "transparent"] = "white"
    title: bool = False
    font: Literal["sans", "serif"] = "sans"


def print_figure(figure: Figure, rows: Sequence[Row], paper: Paper, corpus: str = "") -> str | None:
    """Draws a figure for a paper, as SVG; None where it is a table only.

    Args:
        corpus: whose colour it has; empty for the usual one.

    Raises:
        UsageError: the drawing library is not installed.
    """
    spec = chart_spec(figure, list_writable(rows))
    if spec is None:
        return None
    across = COLUMN_PT[paper.columns]
    _prepare(spec, figure, paper, corpus)
    panels = spec.get("concat", [spec])
    beside = min(len(panels), _PARTS if paper.columns == 2 else 1)
    if "concat" in spec:
        spec |= {"columns": beside, "spacing": 16}
    # Vega-Lite takes the width of the plot, without axes and legend; what these take is only known
    # once it is drawn. So it is drawn twice.
    guess = max(_NARROWEST, 0.7 * across / beside)
    _set_width(panels, guess)
    taken = _measure(draw_spec(spec))[0] - beside * guess
    width = max(_NARROWEST, (across - taken) / beside)
    _set_width(panels, width)
    _keep_names(panels, width / max(1, _count_columns(figure, rows)))
    return _fit(finish_svg(draw_spec(spec), figure.title, {}, is_printed=True), across)


def convert_svg(svg: str, ending: Ending) -> bytes:
    """Turns a printed figure into a file of one of :data:`ENDINGS`.

    Raises:
        UsageError: the drawing library is not installed.
    """
    if ending == "svg":
        # Readers of SVG take plain numbers for pixels, of which 96 are an inch.
        return _WIDTH.sub(r'width="\1pt" height="\2pt"', svg, count=1).encode()
    if ending == "pdf":
        return cast("bytes", load_converter().svg_to_pdf(svg))
    return draw_pixels(svg, ppi=DPI)


def _prepare(spec: dict[str, Any], figure: Figure, paper: Paper, corpus: str) -> None:
    """Gives a chart the letters, lines and colours of print."""
    colour = corpus_colour(corpus)
    spec["config"] = _print_theme(paper, colour.light if colour else None)
    spec["padding"] = 2
    if paper.title:
        # A letter is about half as wide as it is high.
        letters = int(COLUMN_PT[paper.columns] / (TITLE_PT * 0.52))
        spec["title"] = {"text": textwrap.wrap(figure.title, letters), "anchor": "start"}
    for panel in spec.get("concat", [spec]):
        _wrap_legend(panel, COLUMN_PT[paper.columns])
        height = panel.get("height")
        if isinstance(height, dict):
            panel["height"] = {"step": _STEP if height["step"] > _STEP else _BESIDE}
        else:
            panel["height"] = 110 if paper.columns == 1 else 130


def _keep_names(panels: Sequence[dict[str, Any]], step: float) -> None:
    """Names every row, and every slanted column: else every other name would be left out.

    The library leaves out what lies in a box with another, which slanted names do long before they
    touch.

    Args:
        panels: of the chart; rows have room for their names.
        step: width of a column at least.
    """
    for panel in panels:
        for channel in ("x", "y"):
            axis = panel["encoding"].get(channel, {})
            names = axis.get("axis") or {}
            is_row = channel == "y" and axis.get("type") in ("nominal", "ordinal")
            if "labelAngle" in names and SIZE_PT < step < _SLANTED:
                names = names | {"labelAngle": -90}
            if is_row or ("labelAngle" in names and step > SIZE_PT):
                axis["axis"] = names | {"labelOverlap": False}


def _wrap_legend(panel: dict[str, Any], across: float) -> None:
    """Lets a legend have only as many labels beside each other as there is room for."""
    color = panel["encoding"].get("color", {})
    labels = color.get("scale", {}).get("domain", ())
    if labels and color.get("legend"):
        # The mark and its gap, and letters of about half their size in width.
        widest = 22 + SIZE_PT * 0.55 * max(len(str(each)) for each in labels)
        color["legend"]["columns"] = max(1, min(len(labels), int(0.85 * across / widest)))
        del color["legend"]["columnPadding"]  # room for other fonts, and a print has its own


def _print_theme(paper: Paper, mark: str | None) -> dict[str, Any]:
    made = theme()
    letters = {"labelFontSize": SIZE_PT, "titleFontSize": SIZE_PT}
    inks = {"labelColor": INK, "titleColor": INK}
    lines = {"gridColor": LINE, "domainColor": INK, "tickColor": INK}
    room = {"labelLimit": 0.4 * COLUMN_PT[paper.columns], "titlePadding": 4}
    made |= {
        "background": None if paper.background == "transparent" else "white",
        "font": FONTS[paper.font],
        "axis": made["axis"] | letters | inks | lines | room | {"labelOverlap": True},
        "legend": made["legend"] | letters | inks | {"symbolSize": 40, "offset": 4},
        "title": {"color": INK, "fontSize": TITLE_PT, "fontWeight": "bold", "offset": 6},
        "line": made["line"] | {"strokeWidth": 1.2},
        "point": made["point"] | {"size": 16},
        "rule": {"strokeWidth": 1},
    }
    if mark is not None:
        for name in ("area", "bar", "line", "point"):
            made[name] = made[name] | {"color": mark}
    return made


def _count_columns(figure: Figure, rows: Sequence[Row]) -> int:
    place = [each.name for each in figure.columns].index(figure.chart.x)
    return len({row[place] for row in rows})


def _set_width(panels: Sequence[dict[str, Any]], width: float) -> None:
    for panel in panels:
        panel["width"] = width


def _measure(svg: str) -> tuple[float, float]:
    found = _WIDTH.search(svg)
    assert found is not None  # noqa: S101 - the drawing library writes both
    return float(found[1]), float(found[2])


def _fit(svg: str, across: float) -> str:
    """Makes a drawing just as wide as asked for; it is off by a label's breadth at most."""
    width, height = _measure(svg)
    fitted = f'width="{across:g}" height="{height * across / width:.2f}"'
    return _WIDTH.sub(fitted, svg, count=1)
