"""Ids of dialogues are found by number, and numbers by id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.index import ids as ids_module
from commonground.store.index import open_index
from commonground.store.index.ids import DialogueIds


@pytest.fixture
def open_ids(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> Callable[[], DialogueIds]:
    def run() -> DialogueIds:
        import_toy(write_talks({name: ["hello"] for name in ("c", "a", "é", "b")}))
        return open_index(open_toy()).blocks.ids

    return run


def test_ids_are_a_sequence(open_ids: Callable[[], DialogueIds]) -> None:
    ids = open_ids()
    assert list(ids) == ["c", "a", "é", "b"]
    assert (ids[1], ids[-1], ids[1:3]) == ("a", "b", ["a", "é"])
    assert ids == ["c", "a", "é", "b"] != ids[:3]
    for number in (4, -5):
        with pytest.raises(IndexError):
            ids[number]


@pytest.mark.parametrize("same", [False, True])
def test_numbers_are_found_also_where_sums_are_the_same(
    open_ids: Callable[[], DialogueIds], monkeypatch: pytest.MonkeyPatch, *, same: bool
) -> None:
    if same:
        monkeypatch.setattr(ids_module, "crc32", lambda _: 7)
    ids = open_ids()
    assert [ids.find(each) for each in ("c", "a", "é", "b", "x")] == [0, 1, 2, 3, None]
    assert "é" in ids
    assert "x" not in ids
    assert ids.find_all(["b", "x", "c"]).tolist() == [3, 0]
    assert ids.find_all([]).dtype == np.int64
