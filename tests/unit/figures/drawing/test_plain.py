"""Charts by matplotlib, where vl-convert is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from commonground.errors import UsageError
from commonground.extras import needing
from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.drawing import plain
from commonground.figures.drawing.paper import Paper
from commonground.figures.drawing.plain import can_draw, draw_plain

ROWS = [["first", "a", 1, 2.0, 1.5, 2.5, 9], ["second", "b", 2, 3.0, None, None, 10]]
COLUMNS = (
    FigureColumn("name", "name"),
    FigureColumn("kind", "kind"),
    FigureColumn("round", "round"),
    FigureColumn("words", "words per turn", "", 2),
    FigureColumn("words_low", "from"),
    FigureColumn("words_high", "to"),
    FigureColumn("games", "games"),
)
CHARTS = {
    "lying": Chart(kind="bar", x="name", y=("words", "games")),
    "series": Chart(kind="bar", x="round", y=("words",), color="kind", log=True),
    "line": Chart(kind="line", x="round", y=("words",), color="kind"),
    "histogram": Chart(kind="histogram", x="round", y=("games",), step=1),
    "heatmap": Chart(kind="heatmap", x="name", y=("kind",), color="games"),
}


def make_figure(chart: Chart) -> Figure:
    return Figure(
        name="f", title="Words", caption="Words.", columns=COLUMNS, query="SELECT 1", chart=chart
    )


def block(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    """Hides packages from what asks whether they are installed."""

    def find(name: str) -> Any:
        return None if name in missing else find_spec(name)

    monkeypatch.setattr(plain, "find_spec", find)


@pytest.mark.parametrize("name", CHARTS)
def test_every_kind_of_chart_is_drawn(name: str) -> None:
    pytest.importorskip("matplotlib")
    figure = make_figure(CHARTS[name])
    svg = draw_plain(figure, ROWS, "svg")
    assert svg is not None
    text = svg.decode()
    for y in figure.chart.y:
        assert figure.find_column(y).title in text
    assert ("95\u00a0% interval, n\u00a0=\u00a09 to 10 games" in text) == (
        "words" in figure.chart.y
    )
    assert draw_plain(figure, ROWS, "svg") == svg


def test_a_paper_has_its_width_and_format() -> None:
    pytest.importorskip("matplotlib")
    drawn = draw_plain(make_figure(CHARTS["lying"]), ROWS, "pdf", Paper(columns=2))
    assert drawn is not None
    assert drawn.startswith(b"%PDF")
    assert b"/MediaBox [ 0 0 455 " in drawn


def test_tables_have_no_picture() -> None:
    pytest.importorskip("matplotlib")
    assert draw_plain(make_figure(Chart(kind="none")), ROWS, "svg") is None
    assert draw_plain(make_figure(CHARTS["line"]), [], "svg") is None


def test_matplotlib_draws_only_where_it_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    block(monkeypatch, "vl_convert")
    assert can_draw()
    block(monkeypatch)
    assert not can_draw() or find_spec("vl_convert") is None
    block(monkeypatch, "vl_convert", "matplotlib")
    assert not can_draw()


def test_the_way_to_matplotlib_is_named() -> None:
    missing = ModuleNotFoundError(name="matplotlib")
    with pytest.raises(UsageError) as caught, needing("matplotlib", "Drawing needs matplotlib"):
        raise missing
    assert caught.value.advice == "Install it: pip install 'matplotlib>=3.9'"
