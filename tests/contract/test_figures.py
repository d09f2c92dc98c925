"""The figures of every corpus run on simulated data, and are drawn."""

from __future__ import annotations

import pytest

from commonground.site.search_language import parse_query
from commonground.site.searching import Searcher
from commonground.stats.charts import chart_spec
from commonground.stats.discovery import find_figures
from commonground.stats.running import StoreData
from commonground.stats.views import describe_figure
from commonground.store.index import open_index
from commonground.store.opening import open_store
from tests.contract.conftest import Simulated


def test_figures_run_on_simulated_data(simulated: Simulated) -> None:
    name = simulated.entry.name
    figures = find_figures(name)
    if not figures:
        pytest.skip(f"{name} has no figures")
    data = StoreData(open_store(simulated.store), name)
    tables = [data.run(figure) for figure in figures]
    assert any(table.rows for table in tables)
    for table in tables:
        # Sums and means of SQL must be numbers that JSON knows, or nothing.
        kinds = {type(cell) for row in table.rows for cell in row}
        assert kinds <= {str, int, float, bool, type(None)}, table.figure.name
        assert len(describe_figure(table).comparisons) == len(
            [each for each in table.figure.published if each.corpus in ("", name)]
        )


def test_links_are_queries_of_the_explorer(simulated: Simulated) -> None:
    name = simulated.entry.name
    data = StoreData(open_store(simulated.store), name)
    measures = "SELECT DISTINCT name FROM outcomes WHERE corpus = $corpus"
    known = tuple(row[0] for row in data.rows(measures))
    for figure in find_figures(name):
        if figure.link is not None:
            links = data.run(figure).links()
            assert links
            assert all(link is None or parse_query(link, known) for link in links)


def test_figures_are_drawn(simulated: Simulated) -> None:
    altair = pytest.importorskip("altair")
    name = simulated.entry.name
    data = StoreData(open_store(simulated.store), name)
    for figure in find_figures(name):
        spec = chart_spec(figure, data.run(figure).rows)
        if spec is not None:
            altair.Chart.from_dict(spec)


def test_links_find_dialogues(simulated: Simulated) -> None:
    store, name = open_store(simulated.store), simulated.entry.name
    searcher = Searcher(open_index(store.corpus(name)))
    data = StoreData(store, name)
    for figure in find_figures(name):
        if figure.link is not None:
            for link in data.run(figure).links():
                assert link is None or searcher.search(link).dialogues.any(), (figure.name, link)
