"""A dataframe is imported like a file of its rows."""

from __future__ import annotations

from pathlib import Path

import pytest

import commonground as cg
from commonground.errors import CommongroundError

pd = pytest.importorskip("pandas")


def test_a_dataframe_is_a_corpus(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "chat": [7, 7, 8],
            "who": ["ann", "ben", "ann"],
            "says": ["hi", "hello", None],
            "time": pd.to_datetime(["2026-01-05 10:00:00.0", "2026-01-05 10:00:02.5", None]),
            "mood": ["glad", None, "sad"],
        },
        index=[5, 5, 5],
    )
    named = {"text": "says", "label": "mood"}
    corpus = cg.from_pandas(frame, columns=named, store=tmp_path)
    assert corpus.rows("select dialogue_id, text, at_s from events") == [
        ("7", "hi", 0.0),
        ("7", "hello", 2.5),
    ]
    assert [(each.layer, each.act) for each in corpus[0].acts] == [("mood", "glad")]
    found = corpus.rows("select source_file, source_path, expected from findings")
    assert found == [("frame.parquet", "row 3", "a text")]


def test_what_is_no_table_of_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommongroundError, match="The columns are: a, 1"):
        cg.from_pandas(pd.DataFrame({"a": [1], 1: [2]}), store=tmp_path)
    mixed = pd.DataFrame({"chat": ["a", "b"], "who": ["x", 3], "text": ["a", {"b": 1}]})
    with pytest.raises(CommongroundError, match="The dataframe cannot be read"):
        cg.from_pandas(mixed, store=tmp_path)
