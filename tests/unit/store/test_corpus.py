from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import commonground as cg
from commonground.corpora import Entry
from commonground.errors import StoreError, UsageError
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary


@pytest.fixture
def corpus(toy: Entry, tmp_path: Path, import_toy: Callable[..., ImportSummary]) -> Corpus:
    files = tmp_path / "files"
    files.mkdir()
    simulate_corpus(toy, files, dialogues=5, seed=0)
    import_toy(files)
    return cg.load("toy", tmp_path / "store")


def test_a_corpus_tells_what_it_has(corpus: Corpus) -> None:
    assert repr(corpus) == "<Corpus toy: 5 dialogues, 10 events>"
    assert len(corpus) == 5
    assert corpus.splits() == {"test": 3, "train": 2}


def test_dialogues_come_by_split_in_order(corpus: Corpus) -> None:
    assert [d.dialogue_id for d in corpus.dialogues(split="test")] == ["t2", "t3", "t4"]
    assert corpus.ids(domain="nowhere") == []


def test_a_dialogue_is_rebuilt_whole(corpus: Corpus) -> None:
    dialogue = corpus.dialogue("t1")
    assert [(e.speaker, e.text) for e in dialogue.events] == [("ann", "hello 1"), ("bob", "hello")]
    assert [(a.event, a.act) for a in dialogue.acts] == [(0, "happy")]


def test_tables_come_as_arrow_pandas_and_polars(corpus: Corpus) -> None:
    assert corpus.table("speakers").num_rows == 10
    assert list(corpus.to_pandas("speakers").columns) == list(corpus.table("speakers").column_names)
    assert corpus.to_polars("events").height == 10
    assert corpus.table("spans").num_rows == 0


def test_unknown_names_list_close_ones(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="Did you mean train"):
        corpus.ids(split="tarin")
    with pytest.raises(UsageError, match="Did you mean t1"):
        corpus.dialogue("t11")
    with pytest.raises(UsageError, match="Did you mean events"):
        corpus.table("evnts")


def test_sql_asks_all_corpora(corpus: Corpus, tmp_path: Path) -> None:
    found = cg.sql("select corpus, count(*) as n from events group by 1", tmp_path / "store")
    assert found.to_pylist() == [{"corpus": "toy", "n": 10}]


def test_no_store_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONGROUND_STORE", str(tmp_path / "none"))
    for ask in (lambda: cg.load("frames"), cg.open_store, lambda: cg.sql("select 1")):
        with pytest.raises(StoreError, match="commonground import"):
            ask()


def test_a_corpus_that_was_not_imported_says_so(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'frames' is not in the store"):
        cg.load("frames", tmp_path / "store")


def test_the_readers_of_the_package_are_listed() -> None:
    assert {"photobook", "simmc", "taskmaster3", "frames", "mpchat"} <= set(cg.list_corpora())


def test_pandas_still_works_where_pyarrow_forwent_it(tmp_path: Path) -> None:
    code = (
        "from commonground.store.arrow import forgo_pandas, pa; forgo_pandas();"
        "import sys; pa.array([1, 2]); pa.array(['x']); print('pandas' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"


def test_a_corpus_is_a_sequence_of_dialogues(corpus: Corpus) -> None:
    assert [each.dialogue_id for each in corpus] == ["t0", "t1", "t2", "t3", "t4"]
    assert [corpus[0].dialogue_id, corpus[-1].dialogue_id, corpus["t2"].dialogue_id] == [
        "t0",
        "t4",
        "t2",
    ]
    assert "t3" in corpus
    assert "t9" not in corpus
    with pytest.raises(IndexError, match="has 5 dialogues, none at 5"):
        corpus[5]
    assert corpus[np.int64(1)].dialogue_id == "t1"
    nonsense: Any = 1.5
    with pytest.raises(TypeError):
        corpus[nonsense]


def test_a_slice_is_a_part_in_which_nothing_else_exists(corpus: Corpus) -> None:
    part = corpus[1:4]
    assert (len(part), part.ids(), part.splits()) == (
        3,
        ["t1", "t2", "t3"],
        {"train": 1, "test": 2},
    )
    assert part.rows("SELECT count(*) FROM events") == [(6,)]
    assert part.table("events").num_rows == 6
    assert len(part.to_pandas()) == 6
    assert [each.dialogue_id for each in part[-1:]] == ["t3"]
    assert part[0].dialogue_id == "t1"


def test_a_part_is_selected_by_split_condition_and_ids(corpus: Corpus) -> None:
    assert corpus.select(split="test").ids() == ["t2", "t3", "t4"]
    assert corpus.select(where="dialogue_id > 't2' AND n_events = 2").ids() == ["t3", "t4"]
    assert corpus.select(split="test").select(ids=["t4", "t2"]).ids() == ["t2", "t4"]
    with pytest.raises(StoreError, match="n_evnts"):
        corpus.select(where="n_evnts = 2")
    with pytest.raises(StoreError, match=r"One query|syntax"):
        corpus.select(where="true); DROP VIEW events; --")
    with pytest.raises(UsageError, match="no dialogue 't11' in toy"):
        corpus.select(ids=["t11"])


def test_events_come_as_rows_with_their_dialogue(corpus: Corpus) -> None:
    rows = list(corpus.iter_utterances())
    assert len(rows) == 10
    assert (rows[2].dialogue_id, rows[2].event, rows[2].text) == ("t1", 0, "hello 1")
    assert [row.dialogue_id for row in corpus[:1].iter_events()] == ["t0", "t0"]
