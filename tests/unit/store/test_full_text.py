"""Words are cut and found as ``fold_words`` cuts one text, however odd."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.store.index.full_text import (
    FullText,
    FullTextWriter,
    Words,
    fold_words,
    join_texts,
)
from commonground.store.index.postings import Postings, PostingsWriter, write_event_dialogues

ODD = [
    "Straße, CAFÉ and naïve",
    "a_b don't 10,000",
    "ℍ is a letter; \x00\x01\x1f are none",
    "日本語 text",
    "",
    "...",
    "one one one",
    "\N{LATIN SMALL LETTER Y WITH DIAERESIS} \xa0 end",
]


def write(folder: Path, texts: list[str]) -> None:
    folder.mkdir()
    writer = FullTextWriter(folder)
    numbers = np.arange(len(texts))
    # In two pieces, as tables come.
    half = len(texts) // 2
    writer.add(numbers[:half], numbers[:half], texts[:half])
    writer.add(numbers[half:], numbers[half:], texts[half:])
    writer.close()


def open_texts(folder: Path, part_starts: list[int]) -> FullText:
    """Opens texts, each of which is the only event of a dialogue."""
    PostingsWriter(folder).close(np.arange(part_starts[-1] + 1))
    write_event_dialogues(folder)
    return FullText(folder, Postings(folder), np.array(part_starts))


def check(found: FullText, texts: list[str]) -> None:
    cut = [fold_words(text) for text in texts]
    for words in {word for text in cut for word in text}:
        expected = [number for number, text in enumerate(cut) if words in text]
        assert found.events(Words((words,))).tolist() == expected
        assert found.dialogues(Words((words,))).tolist() == expected
        expected = [n for n, text in enumerate(cut) if any(w.startswith(words) for w in text)]
        assert found.dialogues(Words((words,), prefix=True)).tolist() == expected
    for text in cut:
        if len(text) > 1:
            pair = (text[0], text[1])
            expected = [n for n, each in enumerate(cut) if pair in pairwise(each)]
            assert found.events(Words(pair)).tolist() == expected


def test_odd_texts_are_cut_as_one_is(tmp_path: Path) -> None:
    write(tmp_path / "text", ODD)
    check(open_texts(tmp_path / "text", [0, len(ODD)]), ODD)


def test_parts_are_searched_one_after_the_other(tmp_path: Path) -> None:
    write(tmp_path / "a", ODD[:3])
    write(tmp_path / "b", [])
    write(tmp_path / "c", ODD[3:])
    (tmp_path / "text").mkdir()
    join_texts([tmp_path / name for name in "abc"], tmp_path / "text")
    check(open_texts(tmp_path / "text", [0, 3, 3, len(ODD)]), ODD)


@settings(max_examples=30)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=6))
def test_any_text_is_cut_as_one_is(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any") / "text"
    write(folder, texts)
    check(open_texts(folder, [0, len(texts)]), texts)


def test_a_phrase_is_found_far_into_a_text(tmp_path: Path) -> None:
    texts = ["x " * 65_535 + "green suitcase", "suitcase green", "green suitcase"]
    write(tmp_path / "text", texts)
    found = open_texts(tmp_path / "text", [0, 3])
    assert found.events(Words(("green", "suitcase"))).tolist() == [0, 2]
    assert found.events(Words(("green", "suit"), prefix=True)).tolist() == [0, 2]
    assert found.events(Words(("suitcase", "green"))).tolist() == [1]
    assert found.events(Words(("green", "green"))).tolist() == []


def test_a_corpus_without_texts_has_none(tmp_path: Path) -> None:
    write(tmp_path / "text", [])
    found = open_texts(tmp_path / "text", [0, 0])
    assert found.events(Words(("a",))).tolist() == []
    assert found.dialogues(Words(("a", "b"), prefix=True)).tolist() == []
