"""Stretches of text: from code points to tags and back, learned and found again."""

from __future__ import annotations

import numpy as np
import pytest

from commonground.bench.learners.linear import LinearModel
from commonground.bench.learners.tokens import (
    Stretch,
    TokenModel,
    find_stretches,
    join_tags,
    split_tokens,
    tag_tokens,
    train_tokens,
)

TEXTS = ["Book Dune at Regal 7 tonight", "See Emma at Odeon 3 please", "Dune at Odeon 7", "hello"]
FOUND = [
    [Stretch(5, 9, "movie"), Stretch(13, 20, "theater")],
    [Stretch(4, 8, "movie"), Stretch(12, 19, "theater")],
    [Stretch(0, 4, "movie"), Stretch(8, 15, "theater")],
    [],
]


def test_tokens_count_code_points() -> None:
    tokens = split_tokens("a\U0001f600 “é” x")
    # The emoji is one code point: a, emoji, space, quote, é, quote, space, x.
    assert [(t.start, t.end, t.text) for t in tokens if t.text in ("é", "x")] == [
        (4, 5, "é"),
        (7, 8, "x"),
    ]


def test_tags_and_back() -> None:
    tokens = split_tokens(TEXTS[0])
    tags = tag_tokens(tokens, FOUND[0])
    assert tags == ["O", "B-movie", "O", "B-theater", "I-theater", "O"]
    assert join_tags(tokens, tags) == FOUND[0]


def test_longest_of_overlapping_stretches_counts() -> None:
    tokens = split_tokens("New York City")
    tags = tag_tokens(tokens, [Stretch(0, 3, "short"), Stretch(0, 13, "long")])
    assert tags == ["B-long", "I-long", "I-long"]


def test_stretch_takes_the_tokens_it_touches() -> None:
    assert tag_tokens(split_tokens("movies"), [Stretch(0, 5, "kind")]) == ["B-kind"]


def test_learned_stretches_are_found_again() -> None:
    model = train_tokens(TEXTS, FOUND, seed=1)
    assert find_stretches(model, TEXTS) == FOUND
    assert find_stretches(model, ["Emma at Regal 3"])[0] == [
        Stretch(0, 4, "movie"),
        Stretch(8, 15, "theater"),
    ]


def test_stretch_never_begins_in_its_middle() -> None:
    # Every token is likeliest to go on with a stretch, but the first has none to go on with.
    bias = np.array([1, 5, 0], np.float32)
    linear = LinearModel(["B-x", "I-x", "O"], [], np.zeros((3, 0), np.float32), bias)
    model = TokenModel(linear, {"I-x": ["B-x", "I-x"]})
    assert find_stretches(model, ["one two"]) == [[Stretch(0, 7, "x")]]


def test_texts_without_tokens_have_no_stretches() -> None:
    model = train_tokens(TEXTS, FOUND, seed=1)
    assert find_stretches(model, ["", "  "]) == [[], []]


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        train_tokens(["  "], [[]], seed=1)
