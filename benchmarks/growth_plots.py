"""Draws what ``growing`` wrote down: time, memory and pages beside the number of dialogues.

Usage: ``python -m benchmarks.growth_plots MEASURES.json OUT.svg``
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.clusters import MOST_MB

Row = dict[str, Any]

_NAMES = {"photobook": "PhotoBook, again and again", "taskmaster2": "small dialogues"}


def draw(measures: dict[str, Row]) -> str:
    """Returns charts beside each other, as SVG.

    Args:
        measures: of each case, as ``growing`` writes them.
    """
    import vl_convert

    panels = [
        _panel(_imports(measures, "import_cpu_s"), "processor time of an import, s", "log"),
        _panel(_imports(measures, "import_mb"), "largest process, MB", "linear", MOST_MB),
        *(
            _panel(_pages(measures, corpus), f"a page, ms: {name}", "log")
            for corpus, name in _NAMES.items()
        ),
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "hconcat": panels,
        "resolve": {"scale": {"color": "independent"}},
        "config": {"font": "Helvetica, Arial, sans-serif", "background": "white"},
    }
    return str(vl_convert.vegalite_to_svg(spec))


def _imports(measures: dict[str, Row], what: str) -> Iterator[Row]:
    for each in measures.values():
        yield _row(each, _NAMES[each["case"]["corpus"]], each.get(what))


def _pages(measures: dict[str, Row], corpus: str) -> Iterator[Row]:
    for each in measures.values():
        if each["case"]["corpus"] == corpus:
            for kind, value in each["pages_ms"].items():
                yield _row(each, kind, value)


def _row(measured: Row, name: str, value: float | None) -> Row:
    return {"dialogues": measured["case"]["dialogues"], "name": name, "value": value}


def _panel(rows: Iterator[Row], title: str, scale: str, bar: float | None = None) -> Row:
    """Returns one chart.

    Args:
        rows: a point each; those without a value were not measured.
        title: what the height of a point says.
        scale: of the heights, as Vega-Lite names it.
        bar: height of a line that points should stay under; None for none.
    """
    points = [row for row in rows if row["value"] is not None]
    line = {
        "data": {"values": points},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {
                "field": "dialogues",
                "type": "quantitative",
                "scale": {"type": "log"},
                "axis": {"format": "~s", "title": "dialogues"},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "scale": {"type": scale},
                "axis": {"title": title, "format": "~s"},
            },
            "color": {
                "field": "name",
                "type": "nominal",
                "legend": {"title": None, "orient": "bottom", "columns": 1, "labelLimit": 230},
            },
        },
    }
    layers: list[Row] = [line]
    if bar is not None:
        rule = {"type": "rule", "strokeDash": [4, 4]}
        encoding = {"y": {"field": "bar", "type": "quantitative"}}
        layers.append({"data": {"values": [{"bar": bar}]}, "mark": rule, "encoding": encoding})
    return {"width": 210, "height": 220, "layer": layers}


def main() -> None:
    source, out = map(Path, sys.argv[1:])
    measures = msgspec.json.decode(source.read_bytes(), type=dict[str, dict[str, Any]])
    out.write_text(draw(measures), encoding="utf-8")


if __name__ == "__main__":
    main()
