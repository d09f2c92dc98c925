from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import commonground as cg
from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.figure import Figure, FigureColumn, PublishedValue
from commonground.figures.access import Plot
from commonground.figures.tables import FigureTable
from commonground.play.simulating import simulate_corpus


@pytest.fixture
def store(
    tmp_path: Path, write_talks: Callable[..., Path], import_toy: Callable[..., object]
) -> Path:
    import_toy(write_talks({"one": ["hello", "<b>bye</b>"], "two": ["hello"]}))
    return tmp_path / "store"


def test_a_figure_comes_with_numbers_and_picture(store: Path) -> None:
    name = cg.list_figures("toy")[0]
    plot = cg.plot("toy", name, store)
    assert repr(plot).startswith(f"{plot.table.figure.title} [{name}]\n")
    frame = plot.to_pandas()
    assert frame.to_numpy().tolist() == plot.rows
    shown = plot._repr_html_()
    assert plot.table.figure.title in shown
    numbers, _, published = shown.partition("</table>")
    assert numbers.count("<tr>") == len(plot.rows) + 1
    compared = plot.table.comparisons()
    assert published.count("<tr>") == len(compared) + bool(compared)


def test_simulated_data_is_shown_without_published_numbers(toy: Entry, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    simulate_corpus(toy, tmp_path / "files", dialogues=4, seed=0)
    cg.import_files("toy", tmp_path / "files", store=tmp_path / "store")
    plot = cg.plot("toy", "lines", tmp_path / "store")
    assert plot.rows
    assert "lines to learn from" not in plot._repr_html_()
    assert "Simulated data, not compared with published numbers." in plot._repr_html_()


def test_published_numbers_stand_beside_ours() -> None:
    figure = Figure(
        name="sizes",
        title="Sizes",
        caption="Dialogues.",
        columns=(FigureColumn("dialogues", "dialogues"),),
        query="SELECT 2 AS dialogues",
        published=(
            PublishedValue(name="all", column="dialogues", value=3, source="p. 1", why="<One>"),
            PublishedValue(name="kept", column="dialogues", value=2, source="p. 2"),
        ),
    )
    shown = Plot(FigureTable(figure, "toy", [[2]]))._repr_html_()
    assert "<td>all</td><td>3 </td><td>2 ≠</td><td>p. 1</td><td>&lt;One&gt;</td>" in shown
    assert "<td>kept</td><td>2 </td><td>2 =</td><td>p. 2</td><td></td>" in shown


def test_comparisons_are_figures_of_all(store: Path) -> None:
    assert cg.list_figures("all")
    assert cg.plot("all", cg.list_figures("all")[0], store).rows[0][0] == "toy"


def test_an_unknown_figure_lists_close_ones(store: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean"):
        cg.plot("toy", cg.list_figures("toy")[0] + "x", store)
