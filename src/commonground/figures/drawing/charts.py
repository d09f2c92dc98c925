"""Charts of figures: Vega-Lite as plain data, and as SVG and PNG.

The description is built here and drawn by ``vl-convert``, which needs neither a browser nor the
net; ``altair.Chart.from_dict`` takes the same description in a notebook.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from itertools import pairwise
from typing import Any, cast

import msgspec

from commonground.extras import MissingExtraError, write_command
from commonground.figure import Chart, Figure, FigureColumn, Row
from commonground.figures.drawing.palette import CORPORA, SPEAKERS, choose_colours

# What XML 1.0 does not allow in any form, halves of surrogate pairs among it.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Emoji and the like, which JavaScript holds as two characters each.
_BEYOND_16_BITS = re.compile("[\U00010000-\U0010ffff]")
_CUT = 36
"""Letters of a label for which its axis has room, about; Vega cuts longer ones."""
_STAND_INS = range(0xE000, 0xF900)
"""Characters that mean nothing by themselves, for private use."""
_LONGEST = 80
"""Characters of a label that are drawn at most. Vega cuts what its axis has no room for, about 30,
but looks for the place by drawing: labels of thousands take it seconds each."""

# The name of the language, for programs that read the description; nothing is fetched.
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_VERSION = "v6.4"
_WIDE, _NARROW, _HIGH, _STEP = 420, 210, 200, 18
_LETTER = 6.0  # width of a letter of a title, about
_FEW, _SHORT = 12, 5  # up to so many points each has its label; words up to this long fit below


def chart_spec(figure: Figure, rows: Sequence[Row], *, linked: Sequence[int] = ()) -> Any:
    """Describes the chart of a figure in Vega-Lite; None where it is a table only.

    Args:
        linked: numbers of the rows whose marks are to carry links.
    """
    chart = figure.chart
    if chart.kind == "none" or not rows:
        return None
    names = [column.name for column in figure.columns]
    values = [dict(zip(names, row, strict=True)) for row in rows]
    for number in linked:
        values[number]["_link"] = mark_link(number)
    panels = [_panel(figure, y, values, bool(linked)) for y in chart.y]
    body = panels[0] if len(panels) == 1 else {"concat": panels, "columns": 3, "spacing": 24}
    return {"$schema": SCHEMA, "config": theme(), "data": {"values": values}, **body}


def _panel(
    figure: Figure, y: str, values: Sequence[dict[str, Any]], linked: bool
) -> dict[str, Any]:
    """Describes the chart of one column."""
    chart = figure.chart
    width = _WIDE if len(chart.y) == 1 else _NARROW
    x_column, y_column = figure.find_column(chart.x), figure.find_column(y)
    across = _axis(x_column, _x_type(chart, values))
    draw = {"bar": _bars, "line": _lines, "histogram": _histogram, "heatmap": _heatmap}
    panel: dict[str, Any] = draw[chart.kind](figure, across, y_column, values)
    panel.setdefault("width", width)
    _wrap_titles(panel)
    if linked:
        panel["encoding"]["href"] = {"field": "_link", "type": "nominal"}
    return panel


def _axis(column: FigureColumn, kind: str) -> dict[str, Any]:
    title = f"{column.title} ({column.unit})" if column.unit else column.title
    return {"field": column.name, "type": kind, "title": title}


def _wrap_titles(panel: dict[str, Any]) -> None:
    """Breaks titles that are longer than their axis, which would run into the next one's."""
    layers = [panel, *panel.get("layer", ())]
    for layer in layers:
        for channel, side in (("x", "width"), ("y", "height")):
            axis = layer.get("encoding", {}).get(channel)
            room = panel.get(side, _HIGH)
            room = room if isinstance(room, int) else _HIGH
            if axis and isinstance(axis.get("title"), str):
                lines = textwrap.wrap(axis["title"], max(12, int(room / _LETTER)))
                axis["title"] = lines if len(lines) > 1 else axis["title"]


def _x_type(chart: Chart, values: Sequence[dict[str, Any]]) -> str:
    found = {value[chart.x] for value in values}
    if any(isinstance(each, str) for each in found):
        return "nominal"
    if chart.kind == "histogram" or (chart.kind == "line" and len(found) > _FEW):
        return "quantitative"
    return "ordinal"


def _upward(figure: Figure, column: FigureColumn, values: Sequence[dict[str, Any]]) -> Any:
    """The axis of the numbers."""
    axis = _axis(column, "quantitative")
    axis["title"] += say_interval(figure, column, values)
    chart = figure.chart
    axis["scale"] = {"zero": chart.zero or chart.kind != "line"}
    if chart.log:
        most = max((value[column.name] or 0 for value in values), default=0)
        # Up to the first power that is no smaller than the largest number.
        powers = [0] + [10**n for n in range(12) if 10 ** (n - 1) < most]
        # In short: 10k and 100k do not run into each other.
        axis["axis"] = {"values": powers, "labelExpr": "format(datum.value, '~s')"}
        # Not "log": a count may be 0, which has no logarithm.
        axis["scale"] = {"type": "symlog"}
    return axis


def say_interval(figure: Figure, column: FigureColumn, values: Sequence[Mapping[str, Any]]) -> str:
    """Says what the bars or the band around a mean are, and of how many dialogues.

    Args:
        column: the mean; without an interval there is nothing to say.
    """
    if not figure.has_interval(column.name):
        return ""
    units = figure.find_units()
    counts = [value[units.name] for value in values if value[units.name]] if units else []
    if units is None or not counts:
        return "; 95\u00a0% interval"
    low, high = min(counts), max(counts)
    number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    # No-break spaces, as titles are broken into lines.
    return f"; 95\u00a0% interval, n\u00a0=\u00a0{number} {units.title}"


def _bars(
    figure: Figure, across: dict[str, Any], column: FigureColumn, values: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    chart = figure.chart
    upward = _upward(figure, column, values)
    labels = [str(value[chart.x]) for value in values]
    # Long names stand beside lying bars, where they can be read without turning the head.
    lies = across["type"] == "nominal" and max(map(len, labels)) > _SHORT
    x, y = ("y", "x") if lies else ("x", "y")
    # Vega-Lite sorts by name unless it is given null.
    across["sort"] = None
    if lies:
        # Browsers may draw letters a quarter wider than those that the room was made for.
        across["axis"] = {"titlePadding": 10 + 1.2 * min(max(map(len, labels)), _CUT)}
    encoding: dict[str, Any] = {x: across, y: upward}
    if chart.color is not None:
        encoding |= _series(figure, values)
        encoding[f"{x}Offset"] = {"field": chart.color, "sort": None}
    panel: dict[str, Any] = {"mark": {"type": "bar", "cornerRadiusEnd": 1}, "encoding": encoding}
    if figure.has_interval(column.name):
        # A value, or the colours of series would be those of the rules on their bars.
        rule = {"mark": "rule", "encoding": {**_ends(column, y, upward), "color": {"value": INK}}}
        # What both layers share stands around them; popped, so that it is not there twice.
        panel = {"layer": [panel, rule], "encoding": {x: encoding.pop(x)}}
        # Both layers stand beside each other alike.
        panel["encoding"] |= {n: encoding.pop(n) for n in encoding.keys() & {"color", f"{x}Offset"}}
    # Bars of several series share a row: thinner, so that the whole stays as high.
    size = {"step": _STEP if chart.color is None or not lies else 11}
    if lies:
        return {**panel, "height": size}
    few = len(set(labels)) <= _FEW
    return {**panel, "height": _HIGH} | ({} if few else {"width": {"step": _STEP}})


def _lines(
    figure: Figure, across: dict[str, Any], column: FigureColumn, values: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    encoding = {"x": across, "y": _upward(figure, column, values)}
    across["sort"] = None
    if figure.chart.color is not None:
        encoding |= _series(figure, values)
        dashes = {"range": [list(each) for each in DASHES]}
        encoding["strokeDash"] = {**encoding["color"], "scale": dashes, "legend": None}
        encoding["shape"] = dict(encoding["color"])
    line: dict[str, Any] = {"mark": {"type": "line", "point": True}}
    if not figure.has_interval(column.name):
        return {**line, "encoding": encoding, "height": _HIGH}
    ends = _ends(column, "y", encoding["y"])
    shared = {name: encoding[name] for name in encoding.keys() & {"x", "color"}}
    rest = {name: each for name, each in encoding.items() if name not in shared}
    if "color" in shared:  # the legend has the colours of the lines, not of the pale bands
        shared["color"]["legend"] |= {"symbolOpacity": 1}
    band = {"mark": {"type": "area", "opacity": 1, "fillOpacity": 0.2}, "encoding": ends}
    return {"layer": [band, {**line, "encoding": rest}], "encoding": shared, "height": _HIGH}


def _ends(column: FigureColumn, channel: str, axis: Mapping[str, Any]) -> dict[str, Any]:
    """Returns where an interval goes from and to.

    Args:
        channel: ``x`` or ``y``: along which the numbers are.
        axis: of the numbers. Layers share it: a title of its own would be written beside it.
    """
    shared = {name: axis[name] for name in ("type", "title", "scale")}
    return {
        channel: {"field": f"{column.name}_low", **shared},
        f"{channel}2": {"field": f"{column.name}_high"},
    }


def _histogram(
    figure: Figure, across: dict[str, Any], column: FigureColumn, values: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Bars from one lower end to the next, without gaps; counts stand above their number."""
    name = figure.chart.x
    ends = sorted({value[name] for value in values})
    width = figure.chart.step or min((b - a for a, b in pairwise(ends)), default=1)
    is_whole = all(isinstance(end, int) for end in ends)
    # A bar of width 1 is about one whole number, and stands over it instead of behind it.
    shift = 0.5 if is_whole and width == 1 else 0
    for value in values:
        value["_from"], value["_to"] = value[name] - shift, value[name] + width - shift
    # "binned": the ends are ours already, and Vega-Lite is to make no bins of its own.
    across |= {"field": "_from", "bin": "binned", "scale": {"zero": False, "nice": False}}
    if is_whole:
        across["axis"] = {"format": "d", "tickMinStep": 1}
    encoding = {"x": across, "x2": {"field": "_to"}, "y": _upward(figure, column, values)}
    mark = {"type": "bar", "binSpacing": 1}
    return {"mark": mark, "encoding": encoding, "height": _HIGH}


def _heatmap(
    figure: Figure, across: dict[str, Any], column: FigureColumn, values: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    across["sort"] = None
    if max(len(str(value[figure.chart.x])) for value in values) > _SHORT:
        across["axis"] = {"labelAngle": -40}
    upward = {**_axis(column, "ordinal"), "sort": None}
    shade = figure.find_column(figure.chart.color or column.name)
    color = {**_axis(shade, "quantitative"), "scale": {"zero": True}}
    encoding = {"x": across, "y": upward, "color": color}
    columns = len({value[figure.chart.x] for value in values})
    width = {"step": 24 if columns <= _FEW else _STEP}
    return {"mark": "rect", "encoding": encoding, "width": width, "height": {"step": _STEP}}


def _series(figure: Figure, values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Colours for the series, in order of their first rows."""
    assert figure.chart.color is not None  # noqa: S101 - asked by the caller
    column = figure.find_column(figure.chart.color)
    order = list(dict.fromkeys(value[column.name] for value in values))
    scale: dict[str, Any] = {"domain": order}
    known = choose_colours(order)
    # Of more corpora than colours two would look alike: then the colours are the usual ones.
    if known is not None and len(set(known)) == len(order):
        scale["range"] = [each.light for each in known]
    color = {**_axis(column, "nominal"), "sort": None, "scale": scale}
    # Browsers may draw letters a quarter wider than those that the places were made for.
    spare = 1.5 * max((len(str(each)) for each in order), default=0)
    return {"color": {**color, "legend": {"orient": "top", "columnPadding": 10 + spare}}}


def render_svg(figure: Figure, rows: Sequence[Row], links: Sequence[str | None] = ()) -> str | None:
    """Draws a figure as SVG; None where it is a table only.

    Args:
        links: a web address for each row, or None; empty for no links.

    Raises:
        UsageError: the drawing library is not installed.
    """
    wanted = {number: link for number, link in enumerate(links) if link is not None}
    spec = chart_spec(figure, list_writable(rows), linked=list(wanted))
    return None if spec is None else finish_svg(draw_spec(spec), figure.title, wanted)


def draw_spec(spec: Any) -> str:
    """Draws what :func:`chart_spec` describes, as the drawing library writes it.

    Vega looks for the place to cut a long label at by drawing every beginning, and the library
    aborts at half an emoji. So each has two other characters in its place, about as wide.

    Raises:
        UsageError: the drawing library is not installed.
    """
    text = msgspec.json.encode(spec).decode()
    free = (chr(code) for code in _STAND_INS if chr(code) not in text)
    filler = next(free, "")
    # Of more different ones than there are characters for private use, the rest has a mark.
    stand_ins = {each: next(free, "") for each in sorted(set(_BEYOND_16_BITS.findall(text)))}
    for each, stand_in in stand_ins.items():
        text = text.replace(each, f"{stand_in}{filler}" if stand_in else "\ufffd")
    svg = cast("str", load_converter().vegalite_to_svg(text, vl_version=_VERSION))
    put_back = {ord(stand_in): each for each, stand_in in stand_ins.items() if stand_in}
    return svg.translate({**put_back, ord(filler): None} if filler else put_back)


def list_writable(rows: Sequence[Row]) -> list[list[Any]]:
    """Returns rows of which the drawing library can draw every character, in little time.

    Long texts are cut, and stay apart: marks of equal texts would lie upon each other.
    """
    written: dict[str, str] = {}
    taken: set[str] = set()

    def write(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        if cell not in written:
            text = make_writable(cell[:_LONGEST])
            short, number = text if len(cell) <= _LONGEST else f"{text}…", 1
            while short in taken:
                number += 1
                short = f"{text}… ({number})"
            taken.add(short)
            written[cell] = short
        return written[cell]

    return [[write(cell) for cell in row] for row in rows]


def make_writable(cell: Any) -> Any:
    """Puts a mark for characters that no SVG may hold: the drawing library aborts at them."""
    return _NOT_IN_XML.sub("\ufffd", cell) if isinstance(cell, str) else cell


def render_png(svg: str) -> bytes:
    """Turns an SVG into PNG, two pixels to a point.

    Raises:
        UsageError: the drawing library is not installed.
    """
    return draw_pixels(svg, scale=2)


def draw_pixels(svg: str, **size: float) -> bytes:
    """Turns an SVG into PNG, with a ground or without.

    The library makes grey of what is half transparent unless something is after it. So it draws
    on white and on black, and what differs between the two says how much shines through.

    Args:
        size: what the library takes: ``scale``, or ``ppi``.

    Raises:
        UsageError: the drawing library is not installed.
    """
    import numpy as np
    from PIL import Image

    converter = load_converter()
    head, _, rest = svg.partition(">")
    drawn = [
        Image.open(
            io.BytesIO(
                converter.svg_to_png(
                    f'{head}><rect width="100%" height="100%" fill="{ground}"/>{rest}', **size
                )
            )
        )
        for ground in ("white", "black")
    ]
    white, black = (np.asarray(each.convert("RGB"), dtype=np.float64) for each in drawn)
    # Where nothing is drawn the grounds are 255 apart, where they are covered not at all; on black,
    # a colour has lost what it does not cover.
    cover = 255 - (white - black).mean(axis=2, keepdims=True)
    colour = np.divide(black * 255, cover, out=np.zeros_like(black), where=cover > 0)
    pixels = np.concatenate([colour, cover], axis=2).round().clip(0, 255).astype(np.uint8)
    out = io.BytesIO()
    # Where it is not known, PIL writes nothing of it.
    Image.fromarray(pixels, "RGBA").save(out, "PNG", dpi=drawn[0].info.get("dpi"))
    return out.getvalue()


def load_converter() -> Any:
    """Returns the drawing library.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module("vl_convert")
    except ModuleNotFoundError as error:
        # Altair alone describes charts, and draws none.
        advice = f"Install either: {write_command('figures')}, or {write_command('matplotlib')}"
        raise MissingExtraError(
            "Drawing needs vl-convert or matplotlib, and neither is installed.", advice
        ) from error


TEXT, LINE, MARK, INK = "#747a81", "#c4c9cf", "#3b78b5", "#1b1e23"
_DARK = {INK: "#f2f4f6", TEXT: "#b8bec6", LINE: "#41474f", MARK: "#5f9bd8"} | dict(
    (*SPEAKERS, *CORPORA)
)
LABEL_STYLE = "svg.figure text{unicode-bidi:plaintext}"
"""CSS by which labels of any script run as they are read."""

SERIES = ("#2f6aa8", "#e0a03c", "#a8629a", "#7db79a", "#8f8f8f", "#d0776a", "#a9c4e4", "#b3b36b")
# A dash with a gap of 0 is a full line.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 6])

# The drawing library measures texts in a font as wide as these, and puts them apart by that.
_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
# Relative links would be joined to an address of the drawing library's own.
_LINK = "https://link.invalid/{}"
_LINK_IN_SVG = re.compile(r' xlink:href="(?:https://link\.invalid/(\d+)|[^"#]*)"')


def theme() -> dict[str, Any]:
    """Returns the ``config`` of a Vega-Lite chart."""
    return {
        "background": "transparent",
        "font": _FONT,
        "view": {"stroke": None, "fill": None},
        "area": {"color": MARK},
        "bar": {"color": MARK},
        "line": {"color": MARK, "strokeWidth": 2},
        "rule": {"strokeWidth": 1.5},
        "point": {"color": MARK, "filled": True, "size": 36},
        "axis": {
            "labelColor": TEXT,
            "titleColor": TEXT,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "gridColor": LINE,
            "gridOpacity": 0.6,
            "domainColor": LINE,
            "tickColor": LINE,
            "labelLimit": 220,
            "labelSeparation": 8,
        },
        "axisX": {"grid": False, "labelAngle": 0},
        "axisY": {"domain": False, "ticks": False, "tickCount": 5, "maxExtent": 260},
        "legend": {"labelColor": TEXT, "titleColor": TEXT, "titleFontWeight": "normal"},
        "title": {"color": TEXT, "fontSize": 12, "fontWeight": "normal", "anchor": "start"},
        "range": {
            "category": list(SERIES),
            # None so dark that a full cell looks empty on a dark page.
            "heatmap": ["#dbe6f2", "#8fb3d9", "#4d86c0", "#235a94"],
        },
    }


def mark_link(number: int) -> str:
    """Returns what stands for the link of a row until :func:`finish_svg` puts it in."""
    return _LINK.format(number)


def finish_svg(svg: str, title: str, links: dict[int, str], *, is_printed: bool = False) -> str:
    """Gives an SVG its name for screen readers, its links, and colours for dark pages.

    Labels run as their own script does, which the chart library leaves to chance.

    Args:
        svg: as the chart library wrote it.
        links: address of each row that has one, by the number given to :func:`mark_link`.
        is_printed: whether it is for paper, which is never dark.
    """

    def put(match: re.Match[str]) -> str:
        if match[1] is None:  # a mark without a link, which would lead to the library's address
            return ""
        target = escape(links[int(match[1])])
        return f' href="{target}" xlink:href="{target}"'

    svg = _LINK_IN_SVG.sub(put, svg)
    name = escape(title)
    head, _, rest = svg.partition(">")
    head = head.replace('class="marks"', f'class="figure" role="img" aria-label="{name}"')
    style = LABEL_STYLE + ("" if is_printed else dark_style())
    return f"{head}><title>{name}</title><style>{style}</style>{rest}"


def dark_style() -> str:
    """Returns the CSS that gives our SVGs other greys on dark pages.

    Each SVG has it; a page that forbids styles within itself can put it in its own style sheet.
    """
    rules = "".join(
        f'svg.figure [{name}="{light}"]{{{name}:{dark}}}'
        for light, dark in _DARK.items()
        for name in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"
