"""A query of a user that takes too much is stopped, with the limit and the way to change it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from commonground.errors import StoreError, UsageError
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import Store, open_store
from commonground.store.sql.limits import LimitError, Limits, stop_in_time
from commonground.store.sql.query import Database

ENDLESS = "select count(*) from range(100000000) a, range(100000000) b where a.range + b.range = 7"
LARGE = "select a.range as n from range(100000000) a, range(100000000) b"
HUNGRY = "select count(distinct hash(range)::varchar) from range(10000000)"


@pytest.fixture
def store(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary], tmp_path: Path
) -> Store:
    import_toy(write_talks({"a": ["hello", "you"], "b": ["hm"]}))
    return open_store(tmp_path / "store")


def test_time_ends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONGROUND_SQL_SECONDS", "0.3")
    for ask in (store.sql, store.corpus("toy").rows):
        with pytest.raises(StoreError, match=r"stopped after 0\.3 s.*COMMONGROUND_SQL_SECONDS"):
            ask(ENDLESS)
    assert store.sql("select 1 as one").to_pylist() == [{"one": 1}]


def test_rows_end_before_they_are_all_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONGROUND_SQL_ROWS", "10")
    for ask in (store.sql, store.corpus("toy").rows):
        with pytest.raises(StoreError, match=r"more than 10 rows.*COMMONGROUND_SQL_ROWS"):
            ask(LARGE)
    assert store.sql("select * from range(10)").num_rows == 10
    monkeypatch.setenv("COMMONGROUND_SQL_ROWS", "0")
    assert store.sql("select * from range(2000000)").num_rows == 2_000_000


def test_a_million_rows_is_the_default(store: Store) -> None:
    with pytest.raises(StoreError, match="more than 1,000,000 rows"):
        store.sql("select * from range(1000001)")


def test_a_cut_result_says_so(store: Store) -> None:
    found = store.database.select("from range(9)", limits=Limits(rows=3), cut=True)
    assert (found.rows, found.is_cut) == ([(0,), (1,), (2,)], True)
    assert not store.database.select("from range(3)", limits=Limits(rows=3), cut=True).is_cut


def test_memory_ends_and_nothing_is_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    database = Database(store.path, store.manifests, memory="100MB")
    with pytest.raises(StoreError, match=r"more memory than 95\.3 MiB.*COMMONGROUND_SQL_MEMORY"):
        database.select(HUNGRY)
    assert sorted(tmp_path.iterdir()) == before


def test_memory_may_end_before_a_query_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise duckdb.OutOfMemoryException("Allocation failure")

    database = Database(store.path, store.manifests, memory="100MB")
    cursor = database._cursor()
    hungry = SimpleNamespace(
        extract_statements=cursor.extract_statements,
        sql=refuse,
        execute=cursor.execute,
        cursor=cursor.cursor,
    )
    monkeypatch.setattr(database, "_cursor", lambda: hungry)
    with pytest.raises(LimitError, match=r"more memory than 95\.3 MiB"):
        # What is constant is worked out while the query is prepared.
        database.run("select repeat('x', 1000000000)")


def test_what_we_ask_ourselves_has_no_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONGROUND_SQL_ROWS", "1")
    assert len(store.database.rows("select * from events")) == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("SECONDS", "soon"), ("SECONDS", "-1"), ("ROWS", "nan"), ("MEMORY", "4"), ("MEMORY", "-1GB")],
)
def test_a_limit_that_is_none_is_told(
    store: Store, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"COMMONGROUND_SQL_{name}", value)
    with pytest.raises(UsageError, match=rf"'{value}'|{value!r}"):
        store.sql("select 1")


def test_columns_of_one_name_keep_it(store: Store) -> None:
    assert store.sql("select 1 as n, 2 as n").column_names == ["n", "n"]


def test_no_thread_outlives_its_query() -> None:
    """One that has the connection when Python ends makes DuckDB's binding complain."""
    with duckdb.connect(":memory:") as connection:
        before = threading.active_count()
        with stop_in_time(connection, Limits(seconds=60)):
            assert threading.active_count() == before + 1
        assert threading.active_count() == before
