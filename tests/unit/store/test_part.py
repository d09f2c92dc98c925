from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.store.corpus import Corpus, CorpusPart
from commonground.store.importing.summary import ImportSummary


@pytest.fixture
def corpus(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> Corpus:
    import_toy(write_talks({name: [name, "hm"] for name in ("d", "b", "a", "c")}))
    return open_toy()


def test_a_part_is_as_if_no_others_had_been_imported(corpus: Corpus) -> None:
    part = CorpusPart(corpus, {"a", "d", "elsewhere"})
    assert part.ids() == ["d", "a"]
    assert (len(part), part.splits()) == (2, {"train": 2})
    assert list(part.dialogues()) == [corpus.dialogue("d"), corpus.dialogue("a")]
    assert part.table("events")["text"].to_pylist() == ["d", "hm", "a", "hm"]
    query = "SELECT count(*) FROM native WHERE corpus = ? AND dialogue_id IS NOT NULL"
    assert part.rows(query, ["toy"]) == [(2,)]
    assert part.native("b") == []


def test_nothing_may_be_kept(corpus: Corpus) -> None:
    assert list(CorpusPart(corpus, ()).dialogues()) == []


def test_the_whole_stays_as_it_was(corpus: Corpus) -> None:
    CorpusPart(corpus, {"a"})
    assert corpus.ids() == ["d", "b", "a", "c"]
