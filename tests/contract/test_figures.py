"""The figures of every corpus run on simulated data, and are drawn."""

from __future__ import annotations

import msgspec
import pytest

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.search.language import parse_query
from commonground.figures.drawing.charts import chart_spec
from commonground.figures.figure_files import find_comparisons, find_figures
from commonground.figures.tables import StoreData
from commonground.figures.views import describe_figure
from tests.contract.conftest import NAMES, Simulated
from tests.thorough import a_few

DRAWN = ("frames", "photobook", "taskmaster1")
"""Corpora whose figures have charts of all kinds; looking through a chart takes long."""

UNITS = frozenset({"dialogues", "games", "threads"})
"""Names of columns that count dialogues."""


def test_every_mean_that_is_drawn_has_an_interval() -> None:
    figures = [*find_comparisons(), *(f for name in NAMES for f in find_figures(name))]
    drawn = [
        (figure, figure.find_column(name))
        for figure in figures
        if figure.chart.kind in ("bar", "line")
        for name in figure.chart.y
    ]
    means = [(figure, column) for figure, column in drawn if column.digits is not None]
    assert means
    for figure, column in means:
        # Shares that sum to the whole, and shares of one total, are counts in percent.
        if column.name != "share":
            assert figure.has_interval(column.name), (figure.name, column.name)
            assert "95 % interval" in figure.caption, figure.name


def test_intervals_hold_what_they_are_of(simulated: Simulated) -> None:
    data = StoreData(simulated.opened, simulated.entry.name)
    for figure in find_figures(simulated.entry.name):
        names = [column.name for column in figure.columns]
        bounded = [name for name in names if figure.has_interval(name)]
        for row in data.run(figure).rows if bounded else ():
            cells = dict(zip(names, row, strict=True))
            for name in bounded:
                low, high = cells[f"{name}_low"], cells[f"{name}_high"]
                assert (low is None) == (high is None)
                assert low is None or low <= cells[name] <= high, (figure.name, name)


def test_figures_run_on_simulated_data(simulated: Simulated) -> None:
    name = simulated.entry.name
    figures = find_figures(name)
    if not figures:
        pytest.skip(f"{name} has no figures")
    data = StoreData(simulated.opened, name)
    tables = [data.run(figure) for figure in figures]
    assert any(table.rows for table in tables)
    for table in tables:
        # Sums and means of SQL must be numbers that JSON knows, or nothing.
        kinds = {type(cell) for row in table.rows for cell in row}
        assert kinds <= {str, int, float, bool, type(None)}, table.figure.name
        assert describe_figure(table).comparisons == []
        taken_for_released = msgspec.structs.replace(table, simulated=False)
        assert len(describe_figure(taken_for_released).comparisons) == len(
            [each for each in table.figure.published if each.corpus in ("", name)]
        )


def test_links_are_queries_of_the_explorer(simulated: Simulated) -> None:
    name = simulated.entry.name
    data = StoreData(simulated.opened, name)
    measures = "SELECT DISTINCT name FROM outcomes WHERE corpus = $corpus"
    known = tuple(row[0] for row in data.rows(measures))
    for figure in find_figures(name):
        if figure.link is not None:
            links = data.run(figure).links()
            assert links
            assert all(link is None or parse_query(link, known) for link in links)


@pytest.mark.parametrize("simulated", a_few(NAMES, DRAWN), indirect=True)
def test_figures_are_drawn(simulated: Simulated) -> None:
    altair = pytest.importorskip("altair")
    name = simulated.entry.name
    data = StoreData(simulated.opened, name)
    for figure in find_figures(name):
        spec = chart_spec(figure, data.run(figure).rows)
        if spec is not None:
            altair.Chart.from_dict(spec)


def test_every_bar_leads_to_its_dialogues(simulated: Simulated) -> None:
    store, name = simulated.opened, simulated.entry.name
    searcher = OpenCorpus(store.corpus(name)).searcher
    data = StoreData(store, name)
    for figure in find_figures(name):
        if figure.link is None and figure.row_dialogues is None:
            assert figure.chart.kind == "none", f"{figure.name} has bars without dialogues"
            continue
        table = data.run(figure)
        for row, link in zip(table.rows, table.links(), strict=True):
            cells = dict(zip([column.name for column in figure.columns], row, strict=True))
            if link is not None:
                found = searcher.search(link).dialogues
                assert found.any(), (figure.name, link)
                counted = cells.get(figure.chart.y[0]) if figure.chart.y else None
                if figure.row_dialogues and figure.chart.y and figure.chart.y[0] in UNITS:
                    assert found.sum() == counted, (figure.name, link)
            else:
                bars = [cells[y] for y in figure.chart.y]
                partial = figure.row_dialogues is not None and figure.row_dialogues.partial
                assert partial or not any(bars) or None in row, (figure.name, row)
