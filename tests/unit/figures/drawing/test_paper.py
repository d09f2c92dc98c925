from __future__ import annotations

import io
import re
from itertools import product
from typing import Any, Literal

import msgspec
import pytest
from PIL import Image
from tests.thorough import one_in
from tests.unit.figures.drawing.test_charts import CHARTS, ROWS, make_figure

from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.drawing.paper import COLUMN_PT, DPI, Paper, convert_svg, print_figure

pytest.importorskip("vl_convert")
INCH_PT = 72


def printed(name: str, **paper: Any) -> str:
    svg = print_figure(make_figure(CHARTS[name]), ROWS, msgspec.convert(paper, Paper), "photobook")
    assert svg is not None
    return svg


@pytest.mark.parametrize(("name", "columns"), one_in(3, product(CHARTS, [1, 2])))
def test_a_chart_is_as_wide_as_its_columns(name: str, columns: int) -> None:
    svg = printed(name, columns=columns)
    assert f'width="{COLUMN_PT[columns]:g}pt"' in convert_svg(svg, "svg").decode()
    # It is drawn at that size: shrunk letters would be smaller than those of other figures.
    drawn = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    assert drawn is not None
    assert float(drawn[1]) == pytest.approx(COLUMN_PT[columns], rel=0.05)


def test_a_png_has_300_dots_an_inch() -> None:
    with Image.open(io.BytesIO(convert_svg(printed("bar", columns=1), "png"))) as image:
        assert image.info["dpi"] == pytest.approx((DPI, DPI), abs=0.1)
        assert image.width == pytest.approx(COLUMN_PT[1] / INCH_PT * DPI, abs=1)


@pytest.mark.parametrize(("background", "alpha"), [("white", 255), ("transparent", 0)])
def test_the_background_is_a_choice(background: str, alpha: int) -> None:
    data = convert_svg(printed("bar", background=background), "png")
    with Image.open(io.BytesIO(data)) as image:
        assert image.convert("RGBA").getpixel((0, 0))[3] == alpha  # type: ignore[index]


def test_a_pdf_has_the_width_and_its_letters() -> None:
    data = convert_svg(printed("line", columns=2), "pdf")
    assert data.startswith(b"%PDF")
    assert b"/MediaBox [0 0 455" in data
    assert b"LiberationSans" in data


def test_titles_and_fonts_are_chosen_and_paper_is_never_dark() -> None:
    with_title = printed("bar", title=True, font="serif")
    assert ">A &amp; B</text>" in with_title
    assert "Times New Roman" in with_title
    assert "prefers-color-scheme" not in with_title
    assert ">A &amp; B</text>" not in printed("bar")


def test_an_interval_has_the_colour_of_its_line() -> None:
    columns = tuple(FigureColumn(name, name) for name in ("a", "b", "b_low", "b_high"))
    chart = Chart(kind="line", x="a", y=("b",))
    figure = Figure(name="f", title="F", caption="F.", columns=columns, query="", chart=chart)
    svg = print_figure(figure, [[1, 2.0, 1.5, 2.5], [2, 3.0, 2.0, 4.0]], Paper(), "photobook")
    assert svg is not None
    (band,) = re.findall(r'<path aria-label="[^>]*fill="([^"]+)" fill-opacity="0.2"', svg)
    (line,) = re.findall(r'<path aria-label="[^>]*stroke="([^"]+)" stroke-width="1.2"', svg)
    assert band == line


@pytest.mark.parametrize("kind", ["bar", "heatmap"])
def test_every_row_and_column_has_its_name(kind: Literal["bar", "heatmap"]) -> None:
    columns = tuple(FigureColumn(name, name) for name in ("a", "b", "n"))
    names = [f"a_long_name_{number}" for number in range(9)]
    chart = Chart(kind=kind, x="a", y=("b",) if kind == "heatmap" else ("n",), color="n")
    chart = chart if kind == "heatmap" else Chart(kind=kind, x="a", y=("n",))
    figure = Figure(name="f", title="F", caption="F.", columns=columns, query="", chart=chart)
    svg = print_figure(figure, [[name, f"row {name[-1]}", 1] for name in names], Paper())
    assert svg is not None
    wanted = [*names, *(f"row {name[-1]}" for name in names if kind == "heatmap")]
    # Names that are left out stay in the drawing, unseen.
    seen = re.findall(r'<text (?![^>]*opacity="0")[^>]*>([^<]*)</text>', svg)
    assert [each for each in wanted if each not in seen] == []


def test_a_table_has_no_chart() -> None:
    assert print_figure(make_figure(Chart(kind="none")), ROWS, Paper()) is None
