from __future__ import annotations

from pathlib import Path

import pytest

from commonground.errors import SourceError
from commonground.figure import FigureColumn
from commonground.figures.drawing.writing import write_figure
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import FigureTable, StoreData
from commonground.figures.views import describe_figure, draw_figure, show_cell, write_csv
from commonground.store.opening import Store


@pytest.fixture
def table(store: Store) -> FigureTable:
    return StoreData(store, "toy").run(get_figure("toy", "lines"))


def test_a_view_holds_all_that_a_page_needs(table: FigureTable) -> None:
    view = describe_figure(table)
    assert view.rows == [["test", 4], ["train", 4]]
    assert view.links == ["split:test", "split:train"]
    assert view.query is not None
    assert view.query.startswith("SELECT split")
    assert [(each.published, each.ours, each.agrees) for each in view.comparisons] == [
        (9, 4, False)
    ]


def test_a_picture_links_through_the_given_addresses(table: FigureTable) -> None:
    pytest.importorskip("vl_convert")
    svg = draw_figure(table, lambda query: f"/toy?q={query}")
    assert svg is not None
    assert 'href="/toy?q=split:train"' in svg
    assert "href=" not in (draw_figure(table) or "")


def test_the_numbers_are_csv(table: FigureTable) -> None:
    assert write_csv(table) == "split,lines\ntest,4\ntrain,4\n"


@pytest.mark.parametrize(
    ("cell", "digits", "text"),
    [
        (None, None, ""),
        ("a", 2, "a"),
        (1234, None, "1,234"),
        (1234, 1, "1,234.0"),
        (0.12345678, None, "0.123457"),
        (True, None, "True"),
    ],
)
def test_cells_are_shown_for_people(cell: object, digits: int | None, text: str) -> None:
    assert show_cell(FigureColumn("a", "a", "", digits), cell) == text


def test_a_figure_is_written_as_chart_and_numbers(table: FigureTable, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    files = write_figure(table, tmp_path / "new" / "out")
    assert [path.name for path in files] == ["lines.csv", "lines.svg", "lines.png"]
    assert files[0].read_text() == write_csv(table)


def test_a_folder_that_cannot_be_is_an_error(table: FigureTable, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "out").write_text("a file")
    with pytest.raises(SourceError, match="out cannot be written"):
        write_figure(table, tmp_path / "out")
