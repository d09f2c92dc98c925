from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from typing import Any

import msgspec
import pytest
from PIL import Image

from commonground.errors import UsageError
from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.drawing import charts
from commonground.figures.drawing.charts import chart_spec, list_writable, render_png, render_svg
from commonground.figures.drawing.palette import SPEAKERS

ROWS = [["first", 1, 2.0], ["second", 2, 30.0], ["third & last", 3, 1.5]]
CHARTS = {
    "bar": Chart(x="name", y=("b",)),
    "log": Chart(x="a", y=("b",), log=True),
    "series": Chart(x="a", y=("b",), color="name"),
    "line": Chart(kind="line", x="a", y=("b",), color="name", zero=False),
    "panels": Chart(kind="line", x="a", y=("a", "b")),
    "histogram": Chart(kind="histogram", x="a", y=("b",)),
    "heatmap": Chart(kind="heatmap", x="a", y=("name",), color="b"),
}


def make_figure(chart: Chart) -> Figure:
    columns = (FigureColumn("name", "name"), FigureColumn("a", "a"), FigureColumn("b", "b", "s"))
    return Figure(name="f", title="A & B", caption="F.", columns=columns, query="", chart=chart)


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_what_altair_takes(name: str) -> None:
    altair = pytest.importorskip("altair")
    chart = altair.Chart.from_dict(chart_spec(make_figure(CHARTS[name]), ROWS))
    assert chart.to_dict()["$schema"].endswith("v6.json")


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_becomes_svg_with_a_name_and_no_ground(name: str) -> None:
    pytest.importorskip("vl_convert")
    svg = render_svg(make_figure(CHARTS[name]), ROWS)
    assert svg is not None
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert (root.get("role"), root.get("aria-label")) == ("img", "A & B")
    assert 'fill="white"' not in svg
    assert "prefers-color-scheme:dark" in svg


def test_marks_link_to_what_is_behind_them_and_nowhere_else() -> None:
    pytest.importorskip("vl_convert")
    links = ['/toy?q=name:"first"&x=<1>', None, "/toy?q=3"]
    svg = render_svg(make_figure(CHARTS["bar"]), ROWS, links)
    assert svg is not None
    marks = ET.fromstring(svg).iter()  # noqa: S314 - our own
    hrefs = [href for each in marks if (href := each.get("href"))]
    assert sorted(hrefs) == sorted(link for link in links if link)
    assert not re.search(r'href="https?:', svg)


def test_bars_with_long_names_lie() -> None:
    encoding = chart_spec(make_figure(CHARTS["bar"]), ROWS)["encoding"]
    assert encoding["y"]["field"] == "name"
    assert encoding["x"]["title"] == "b (s)"
    assert encoding["y"]["sort"] is None


def test_whole_numbers_stand_in_the_middle_of_their_bar() -> None:
    values: list[dict[str, Any]] = chart_spec(make_figure(CHARTS["histogram"]), ROWS)["data"][
        "values"
    ]
    assert [(each["_from"], each["_to"]) for each in values] == [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]


def test_a_declared_step_is_the_width_of_a_bin() -> None:
    # Without it the bin would reach to the next row, from 0 to 3.
    rows = [["first", 0, 2.0], ["second", 3, 30.0]]
    figure = make_figure(Chart(kind="histogram", x="a", y=("b",), step=1))
    values = chart_spec(figure, rows)["data"]["values"]
    assert [(each["_from"], each["_to"]) for each in values] == [(-0.5, 0.5), (2.5, 3.5)]


def test_no_rows_or_no_chart_give_no_picture() -> None:
    assert render_svg(make_figure(CHARTS["bar"]), []) is None
    assert render_svg(make_figure(Chart(kind="none")), ROWS) is None


def test_png_is_made_from_svg() -> None:
    pytest.importorskip("vl_convert")
    svg = render_svg(make_figure(CHARTS["line"]), ROWS)
    assert svg is not None
    assert render_png(svg).startswith(b"\x89PNG")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise ModuleNotFoundError(name="vl_convert")

    monkeypatch.setattr(charts, "import_module", missing)
    with pytest.raises(UsageError, match="vl-convert") as caught:
        render_svg(make_figure(CHARTS["bar"]), ROWS)
    # Altair alone draws nothing: both of the ways are named.
    assert caught.value.advice == (
        "Install either: pip install 'altair>=5.5' 'vl-convert-python>=1.8', "
        "or pip install 'matplotlib>=3.9'"
    )


@pytest.mark.parametrize("name", ["bar", "line", "heatmap", "series"])
def test_labels_that_are_cut_between_halves_of_a_character_cost_no_chart(name: str) -> None:
    pytest.importorskip("vl_convert")
    rows = [["😀" * length, length, 2.0] for length in (1, 7, 8, 9, 60)]
    svg = render_svg(make_figure(CHARTS[name]), [*rows, ["plain", 3, 1.0]])
    assert svg is not None
    assert "plain" in svg


def test_intervals_are_bands_between_their_ends_in_the_colour_of_the_line() -> None:
    pytest.importorskip("vl_convert")
    columns = tuple(FigureColumn(name, name) for name in ("name", "a", "b", "b_low", "b_high"))
    chart = Chart(kind="line", x="a", y=("b",), color="name")
    figure = Figure(name="f", title="F", caption="F.", columns=columns, query="", chart=chart)
    rows = [["one", 1, 2.0, 1.5, 2.5], ["one", 2, 3.0, None, None], ["other", 1, 5.0, 4.0, 6.0]]
    (panel,) = [chart_spec(figure, rows)]
    band, line = panel["layer"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("b_low", "b_high")
    assert line["encoding"]["y"]["field"] == "b"
    svg = render_svg(figure, rows)
    assert svg is not None
    assert svg.count('aria-roledescription="area mark"') == 2


@pytest.mark.parametrize("label", ["one", "a label that needs room"])
def test_intervals_of_bars_are_rules_along_the_numbers(label: str) -> None:
    pytest.importorskip("vl_convert")
    columns = tuple(FigureColumn(name, name) for name in ("name", "b", "b_low", "b_high"))
    chart = Chart(x="name", y=("b",))
    figure = Figure(name="f", title="F", caption="F.", columns=columns, query="", chart=chart)
    rows = [[label, 2.0, 1.5, 2.5], ["other", 3.0, None, None]]
    spec = chart_spec(figure, rows)
    bar, rule = spec["layer"]
    along = "y" if label == "one" else "x"
    assert bar["encoding"][along]["field"] == "b"
    ends = rule["encoding"][along]["field"], rule["encoding"][f"{along}2"]["field"]
    assert ends == ("b_low", "b_high")
    svg = render_svg(figure, rows)
    assert svg is not None
    # Where there is no interval, no rule is drawn.
    assert svg.count('aria-roledescription="rule mark"') == 1


def test_speakers_and_corpora_have_their_own_colours() -> None:
    rows = [["assistant", 1, 2.0], ["user", 1, 3.0]]
    color = chart_spec(make_figure(CHARTS["series"]), rows)["encoding"]["color"]
    assert color["scale"] == {
        "domain": ["assistant", "user"],
        "range": [SPEAKERS[1].light, SPEAKERS[0].light],
    }
    assert (
        "range" not in chart_spec(make_figure(CHARTS["series"]), ROWS)["encoding"]["color"]["scale"]
    )


def test_long_titles_of_axes_are_broken() -> None:
    figure = make_figure(Chart(kind="line", x="a", y=("a", "b")))
    long = msgspec.structs.replace(figure.columns[2], title="a number of some" + " things" * 9)
    figure = msgspec.structs.replace(figure, columns=(*figure.columns[:2], long))
    title = chart_spec(figure, ROWS)["concat"][1]["encoding"]["y"]["title"]
    assert isinstance(title, list)
    assert " ".join(title) == f"{long.title} (s)"


def test_what_is_half_transparent_keeps_its_colour_in_png() -> None:
    pytest.importorskip("vl_convert")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">'
        '<rect width="4" height="2" fill="#2f6aa8" fill-opacity="0.2"/></svg>'
    )
    with Image.open(io.BytesIO(render_png(svg))) as picture:
        pale, empty = picture.getpixel((4, 2)), picture.getpixel((4, 6))
    assert isinstance(pale, tuple)
    # A fifth of a colour in steps of 255 is known to about five of them.
    assert pale == pytest.approx((0x2F, 0x6A, 0xA8, 51), abs=5)
    assert empty == (0, 0, 0, 0)


def test_long_labels_are_cut_and_stay_apart() -> None:
    same = "w" * 5_000
    rows = list_writable([[f"{same}a", 1], [f"{same}b", 2], [f"{same}a", 3], ["short", 4]])
    first, second, third, short = (row[0] for row in rows)
    assert first == third == "w" * 80 + "…"
    assert second == "w" * 80 + "… (2)"
    assert short == "short"


def test_emoji_are_drawn_and_cut_between_two() -> None:
    pytest.importorskip("vl_convert")
    names = ["\U0001f986" * 60, "ducks \U0001f986\U0001f986, \U0001d49c", "\ue000 private"]
    svg = render_svg(make_figure(CHARTS["bar"]), [[name, 1, 2.0] for name in names])
    assert svg is not None
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {names[1], names[2]} < set(labels)
    cut = next(each for each in labels if each.endswith("…"))
    # About 15 of 14 px have room in 220.
    assert re.fullmatch("\U0001f986{10,16}…", cut)
    assert "\ufffd" not in svg
