"""What pages counted is remembered, within bounds."""

from __future__ import annotations

import numpy as np
import pytest

from commonground.explorer import corpora as corpora_module
from commonground.explorer.corpora import OpenCorpora, OpenCorpus


@pytest.fixture
def opened(corpora: OpenCorpora) -> OpenCorpus:
    """A corpus of which nothing is remembered yet."""
    known = corpora.get("photobook")
    return OpenCorpus(known.corpus)


def is_kept(opened: OpenCorpus, key: str) -> bool:
    made: list[str] = []
    opened.remember(key, lambda: made.append(key))
    return not made


def test_answers_are_let_go_before_they_fill_the_memory(
    opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora_module, "REMEMBERED_BYTES", 2_500)
    for name in ("first", "second", "third"):
        opened.remember(name, lambda: np.zeros(1_000, dtype=np.uint8))
    assert is_kept(opened, "third")
    assert is_kept(opened, "second")
    assert not is_kept(opened, "first")


def test_one_large_answer_is_kept(opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora_module, "REMEMBERED_BYTES", 10)
    opened.remember("small", lambda: 1)
    opened.select("the")
    assert opened.select("the") is opened.select("the")
    assert not is_kept(opened, "small")
