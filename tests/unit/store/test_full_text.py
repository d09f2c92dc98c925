"""Words are cut and found as ``fold_words`` cuts one text, however odd."""

from __future__ import annotations

import errno
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.errors import StoreError
from commonground.store.index.full_text import (
    FullText,
    FullTextWriter,
    WordSequence,
    find_words,
    fold_words,
    join_texts,
)

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
    writer.add(numbers[:half], texts[:half])
    writer.add(numbers[half:], texts[half:])
    writer.close()


def check(found: FullText, texts: list[str]) -> None:
    cut = [fold_words(text) for text in texts]
    for words in {word for text in cut for word in text}:
        expected = [number for number, text in enumerate(cut) if words in text]
        assert found.events(WordSequence((words,))).tolist() == expected
        expected = [n for n, text in enumerate(cut) if any(w.startswith(words) for w in text)]
        assert found.events(WordSequence((words,), prefix=True)).tolist() == expected
    for text in cut:
        if len(text) > 1:
            pair = (text[0], text[1])
            expected = [n for n, each in enumerate(cut) if pair in pairwise(each)]
            assert found.events(WordSequence(pair)).tolist() == expected


def test_odd_texts_are_cut_as_one_is(tmp_path: Path) -> None:
    write(tmp_path / "text", ODD)
    check(FullText(tmp_path / "text", [0, len(ODD)]), ODD)


def test_parts_are_searched_one_after_the_other(tmp_path: Path) -> None:
    write(tmp_path / "a", ODD[:3])
    write(tmp_path / "b", [])
    write(tmp_path / "c", ODD[3:])
    (tmp_path / "text").mkdir()
    join_texts([tmp_path / name for name in "abc"], tmp_path / "text")
    check(FullText(tmp_path / "text", [0, 3, 3, len(ODD)]), ODD)


@settings(max_examples=30)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=6))
def test_any_text_is_cut_as_one_is(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any") / "text"
    write(folder, texts)
    check(FullText(folder, [0, len(texts)]), texts)


def test_a_phrase_is_found_far_into_a_text(tmp_path: Path) -> None:
    texts = ["x " * 65_535 + "green suitcase", "suitcase green", "green suitcase"]
    write(tmp_path / "text", texts)
    found = FullText(tmp_path / "text", [0, 3])
    assert found.events(WordSequence(("green", "suitcase"))).tolist() == [0, 2]
    assert found.events(WordSequence(("green", "suit"), prefix=True)).tolist() == [0, 2]
    assert found.events(WordSequence(("suitcase", "green"))).tolist() == [1]
    assert found.events(WordSequence(("green", "green"))).tolist() == []


def test_an_empty_window_has_no_events(tmp_path: Path) -> None:
    write(tmp_path / "text", ODD)
    found = FullText(tmp_path / "text", [0, len(ODD)])
    (number,) = found.events(WordSequence(("one",))).tolist()
    assert found.events(WordSequence(("one",)), range(number, number + 1)).tolist() == [number]
    for empty in (range(0), range(number, number), range(number + 1, len(ODD))):
        assert found.events(WordSequence(("one",)), empty).tolist() == []


def test_a_full_disk_is_an_error_of_the_system(tmp_path: Path) -> None:
    writer = FullTextWriter(tmp_path)
    writer._database.execute("PRAGMA max_page_count=8")
    numbers = np.arange(10_000)
    writer.add(numbers, [f"word{number}" for number in numbers])  # held in memory until the end
    with pytest.raises(OSError, match="No space left") as caught:
        writer.close()
    assert caught.value.errno == errno.ENOSPC
    writer._database.close()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    write(tmp_path / "text", ODD)
    found = FullText(tmp_path / "text", [0, len(ODD)])
    path = tmp_path / "text" / "text.sqlite"
    path.write_bytes(path.read_bytes()[:4096] + b"x" * (path.stat().st_size - 4096))
    with pytest.raises(StoreError, match=r"text\.sqlite cannot be searched"):
        found.events(WordSequence(("one",)))


def test_a_corpus_without_texts_has_none(tmp_path: Path) -> None:
    write(tmp_path / "text", [])
    found = FullText(tmp_path / "text", [0, 0])
    assert found.events(WordSequence(("a",))).tolist() == []
    assert found.events(WordSequence(("a", "b"), prefix=True)).tolist() == []


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SCRIPTS = {
    "私は東京に行きたいです。": "東京",
    "三人 in Tokyo": "人",
    "ฉันจะไปกรุงเทพ": "กรุงเทพ",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": ""
    "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645",
    "un re\u0301sume\u0301 court": "r\u00e9sum\u00e9",
    "le caf\u00e9 noir": "cafe\u0301",
    "हिन्दी में": "हिन्दी",
    "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05e8\u05d1": "\u05e9\u05dc\u05d5\u05dd",
    f"we are {FAMILY}!": FAMILY,
    "nice \u2764\ufe0f one": "\u2764",
    "ok\U0001f44d\U0001f3fd": "\U0001f44d\U0001f3fd",
    "안녕하세요 여러분": "여러분",
}
"""Texts of many scripts, and words that are to be found in them and in no other."""


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_words_of_every_script_are_found(tmp_path: Path, number: int) -> None:
    texts = list(SCRIPTS)
    write(tmp_path / "text", texts)
    words = tuple(fold_words(SCRIPTS[texts[number]]))
    assert words
    found = FullText(tmp_path / "text", [0, len(texts)]).events(WordSequence(words))
    assert found.tolist() == [number]


def test_a_vowel_sign_makes_another_word() -> None:
    assert fold_words("\u0915\u093f") != fold_words("\u0915\u0940")
    assert fold_words("\u304c") != fold_words("\u304b")
    assert [word.folded for word in find_words("caf\u00e9s")] == ["cafes"]
