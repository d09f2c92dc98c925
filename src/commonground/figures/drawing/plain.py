"""Charts drawn with matplotlib, for those who have it and not vl-convert: the same marks, plainer.

Bars lie where their names are long, means have their intervals, and each column that is drawn has
a panel, as in ``charts``; marks carry no links.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from commonground.extras import needing
from commonground.figure import Figure, FigureColumn, Row
from commonground.figures.drawing.charts import INK, MARK, SERIES, say_interval
from commonground.figures.drawing.palette import choose_colours
from commonground.figures.drawing.paper import COLUMN_PT, DPI, FONTS, Paper

_POINTS = 72
_PANEL, _PANELS = (4.2, 3.2), 3  # inches of a panel, panels beside each other
_SHORT = 5  # names up to this long fit below upright bars

_NO_DATES: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}

Cells = Mapping[str, Any]


def can_draw() -> bool:
    """Says whether matplotlib is to draw: it is installed, and vl-convert is not."""
    return find_spec("vl_convert") is None and find_spec("matplotlib") is not None


def draw_plain(
    figure: Figure, rows: Sequence[Row], ending: str, paper: Paper | None = None
) -> bytes | None:
    """Draws a figure with matplotlib; None where it is a table only.

    Args:
        ending: ``svg``, ``png`` or ``pdf``.
        paper: how it is printed; None for the screen.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    chart = figure.chart
    if chart.kind == "none" or not rows:
        return None
    with needing("matplotlib", "Drawing needs matplotlib"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Canvas
    draw = {"bar": _bars, "line": _lines, "histogram": _histogram, "heatmap": _heatmap}
    names = [column.name for column in figure.columns]
    values = [dict(zip(names, row, strict=True)) for row in rows]
    # Texts stay texts in SVG, and files of the same numbers are the same.
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": figure.name}
    if paper is not None:
        first = FONTS[paper.font].split(",")[0].strip("'")
        style |= {"font.size": 8, "font.family": [first, "sans-serif"]}
    with rc_context(style):
        canvas = Canvas(figsize=_choose_size(figure, values, paper), layout="constrained")
        beside = min(len(chart.y), _PANELS if paper is None or paper.columns == 2 else 1)
        lines = -(-len(chart.y) // beside)
        panels = canvas.subplots(lines, beside, squeeze=False).flat
        for panel in list(panels)[len(chart.y) :]:
            panel.set_axis_off()
        for panel, name in zip(canvas.axes, chart.y, strict=False):
            draw[chart.kind](panel, figure, figure.find_column(name), values)
            panel.spines[["top", "right"]].set_visible(False)
        if paper is None or paper.title:
            canvas.suptitle(figure.title)
        sink = io.BytesIO()
        clear = paper is not None and paper.background == "transparent"
        canvas.savefig(sink, format=ending, dpi=DPI if paper else 150, transparent=clear,
                       metadata=_NO_DATES.get(ending, {}))  # fmt: skip
    return sink.getvalue()


def _choose_size(
    figure: Figure, values: Sequence[Cells], paper: Paper | None
) -> tuple[float, float]:
    panels = len(figure.chart.y)
    beside = min(panels, _PANELS if paper is None or paper.columns == 2 else 1)
    lines = -(-panels // beside)
    bars = len(values) if _lies(figure, values) else 0
    high = max(_PANEL[1], 0.2 * bars + 1.2) * lines
    if paper is None:
        return _PANEL[0] * (beside if beside > 1 else 1.6), high
    return COLUMN_PT[paper.columns] / _POINTS, min(high, 2.2 * lines + 0.13 * bars)


def _title(column: FigureColumn) -> str:
    return f"{column.title} ({column.unit})" if column.unit else column.title


def _title_mean(figure: Figure, column: FigureColumn, values: Sequence[Cells]) -> str:
    title, said = _title(column), say_interval(figure, column, values).removeprefix("; ")
    return f"{title}\n({said})" if said else title


def _lies(figure: Figure, values: Sequence[Cells]) -> bool:
    """Says whether bars lie, with their long names beside them."""
    labels = [value[figure.chart.x] for value in values]
    is_text = any(isinstance(each, str) for each in labels)
    is_long = any(len(str(each)) > _SHORT for each in labels)
    return figure.chart.kind == "bar" and is_text and is_long


def _divide(figure: Figure, values: Sequence[Cells]) -> list[tuple[str, str, list[Cells]]]:
    """Returns name, colour and rows of each series; one without a name where nothing divides."""
    by = figure.chart.color
    if by is None:
        return [("", MARK, list(values))]
    order = list(dict.fromkeys(value[by] for value in values))
    known = choose_colours(order)
    colours = [each.light for each in known] if known else list(SERIES)
    return [
        (str(name), colours[n % len(colours)], [value for value in values if value[by] == name])
        for n, name in enumerate(order)
    ]


def _reaches(figure: Figure, column: FigureColumn, rows: Sequence[Cells]) -> Any:
    """Returns how far intervals go below and above; None for no intervals."""
    if not figure.has_interval(column.name):
        return None
    name = column.name

    def reach(row: Cells, low: str, high: str) -> float:
        known = row[low] is not None and row[high] is not None
        return max(0.0, row[high] - row[low]) if known else 0.0

    return [
        [reach(row, f"{name}_low", name) for row in rows],
        [reach(row, name, f"{name}_high") for row in rows],
    ]


def _bars(panel: Any, figure: Figure, column: FigureColumn, values: Sequence[Cells]) -> None:
    chart, lies = figure.chart, _lies(figure, values)
    places = {each: n for n, each in enumerate(dict.fromkeys(v[chart.x] for v in values))}
    series = _divide(figure, values)
    thick = 0.8 / len(series)
    draw = panel.barh if lies else panel.bar
    for n, (label, colour, rows) in enumerate(series):
        along = [places[row[chart.x]] - 0.4 + thick * (n + 0.5) for row in rows]
        sizes = [row[column.name] or 0 for row in rows]
        ends = {"xerr" if lies else "yerr": _reaches(figure, column, rows)}
        draw(along, sizes, thick, color=colour, label=label, ecolor=INK, **ends)
    across, upward = ("y", "x") if lies else ("x", "y")
    panel.set(**{f"{across}ticks": list(places.values()), f"{across}ticklabels": list(places)})
    panel.set(**{f"{upward}label": _title_mean(figure, column, values)})
    panel.set(**{f"{across}label": _title(figure.find_column(chart.x))})
    if lies:
        panel.invert_yaxis()  # the first row stands above
    if chart.log:
        panel.set(**{f"{upward}scale": "symlog"})
    if chart.color is not None:
        _add_legend(panel, figure.find_column(chart.color))


def _add_legend(panel: Any, column: FigureColumn) -> None:
    """Names the series beside the panel, where no mark is."""
    panel.legend(title=column.title, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))


def _lines(panel: Any, figure: Figure, column: FigureColumn, values: Sequence[Cells]) -> None:
    chart = figure.chart
    for label, colour, rows in _divide(figure, values):
        rows = [row for row in rows if row[column.name] is not None]
        along, sizes = [row[chart.x] for row in rows], [row[column.name] for row in rows]
        ends = _reaches(figure, column, rows)
        panel.errorbar(along, sizes, yerr=ends, color=colour, label=label, marker="o", capsize=2)
    panel.set(
        xlabel=_title(figure.find_column(chart.x)), ylabel=_title_mean(figure, column, values)
    )
    if chart.zero:
        panel.set_ylim(bottom=0)
    if chart.log:
        panel.set_yscale("symlog")
    if chart.color is not None:
        _add_legend(panel, figure.find_column(chart.color))


def _histogram(panel: Any, figure: Figure, column: FigureColumn, values: Sequence[Cells]) -> None:
    chart = figure.chart
    rows = [row for row in values if row[chart.x] is not None]
    ends = sorted({row[chart.x] for row in rows})
    width = chart.step or min((b - a for a, b in pairwise(ends)), default=1)
    # A bar of width 1 is about one whole number, and stands over it.
    align = "center" if width == 1 else "edge"
    sizes = [row[column.name] or 0 for row in rows]
    panel.bar([row[chart.x] for row in rows], sizes, width * 0.95, align=align, color=MARK)
    panel.set(xlabel=_title(figure.find_column(chart.x)), ylabel=_title(column))
    if chart.log:
        panel.set_yscale("symlog")


def _heatmap(panel: Any, figure: Figure, column: FigureColumn, values: Sequence[Cells]) -> None:
    chart = figure.chart
    shade = figure.find_column(chart.color or column.name)
    across = {each: n for n, each in enumerate(dict.fromkeys(v[chart.x] for v in values))}
    upward = {each: n for n, each in enumerate(dict.fromkeys(v[column.name] for v in values))}
    cells = [[float("nan")] * len(across) for _ in upward]
    for value in values:
        cells[upward[value[column.name]]][across[value[chart.x]]] = value[shade.name]
    drawn = panel.imshow(cells, cmap="Blues", aspect="auto", vmin=0)
    panel.set_xticks(list(across.values()), [str(each) for each in across], rotation=40, ha="right")
    panel.set_yticks(list(upward.values()), [str(each) for each in upward])
    panel.set(xlabel=_title(figure.find_column(chart.x)), ylabel=_title(column))
    panel.figure.colorbar(drawn, ax=panel, label=_title(shade))
