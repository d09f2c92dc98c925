from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import import_talks

from commonground.errors import StoreError
from commonground.schema import TABLES, VIEWS
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store
from commonground.store.sql.query import Database


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two talks, of two lines and of one, which tests only read."""
    folder = tmp_path_factory.mktemp("query")
    import_talks(folder, {"a": ["hello", "you"], "b": ["hm"]})
    return folder / "store"


@pytest.fixture(scope="module")
def database(store: Path) -> Database:
    return open_store(store).database


def test_the_views_have_the_declared_columns(database: Database) -> None:
    for table in (*TABLES, *VIEWS):
        found = database.select(f"SELECT * FROM {table.name}")
        assert tuple(found.columns) == table.names


def test_no_name_needs_quotes(database: Database) -> None:
    for table in (*TABLES, *VIEWS):
        names = ", ".join(table.names)
        assert database.select(f"SELECT {names} FROM {table.name}").columns == list(table.names)


def test_a_query_gives_rows_and_an_arrow_table(database: Database) -> None:
    query = "select dialogue_id, count(*) as n from events group by 1 order by 1"
    assert database.rows(query) == [("a", 2), ("b", 1)]
    assert database.arrow(query).to_pylist() == [
        {"dialogue_id": "a", "n": 2},
        {"dialogue_id": "b", "n": 1},
    ]


@pytest.mark.parametrize(
    "query",
    [
        "copy events to '{out}'",
        "explain analyze copy events to '{out}'",
        "explain /* x */ analyze copy events to '{out}'",
        "explain (analyze) copy events to '{out}'",
        "explain analyze with kept as (select 1) insert into kept_dialogues select 'x'",
        "explain with kept as (select 1) delete from events",
        "with x as (copy (select 1) to '{out}') select 1",
        "explain analyze with x as (copy (select 1) to '{out}') select 1",
        "select * from (with x as (copy (select 1) to '{out}') select 1)",
        "select 1 where exists (with x as (copy (select 1) to '{out}') select 1)",
        "select 1 union all (with x as (copy (select 1) to '{out}') select 1)",
        "with x as (insert into kept_dialogues values ('a') returning *) select * from x",
        "from query('select 1')",
        "from json_execute_serialized_sql(json_serialize_sql('select 1'))",
        "export database '{out}'",
        "attach '{out}' as other",
        "create table t as select 1",
        "drop view events",
        "insert into events select * from events",
        "set enable_external_access = true",
        "pragma enable_external_access",
        "install httpfs",
        "call pragma_version()",
    ],
)
def test_what_writes_is_refused(database: Database, store: Path, query: str) -> None:
    out = store / "out.csv"
    with pytest.raises(StoreError):
        database.rows(query.format(out=out))
    assert not out.exists()
    assert database.rows("select count(*) from events") == [(3,)]


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_text('{file}')",
        "select * from read_csv('{file}')",
        "select * from read_blob('{file}')",
        "select * from '{file}'",
        "select * from glob('{folder}/*')",
        "select * from sniff_csv('{file}')",
    ],
)
def test_files_outside_the_store_cannot_be_read(
    database: Database, tmp_path: Path, query: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nhush\n", encoding="utf-8")
    with pytest.raises(StoreError):
        database.rows(query.format(file=secret, folder=tmp_path))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "Expected one query, found none"),
        ("select 1; select 2", "Expected one query, found 2"),
        ("selct 1", "syntax error"),
        ("select * from evnts", r'Did you mean "events"\? `commonground'),
        ("select txt from events", "txt"),
        ("delete from events", "read-only: DELETE is not allowed"),
    ],
)
def test_wrong_queries_say_what_is_wrong(database: Database, query: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        database.rows(query)


def test_parameters_go_by_place_or_by_name(database: Database) -> None:
    assert database.rows("SELECT ? + ?", [1, 2]) == [(3,)]
    assert database.rows("SELECT $a || $b || $a", {"a": "x", "b": "y"}) == [("xyx",)]
    with pytest.raises(StoreError, match="c"):
        database.rows("SELECT $a", {"a": 1, "c": 2})


def test_quotes_in_the_folders_name_do_no_harm(
    write_talks: Callable[..., Path], toy: object, tmp_path: Path
) -> None:
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    store = tmp_path / "it's a 'store'"
    import_corpus(get_corpus("toy"), [write_talks({"a": ["x"]})], store=store)
    corpus: Corpus = open_store(store).corpus("toy")
    assert corpus.ids() == ["a"]


def test_times_with_a_zone_are_text(database: Database) -> None:
    moment = "TIMESTAMPTZ '2020-01-02 03:04:05+00'"
    ((plain, listed),) = database.rows(f"SELECT {moment}, [{moment}]")
    assert plain.startswith("2020-01-0")
    assert listed == f"['{plain}']"


def test_long_cells_are_cut_and_say_how_long_they_are(database: Database) -> None:
    query = "SELECT repeat('ab', 50), 'short', [1, 2, 3], 12345678"
    ((long, *others),) = database.select(query, width=9).rows
    assert (long, others) == ("ababababa… (100 characters)", ["short", "[1, 2, 3]", 12345678])


def test_a_function_of_an_extension_is_no_damage(database: Database) -> None:
    with pytest.raises(StoreError, match="without extensions") as caught:
        database.rows("SELECT * FROM sqlite_scan('x', 'y')")
    assert "--integrity" not in (caught.value.advice or "")


@pytest.mark.parametrize(
    "query",
    [
        "from events",
        "values (1)",
        "describe events",
        "summarize events",
        "show tables",
        "with recursive t(n) as (select 1 union all select n + 1 from t where n < 3) from t",
        "select {'type': 'COPY_NODE'}, 'copy x to y'",
        "(select 1) intersect (select 2)",
        "explain select 1",
        "explain analyze with x as (select 1) from x",
    ],
)
def test_what_reads_is_answered(database: Database, query: str) -> None:
    assert database.rows(query) is not None


def test_stores_of_the_same_imports_share_a_database(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    first, second = open_store(tmp_path / "store"), open_store(tmp_path / "store")
    assert second.database is first.database
    assert second.corpus("toy").database is first.database
    import_toy(write_talks({"b": ["hm"]}))
    later = open_store(tmp_path / "store")
    assert later.database is not first.database
    assert (first.corpus("toy").ids(), later.corpus("toy").ids()) == (["a"], ["b"])
    # As a process that was forked has it.
    monkeypatch.setattr("os.getpid", lambda: 0)
    assert open_store(tmp_path / "store").database is not later.database


def test_more_memory_needs_a_database_of_its_own(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    usual = open_store(tmp_path / "store").database
    monkeypatch.setenv("COMMONGROUND_SQL_MEMORY", "100MB")
    assert open_store(tmp_path / "store").database is not usual


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("select count(*) from EVENTS", []),
        ('select count(*) from memory.main."events"', []),
        ("select count(*) from query_table($1)", ["events"]),
        ("select count(*) from utterances", []),
    ],
)
def test_a_table_is_there_however_it_is_named(
    query: str, parameters: list[str], database: Database
) -> None:
    assert database.rows(query, parameters) == [(3,)]


@pytest.mark.parametrize(
    "query",
    [
        "select name from (show tables)",
        "select table_name from information_schema.tables",
        "select view_name from duckdb_views() where not internal",
    ],
)
def test_tables_are_listed_before_any_was_asked_for(query: str, database: Database) -> None:
    assert {row[0] for row in database.rows(query)} == {each.name for each in (*TABLES, *VIEWS)}


def test_a_name_that_is_nearly_a_tables_is_advised_on(database: Database) -> None:
    with pytest.raises(StoreError, match='Did you mean "events"'):
        database.rows("select * from evnts")


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_does_not_lead_out_of_a_store(
    linked: str,
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    (part,) = (tmp_path / "store" / "toy").glob("data-*/events-*.parquet")
    moved = part if linked == "file" else part.parent
    outside = moved.rename(tmp_path / moved.name)
    moved.symlink_to(outside)
    with pytest.raises(StoreError):
        open_store(tmp_path / "store").database.rows("select text from events")
