"""Reports as charts: a point for each system, with its interval, beside what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from commonground.bench.evaluation.reporting import KINDS, TaskReport
from commonground.figures.drawing.charts import (
    SCHEMA,
    SERIES,
    draw_spec,
    finish_svg,
    make_writable,
    render_png,
    theme,
)
from commonground.files.outputs import new_files

_WIDE, _STEP, _COLUMNS = 210, 18, 3
_LONGEST = 320  # pixels of a system's name
_SHAPES = dict(zip(KINDS, ("cross", "circle", "diamond", "square", "triangle-up"), strict=True))
_COLORS = dict(zip(KINDS, SERIES[: len(KINDS)], strict=True))


def write_charts(reports: Iterable[TaskReport], out: Path) -> list[Path]:
    """Writes ``TASK.svg`` and ``TASK.png`` for each report.

    Args:
        reports: the reports; one without a number has no chart.
        out: folder to write to; made where it is missing, files of these names are replaced.

    Raises:
        SourceError: a file cannot be written.
        UsageError: the drawing library is not installed.
    """
    contents: dict[str, bytes] = {}
    for report in reports:
        spec = describe_chart(report)
        if spec is not None:
            svg = finish_svg(draw_spec(spec), f"{report.task}: {report.title}", {})
            name = report.task.removeprefix("commonground/").replace("/", "-")
            contents |= {f"{name}.svg": svg.encode(), f"{name}.png": render_png(svg)}
    with new_files(out) as beside:
        for name, data in contents.items():
            (beside / name).write_bytes(data)
    return [out / name for name in contents]


def describe_chart(report: TaskReport) -> dict[str, Any] | None:
    """Describes the chart of a report in Vega-Lite; None where there is no number to draw.

    Each number has a panel of its own, since numbers of different kinds share no axis. Of what
    others published, only that is drawn which stands beside a number of ours.
    """
    values = list(_list_values(report))
    # The last kind are published results.
    ours = {each["number"] for each in values if each["kind"] != KINDS[-1]}
    shown = [each for each in values if each["number"] in ours] if ours else values
    numbers = [name for name in report.names if any(each["number"] == name for each in shown)]
    if not shown:
        return None
    systems = list(dict.fromkeys(each["system"] for each in shown))
    kinds = [kind for kind in KINDS if any(each["kind"] == kind for each in shown)]
    panels = [
        _describe_panel(name, systems, kinds, is_first=place % _COLUMNS == 0)
        for place, name in enumerate(numbers)
    ]
    return {
        "$schema": SCHEMA,
        "config": theme(),
        "data": {"values": shown},
        "title": f"{report.task}: {report.title}",
        "concat": panels,
        "columns": _COLUMNS,
        "spacing": 24,
    }


def _list_values(report: TaskReport) -> Iterator[dict[str, Any]]:
    """Yields what is drawn; a system that has several lines is told apart by its number."""
    seen = Counter[str]()
    for row in report.rows:
        seen[row.system] += 1
        again = f" ({seen[row.system]})" if seen[row.system] > 1 else ""
        for name, number in row.numbers.items():
            if number.value is not None:
                yield {
                    "system": make_writable(f"{row.system}{again}"),
                    "kind": row.kind,
                    "number": name,
                    "value": number.value,
                    "low": number.low,
                    "high": number.high,
                }


def _describe_panel(
    name: str, systems: Sequence[str], kinds: Sequence[str], *, is_first: bool
) -> dict[str, Any]:
    """Describes the panel of one number; the first of a line has the names of systems."""
    labels: dict[str, Any] = {
        "title": None,
        "grid": True,
        "gridDash": [1, 3],
        "labelLimit": _LONGEST,
        "ticks": False,
    }
    # All panels have a line for every system, so that one can be followed across.
    across = {
        "field": "system",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(systems)},
        "axis": labels if is_first else {**labels, "labels": False},
    }
    upward = {"type": "quantitative", "title": name, "scale": {"zero": False, "padding": 8}}
    color = {
        "field": "kind",
        "type": "nominal",
        "title": None,
        # A kind has its colour in every chart, whatever others are there.
        "scale": {"domain": list(kinds), "range": [_COLORS[kind] for kind in kinds]},
        "legend": {"orient": "top"},
    }
    shapes = {"domain": list(kinds), "range": [_SHAPES[kind] for kind in kinds]}
    interval = {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 1},
        "encoding": {"x": {"field": "low", **upward}, "x2": {"field": "high"}, "color": color},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
        "encoding": {
            "x": {"field": "value", **upward},
            "color": color,
            "shape": {**color, "scale": shapes},
        },
    }
    return {
        "transform": [{"filter": {"field": "number", "equal": name}}],
        "encoding": {"y": across},
        "layer": [interval, points],
        "width": _WIDE,
        "height": {"step": _STEP},
    }
