"""Queries in SQL that would take too long or too much memory, while the explorer serves."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.thorough import a_few, thorough

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server import querying
from commonground.explorer.server.app import create_app
from commonground.explorer.server.querying import QueryPool
from commonground.store.opening import open_store

STEP = "SELECT length(repeat('x', 1000000000)) FROM range(40)"
"""One step of DuckDB that takes minutes, and is not to be interrupted."""

ENDLESS = "SELECT count(*) FROM range(1000000000000) AS many WHERE many.range % 7 = 3"
"""Many steps of DuckDB, between which it looks whether it is to stop."""

GENEROUS, SHORT = "600", "1"
"""Seconds that no quick query needs, and that no endless one does with."""

MakePool = Callable[..., QueryPool]


@pytest.fixture
def make(corpora: OpenCorpora, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakePool]:
    made: list[QueryPool] = []

    def run(seconds: str = GENEROUS, **options: int) -> QueryPool:
        monkeypatch.setenv("COMMONGROUND_SQL_SECONDS", seconds)
        made.append(QueryPool(corpora.plan(), **{"at_once": 1, **options}))
        return made[-1]

    yield run
    for each in made:
        each.close()


def ask(corpora: OpenCorpora, queries: QueryPool, query: str) -> dict[str, object]:
    client = TestClient(create_app(corpora, queries=queries))
    answer = client.get("/sql.json", params={"q": query})
    page: dict[str, object] = answer.json()
    assert answer.status_code == (400 if page["error"] else 200)
    return page


def process_of(queries: QueryPool) -> int:
    """Returns the number of the process that runs queries, of those that this one started."""
    assert queries._pool is not None
    (number,) = queries._pool._pool_manager.worker_manager.workers
    return number


def wait_for_query(queries: QueryPool) -> None:
    """Waits until the process runs a query; before, another process might run it instead."""
    assert queries._pool is not None
    tasks = queries._pool._pool_manager.task_manager.tasks
    while not any(each.started for each in list(tasks.values())):
        time.sleep(0.01)


def test_one_process_runs_queries_until_it_is_ended(corpora: OpenCorpora, make: MakePool) -> None:
    queries = make()
    client = TestClient(create_app(corpora, queries=queries))
    # Anyone who opens the page asks something soon.
    assert "At most 600 s and 1,000 rows" in client.get("/sql").text
    first = process_of(queries)
    for query in ("SELECT 1", "selec", "SELECT count(*) FROM dialogues"):
        ask(corpora, queries, query)
    assert process_of(queries) == first


def test_pages_are_those_that_are_made_without_a_pool(corpora: OpenCorpora, make: MakePool) -> None:
    alone = TestClient(create_app(corpora))
    apart = TestClient(create_app(corpora, queries=make()))
    query = "SELECT corpus, count(*) AS n FROM dialogues GROUP BY 1 ORDER BY 1"
    for asked in ({"q": query, "chart": "bar"}, {"q": "SELECT nothing FROM dialogues"}, {"q": ""}):
        made, expected = apart.get("/sql", params=asked), alone.get("/sql", params=asked)
        assert made.status_code == expected.status_code
        assert made.text.count("<rect") == expected.text.count("<rect")
        made, expected = apart.get("/sql.json", params=asked), alone.get("/sql.json", params=asked)
        assert {**made.json(), "seconds": 0} == {**expected.json(), "seconds": 0}


@pytest.mark.parametrize("query", a_few([STEP, ENDLESS], [STEP]), ids=["one step", "many steps"])
def test_a_query_ends_with_its_time_and_the_next_is_answered(
    corpora: OpenCorpora, make: MakePool, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(querying, "GRACE_S", 0.2)
    ended = ask(corpora, make(SHORT), query)
    assert ended["error"] == "The query was stopped after 1 s, the limit."
    assert "$COMMONGROUND_SQL_SECONDS" in str(ended["advice"])


def test_a_query_that_is_killed_leaves_the_next_to_another_process(
    corpora: OpenCorpora, make: MakePool
) -> None:
    queries = make()
    ask(corpora, queries, "SELECT 1")
    first = process_of(queries)
    queries._seconds = 1  # DuckDB itself still has all the time
    assert "was stopped" in str(ask(corpora, queries, STEP)["error"])
    queries._seconds = float(GENEROUS)
    assert ask(corpora, queries, "SELECT count(*) FROM dialogues")["rows"] == [[90]]
    assert process_of(queries) != first


def test_a_process_that_is_gone_is_said_to_lack_memory(
    corpora: OpenCorpora, make: MakePool
) -> None:
    queries = make()
    ask(corpora, queries, "SELECT 1")
    first = process_of(queries)
    (process,) = [each for each in multiprocessing.active_children() if each.pid == first]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, corpora, queries, STEP)
        wait_for_query(queries)
        process.kill()  # as the system does when memory is short
        assert "needs more memory than 4 GB" in str(asked.result()["error"])
    assert ask(corpora, queries, "SELECT 1")["rows"] == [[1]]


def test_a_query_need_not_wait_for_one_that_takes_long(
    corpora: OpenCorpora, make: MakePool
) -> None:
    queries = make(at_once=2)
    client = TestClient(create_app(corpora, queries=queries))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.get, "/sql.json", params={"q": STEP})
        assert ask(corpora, queries, "SELECT 1")["rows"] == [[1]]
        assert not asked.done()
        queries.close()
        assert asked.result().json()["error"] == "The server is shutting down."


@thorough
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nobody says what memory it has")
def test_memory_is_limited_beside_what_duckdb_counts(corpora: OpenCorpora, make: MakePool) -> None:
    hungry = "SELECT strlen(repeat('x', 300000000)) AS n"  # a string of 300 MB, which it copies
    queries = make(memory=500_000_000)
    assert "needs more memory than" in str(ask(corpora, queries, hungry)["error"])
    assert ask(corpora, queries, "SELECT 1")["rows"] == [[1]]
    assert ask(corpora, make(), hungry)["rows"] == [[300_000_000]]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nobody says what memory it has")
def test_a_process_that_holds_much_memory_is_replaced(corpora: OpenCorpora, make: MakePool) -> None:
    queries = make(spent=1)
    client = TestClient(create_app(corpora, queries=queries))
    client.get("/sql")
    first = process_of(queries)
    assert ask(corpora, queries, "SELECT 1")["rows"] == [[1]]
    assert queries._pool is None
    assert ask(corpora, queries, "SELECT 2")["rows"] == [[2]]
    client.get("/sql")
    assert process_of(queries) != first


def open_corpora(store: Path) -> OpenCorpora:
    return OpenCorpora(open_store(store))


def test_corpora_that_cannot_be_opened_say_why(
    corpora: OpenCorpora, make: MakePool, tmp_path: Path
) -> None:
    queries = make()
    _, memory = queries._begin_with
    queries._begin_with = (partial(open_corpora, tmp_path / "none"), memory)
    client = TestClient(create_app(corpora, queries=queries))
    answer = client.get("/sql.json", params={"q": "SELECT 1"})
    assert answer.status_code == 500
    assert str(tmp_path / "none") in answer.json()["error"]


def test_nothing_is_started_after_the_end(corpora: OpenCorpora, make: MakePool) -> None:
    queries = make()
    queries.close()
    client = TestClient(create_app(corpora, queries=queries))
    assert client.get("/sql").status_code == 200
    assert "shutting down" in client.get("/sql.json", params={"q": "SELECT 1"}).json()["error"]
    assert queries._pool is None
