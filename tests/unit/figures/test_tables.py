from __future__ import annotations

import math
from decimal import Decimal

import msgspec
import pytest

from commonground.errors import FormatError, StoreError
from commonground.figure import Chart, Data, Figure, FigureColumn, Row, RowDialogues
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import FigureTable, StoreData
from commonground.store.opening import Store


def make_figure(query: str, *names: str, link: str | None = None) -> Figure:
    columns = tuple(FigureColumn(name, name) for name in names)
    return Figure(name="f", title="F", caption="F.", columns=columns, query=query, link=link)


def test_a_query_sees_its_corpus(store: Store) -> None:
    # Two talks of two lines in each split.
    table = StoreData(store, "toy").run(get_figure("toy", "lines"))
    assert table.rows == [["test", 4], ["train", 4]]


def test_shared_work_is_done_once(store: Store) -> None:
    data, calls = StoreData(store, "toy"), []

    def work(given: Data) -> str:
        calls.append(given)
        return given.corpus

    assert [data.share(work), data.share(work)] == ["toy", "toy"]
    assert len(calls) == 1


def test_a_computed_figure_gives_its_rows(store: Store) -> None:
    # Each talk has `hello N` and `hello`: three words.
    table = StoreData(store, "toy").run(get_figure("toy", "words"))
    assert table.rows == [["toy", 12]]


def test_other_parameters_are_passed_by_name(store: Store) -> None:
    rows = StoreData(store, "toy").rows("SELECT $corpus, $n + 1", {"n": 2, "unused": 3})
    assert rows == [("toy", 3)]


def test_decimals_become_floats(store: Store) -> None:
    rows = StoreData(store).run(make_figure("SELECT 1.5 AS a", "a")).rows
    assert rows == [[1.5]]
    assert not isinstance(rows[0][0], Decimal)


def test_threads_may_add_in_any_order(store: Store) -> None:
    def compute(_data: Data) -> list[Row]:
        return [(0.1 + 0.2 + 0.3,), (0.3 + 0.2 + 0.1,), (math.inf,)]

    query = "SELECT 0.1e0 + 0.2e0 + 0.3e0 AS a UNION ALL SELECT 0.3e0 + 0.2e0 + 0.1e0"
    queried = make_figure(query, "a")
    computed = msgspec.structs.replace(queried, query=None, compute=compute)
    assert StoreData(store).run(queried).rows == [[0.6], [0.6]]
    assert StoreData(store).run(computed).rows == [[0.6], [0.6], [math.inf]]


def test_other_columns_than_declared_are_an_error(store: Store) -> None:
    with pytest.raises(FormatError, match=r"f: columns \['b'\] expected, found \['a'\]"):
        StoreData(store).run(make_figure("SELECT 1 AS a", "b"))


def test_a_row_of_another_length_is_an_error(store: Store) -> None:
    def compute(_data: Data) -> list[Row]:
        return [[1]]

    figure = make_figure("", "a", "b")
    with pytest.raises(FormatError, match="f: 2 cells expected"):
        StoreData(store).run(msgspec.structs.replace(figure, query=None, compute=compute))


def test_a_wrong_query_is_a_store_error(store: Store) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        StoreData(store).run(make_figure("SELECT a FROM nowhere", "a"))


def test_rows_without_dialogues_have_no_link_where_that_may_be(store: Store) -> None:
    row_dialogues = RowDialogues(
        keys=("a",), query="SELECT 1 AS a, 'd' AS dialogue_id", partial=True
    )
    figure = msgspec.structs.replace(
        make_figure("SELECT unnest([1, 2]) AS a", "a"),
        chart=Chart(x="a", y=("a",)),
        row_dialogues=row_dialogues,
    )
    data = StoreData(store)
    assert data.find_row_dialogues(figure) == {"f/1": ["d"]}
    assert data.run(figure).links() == ["figure:f/1", None]
    whole = msgspec.structs.replace(
        figure, row_dialogues=msgspec.structs.replace(row_dialogues, partial=False)
    )
    assert data.run(whole).links() == ["figure:f/1", "figure:f/2"]


def test_links_quote_spaces_and_leave_out_nulls() -> None:
    figure = make_figure("", "a", "b", link="x:{a}")
    cells = ["two words", 3.0, None, 'say "no"', "a,b", "-x", "1/2"]
    table = FigureTable(figure, "toy", [[cell, 1] for cell in cells])
    quoted = ['x:"say "*', 'x:"a,b"', 'x:"-x"']
    assert table.links() == ['x:"two words"', "x:3", None, *quoted, "x:1/2"]
