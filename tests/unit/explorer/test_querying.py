"""Queries in SQL that would take too long or too much memory, while the explorer serves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from starlette.testclient import TestClient

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server import querying
from commonground.explorer.server.app import create_app, open_querying
from commonground.explorer.web.bounded import BoundedWorkers

STEP = "SELECT length(repeat('x', 1000000000)) FROM range(4)"
"""One step of DuckDB that takes half a minute, and is not to be interrupted."""


@pytest.fixture
def queries(corpora: OpenCorpora, monkeypatch: pytest.MonkeyPatch) -> Iterator[BoundedWorkers]:
    monkeypatch.setenv("COMMONGROUND_SQL_SECONDS", "1")
    monkeypatch.setattr(querying, "GRACE_S", 0.2)
    made = querying.make_querying(partial(open_querying, corpora.plan()))
    yield made
    made.close()


def test_a_query_ends_with_its_time_and_the_next_is_answered(
    corpora: OpenCorpora, queries: BoundedWorkers
) -> None:
    client = TestClient(create_app(corpora, queries=queries))
    # Prepares the process that is to answer.
    assert "At most 1 s and 1,000 rows" in client.get("/sql").text
    answered = client.get("/sql.json", params={"q": "SELECT 1"}).json()
    assert (answered["rows"], answered["limit_seconds"]) == ([[1]], 1.0)
    ended = client.get("/sql", params={"q": STEP})
    assert ended.status_code == 400
    assert "The query was stopped after 1 s, the limit." in ended.text
    # By another process: the one before was killed.
    again = client.get("/sql.json", params={"q": "SELECT count(*) FROM dialogues"})
    assert again.json()["rows"] == [[90]]


def test_a_process_that_is_gone_is_said_to_lack_memory(
    corpora: OpenCorpora, queries: BoundedWorkers
) -> None:
    queries.close()  # as if the system had ended it
    client = TestClient(create_app(corpora, queries=queries))
    answer = client.get("/sql.json", params={"q": "SELECT 1"})
    assert answer.status_code == 400
    assert "needs more memory than 4 GB" in answer.json()["error"]
