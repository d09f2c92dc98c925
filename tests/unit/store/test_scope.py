"""A corpus asks its own rows, a store asks all: there is one meaning, however each is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import commonground as cg
from commonground.corpora import Entry
from commonground.errors import StoreError
from commonground.play.simulating import simulate_corpus

EVENTS = "SELECT corpus, count(*) AS n FROM events GROUP BY corpus ORDER BY corpus"


@pytest.fixture
def store(toy: Entry, tmp_path: Path, import_toy: Callable[..., object]) -> Path:
    files = tmp_path / "files"
    files.mkdir()
    simulate_corpus(toy, files, dialogues=5, seed=0)  # two events each
    import_toy(files)
    frames = cg.simulate("frames", tmp_path / "frames", dialogues=2)
    cg.import_files("frames", frames, store=tmp_path / "store")
    return tmp_path / "store"


def test_a_corpus_asks_its_own_rows_however_it_was_opened(store: Path) -> None:
    for corpus in (cg.load("toy", store), cg.open_store(store).corpus("toy")):
        assert corpus.rows(EVENTS) == [("toy", 10)]
        assert corpus.sql(EVENTS).to_pylist() == [{"corpus": "toy", "n": 10}]
        assert corpus[:2].rows(EVENTS) == [("toy", 4)]
        assert corpus.select(where="corpus = 'frames'").ids() == []


def test_a_store_asks_all(store: Path) -> None:
    opened = cg.open_store(store)
    counts = opened.rows(EVENTS)
    assert [name for name, _ in counts] == ["frames", "toy"]
    assert [tuple(each.values()) for each in opened.sql(EVENTS).to_pylist()] == counts
    assert [tuple(each.values()) for each in cg.sql(EVENTS, store).to_pylist()] == counts
    assert opened.rows("SELECT ? + 1", [2]) == [(3,)]


def test_another_corpus_that_is_damaged_is_no_matter_to_one_that_is_whole(store: Path) -> None:
    (store / "frames" / "manifest.json").write_text("{")
    opened = cg.open_store(store)
    assert opened.corpus("toy").rows(EVENTS) == [("toy", 10)]
    with pytest.raises(StoreError, match="frames"):
        opened.rows(EVENTS)
