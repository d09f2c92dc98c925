"""Tables come in pieces of whole dialogues, however they are stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.index.pieces import Ordinals, TablePiece, TableReader, read_ids
from commonground.store.layout.manifest import part_files

TALKS = {"c": ["1", "2", "3"], "a": ["4"], "b": ["5", "6"], "empty": [], "d": ["7", "8", "9", "10"]}
TEXTS = [["1", "2", "3"], ["4"], ["5", "6"], [], ["7", "8", "9", "10"]]


@pytest.fixture
def corpus(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> Corpus:
    import_toy(write_talks(TALKS))
    return open_toy()


def rewrite(corpus: Corpus, name: str, change: Callable[[Any], Any], group: int) -> None:
    """Stores a table anew, changed, so many rows in a group."""
    (file,) = part_files(corpus.store.path, corpus.manifest, name)
    pq.write_table(change(pq.read_table(file, partitioning=None)), file, row_group_size=group)


def pieces_of(corpus: Corpus, name: str, ids: list[str] | None = None) -> list[TablePiece]:
    dialogues, files = (
        part_files(corpus.store.path, corpus.manifest, each) for each in ("dialogues", name)
    )
    wanted = Ordinals(ids or read_ids(dialogues))
    return list(TableReader(files, name, wanted).pieces())


def texts_of(pieces: list[TablePiece]) -> list[list[str]]:
    """Returns what is said in each of the talks, which are in one piece each."""
    found: list[list[str]] = [[] for _ in TALKS]
    for piece in pieces:
        for ordinal in np.unique(piece.ordinals):
            assert not found[ordinal]
            rows = piece.table.filter(pa.array(piece.ordinals == ordinal))
            found[ordinal] = rows["text"].to_pylist()
    return found


@pytest.mark.parametrize("group", [1, 2, 3, 4, 100])
def test_no_dialogue_is_cut_where_a_group_of_rows_ends(corpus: Corpus, group: int) -> None:
    rewrite(corpus, "events", lambda table: table, group)
    pieces = pieces_of(corpus, "events")
    assert texts_of(pieces) == TEXTS
    assert len(pieces) > 1 or group == 100
    assert np.all(np.diff(np.concatenate([each.ordinals for each in pieces])) >= 0)


@pytest.mark.parametrize("group", [3, 100])
def test_a_table_in_another_order_is_sorted(corpus: Corpus, group: int) -> None:
    rewrite(corpus, "events", lambda table: table.take(pa.array(range(9, -1, -1))), group)
    (piece,) = pieces_of(corpus, "events")
    assert texts_of([piece]) == TEXTS
    # Talks c, a, b, empty and d are 0 to 4, with 3, 1, 2, 0 and 4 events.
    assert piece.ordinals.tolist() == [0, 0, 0, 1, 2, 2, 4, 4, 4, 4]


def test_events_in_another_order_within_a_dialogue_are_sorted(corpus: Corpus) -> None:
    order = [1, 0, 2, 3, 5, 4, 6, 9, 8, 7]
    rewrite(corpus, "events", lambda table: table.take(pa.array(order)), 4)
    assert texts_of(pieces_of(corpus, "events")) == TEXTS


@pytest.mark.parametrize("turned", [False, True])
def test_dialogues_that_are_not_wanted_are_left_out(corpus: Corpus, turned: bool) -> None:
    order = range(9, -1, -1) if turned else range(10)
    rewrite(corpus, "events", lambda table: table.take(pa.array(order)), 2)
    pieces = pieces_of(corpus, "events", ["b", "c"])
    texts = [text for each in pieces for text in each.table["text"].to_pylist()]
    if turned:  # b is 0 and c is 1, though c comes first in the file
        assert texts == ["5", "6", "1", "2", "3"]
    assert sorted(texts) == ["1", "2", "3", "5", "6"]


def test_only_the_table_of_dialogues_keeps_their_ids(corpus: Corpus) -> None:
    pieces = pieces_of(corpus, "dialogues")
    ids = [each for piece in pieces for each in piece.table["dialogue_id"].to_pylist()]
    assert ids == list(TALKS)
    schema = TableReader([], "dialogues", Ordinals([])).schema
    assert {each.table.schema for each in pieces} == {schema}
    assert "corpus" not in schema.names
    assert "dialogue_id" not in TableReader([], "events", Ordinals([])).schema.names


def test_dialogues_are_numbered_in_their_order() -> None:
    numbers = Ordinals(["c", "a", "b"])
    assert len(numbers) == 3
    assert numbers.find(["b", "x", "c", "a", "c"]).tolist() == [2, -1, 0, 1, 0]
    assert Ordinals([]).find(["a"]).tolist() == [-1]
