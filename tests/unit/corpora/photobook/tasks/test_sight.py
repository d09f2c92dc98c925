"""What words say of pictures: true of pictures of another theme than those learned from."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from commonground.corpora.photobook.tasks.sight import Example, SightTraining, measure_sight
from commonground.method import NothingToLearnError

COLOURS = ("red", "green", "blue", "white")


def encode(names: Sequence[str]) -> Any:
    """Gives a vector for a picture ``theme/colour``: one number a colour, and one for the theme."""
    rows = []
    for name in names:
        theme, _slash, colour = name.partition("/")
        rows.append([float(colour == each) for each in COLOURS] + [float(len(theme))])
    return np.asarray(rows, np.float32)


def make_examples(*themes: str) -> list[Example]:
    shown = {theme: [f"{theme}/{colour}" for colour in COLOURS] for theme in themes}
    return [
        Example({"the", colour, "one"}, shown[theme], [f"{theme}/{colour}"])
        for theme in themes
        for colour in COLOURS
        for _time in range(10)
    ]


def find_best(scores: Sequence[float], shown: Sequence[str]) -> str:
    return shown[max(range(len(shown)), key=scores.__getitem__)]


def test_words_fit_pictures_of_a_theme_that_is_new() -> None:
    sight = SightTraining(make_examples("bus", "cake"), encode).learn()
    shown = [f"kitchen/{colour}" for colour in random.Random(1).sample(COLOURS, 4)]
    texts = [({"is", "it", "the", colour, "thing"}, shown) for colour in COLOURS]
    for colour, scores in zip(COLOURS, measure_sight(sight, texts, encode), strict=True):
        assert find_best(scores, shown) == f"kitchen/{colour}"
        assert sum(scores) == pytest.approx(0, abs=1e-6)
    (unknown, nothing) = measure_sight(sight, [({"zebra"}, shown), (set(), [])], encode)
    assert (unknown, nothing) == ([0.0] * 4, [])


def test_texts_are_judged_by_what_other_themes_taught() -> None:
    # Of cakes, "red" means the green one: whoever learned from them would say so.
    odd = [
        Example(each.words, each.shown, ["cake/green"]) if "red" in each.words else each
        for each in make_examples("cake")
    ]
    learning = SightTraining([*make_examples("bus", "boat"), *odd], encode)
    shown = [f"cake/{colour}" for colour in COLOURS]
    (scores,) = learning.measure_apart([({"red"}, shown)])
    assert find_best(scores, shown) == "cake/red"


def test_a_theme_alone_teaches_itself() -> None:
    learning = SightTraining(make_examples("cake"), encode)
    shown = [f"cake/{colour}" for colour in COLOURS]
    (scores,) = learning.measure_apart([({"blue"}, shown)])
    assert find_best(scores, shown) == "cake/blue"


def test_nothing_is_learned_from_nothing() -> None:
    for examples in ([], [Example({"red"}, [], [])], [Example(set(), ["a/red"], ["a/red"])]):
        with pytest.raises(NothingToLearnError):
            SightTraining(examples, encode)
