"""A server answers while its indexes are made, and shows all it has once they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.server.app import create_app
from commonground.explorer.server.indexing import IndexMaker, Step
from commonground.store.importing.summary import ImportSummary
from commonground.store.index import has_index
from commonground.store.index.dividing import Progress
from commonground.store.opening import open_store


@pytest.fixture
def unindexed(
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
    write_talks: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> OpenCorpora:
    # For the process that makes the index.
    monkeypatch.setenv("COMMONGROUND_CORPORA", str(Path(__file__).parents[2] / "corpora"))
    import_toy(write_talks({"a": ["the green suitcase"], "b": ["green", "suitcase"]}))
    return OpenCorpora(open_store(tmp_path / "store"))


def test_pages_do_without_an_index_that_is_being_made(unindexed: OpenCorpora) -> None:
    client = TestClient(create_app(unindexed, indexes=IndexMaker(unindexed)))
    listed = client.get("/toy/?q=green")
    assert 'href="/toy/d/b"' in listed.text
    assert "begins as soon as the index is there" in listed.text
    assert listed.headers["cache-control"] == "no-store"
    assert "the green suitcase" in client.get("/toy/d/a").text
    assert client.get("/toy/d/a.json").json()["page"]["dialogue_id"] == "a"
    assert client.get("/toy/d/a/native.json").json()
    assert client.get("/toy/d/none").status_code == 404
    assert 'data-indexing="toy"' in client.get("/").text
    assert client.get("/index.json").json()["corpora"][0]["shape"]["talks"] == []
    assert client.get("/indexing.json").json() == {"toy": {"done": 0, "total": 0}}
    assert not has_index(unindexed.get("toy").corpus)


def test_a_list_as_json_asks_for_patience(unindexed: OpenCorpora) -> None:
    client = TestClient(create_app(unindexed, indexes=IndexMaker(unindexed)))
    refused = client.get("/toy/browse.json")
    assert (refused.status_code, "being made" in refused.text) == (503, True)


def test_the_index_takes_over_once_it_is_there(unindexed: OpenCorpora) -> None:
    told: list[tuple[int, int]] = []

    @contextmanager
    def tell(_opened: OpenCorpus) -> Iterator[Progress]:
        yield lambda done, total: told.append((done, total))

    maker = IndexMaker(unindexed, tell)
    client = TestClient(create_app(unindexed, indexes=maker))
    assert "Indexing 1 of 1: toy" in client.get("/").text
    maker.run()
    assert has_index(unindexed.get("toy").corpus)
    assert told[-1][0] == told[-1][1] > 0
    assert client.get("/indexing.json").json() == {}
    assert "Indexing" not in client.get("/").text + client.get("/toy/").text
    assert 'href="/toy/d/a' in client.get("/toy/?q=green").text


def test_what_was_ended_makes_nothing(unindexed: OpenCorpora) -> None:
    maker = IndexMaker(unindexed)
    maker.close()
    maker.run()
    assert maker.is_at_work("toy")
    assert not has_index(unindexed.get("toy").corpus)


def test_an_index_that_is_there_is_not_made_again(unindexed: OpenCorpora) -> None:
    unindexed.get("toy").open_index()
    assert not IndexMaker(unindexed).steps()


def test_steps_are_told_in_per_cent() -> None:
    assert (Step().percent, Step(1, 3).percent) == (0, 33)
