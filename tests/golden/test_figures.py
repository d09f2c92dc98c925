"""The numbers in ``docs/figures/`` are those of the real files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scripts.figure_pages import CorpusNumbers, gather_numbers, read_numbers

from commonground.corpora import get_corpus
from commonground.figures.figure_runs import choose_figures
from commonground.figures.views import FigureView
from commonground.store.opening import open_store
from tests.released import import_released
from tests.thorough import thorough

FOLDER = Path(__file__).parents[2] / "docs" / "figures"


@pytest.fixture(scope="module")
def photobook(data: Path, tmp_path_factory: pytest.TempPathFactory) -> CorpusNumbers:
    store = import_released(tmp_path_factory, "photobook")
    chosen = choose_figures(open_store(store), "photobook")
    title = get_corpus("photobook").manifest.title
    return gather_numbers("photobook", title, 2502, chosen.run())


@thorough
def test_the_committed_numbers_are_those_of_the_released_games(photobook: CorpusNumbers) -> None:
    written = read_numbers(FOLDER / "photobook.json")
    for mine, theirs in zip(photobook.figures, written.figures, strict=True):
        assert mine.name == theirs.name
        assert list_words(mine) == list_words(theirs)
        assert list_numbers(mine) == pytest.approx(list_numbers(theirs), rel=1e-9, nan_ok=True)


def list_words(figure: FigureView) -> list[str]:
    return [cell for row in figure.rows for cell in row if isinstance(cell, str)]


def list_numbers(figure: FigureView) -> list[float]:
    """All numbers of a figure, row by row; what is not known is not a number."""
    cells = [cell for row in figure.rows for cell in row if not isinstance(cell, str)]
    return [math.nan if cell is None else cell for cell in cells]


@thorough
def test_every_difference_has_a_reason(photobook: CorpusNumbers) -> None:
    for view in photobook.figures:
        for each in view.comparisons:
            assert each.agrees or each.why, each.name
