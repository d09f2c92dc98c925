from __future__ import annotations

import pytest

from commonground.explorer.rendering.fragments import render_marked
from commonground.explorer.search.highlights import Marked, mark_words
from commonground.store.index.full_text import WordSequence


@pytest.mark.parametrize(
    ("text", "words", "marks"),
    [
        ("A Green suitcase", WordSequence(("green", "suitcase")), [(2, 16)]),
        ("green, suitcase", WordSequence(("green", "suitcase")), [(0, 15)]),
        ("greener green", WordSequence(("green",)), [(8, 13)]),
        ("greener green", WordSequence(("gre",), prefix=True), [(0, 7), (8, 13)]),
        ("Café", WordSequence(("cafe",)), [(0, 4)]),
        ("nothing", WordSequence(("green",)), []),
    ],
)
def test_words_are_found(text: str, words: WordSequence, marks: list[tuple[int, int]]) -> None:
    assert mark_words(text, [words]) == Marked(text, marks)


def test_overlapping_places_are_one() -> None:
    found = mark_words("a b c", [WordSequence(("a", "b")), WordSequence(("b", "c"))])
    assert found.marks == [(0, 5)]


def test_long_texts_are_cut_around_the_first_place() -> None:
    found = mark_words("x " * 400 + "green " + "y " * 400, [WordSequence(("green",))])
    ((start, end),) = found.marks
    assert found.text[start:end] == "green"
    assert found.text[0] == found.text[-1] == "…"
    assert len(found.text) == 242


def test_html_is_escaped_around_marks() -> None:
    made = render_marked(mark_words("<i> green </i>", [WordSequence(("green",))]))
    assert made == "&lt;i&gt; <mark>green</mark> &lt;/i&gt;"
