"""How far texts of games are from those of people."""

from __future__ import annotations

import numpy as np
import pytest

from commonground.stats.games.likeness import measure_likeness
from commonground.stats.games.vectors import Vectors

# Texts that begin alike point in about the same direction.
TEXTS = [f"{kind} {number}" for kind in ("sun", "owl") for number in range(20)]
VECTORS = Vectors(
    [("text", text) for text in TEXTS],
    np.array(
        [[text.startswith("sun"), text.startswith("owl"), int(text[4:]) / 1e4] for text in TEXTS],
        np.float32,
    ),
)


def play(kinds: str, games: int, first: int = 0) -> list[list[str]]:
    """Games with texts of these kinds, ``s`` for sun and ``o`` for owl."""
    names = {"s": "sun", "o": "owl"}
    return [
        [f"{names[kind]} {(first + game + place) % 20}" for place, kind in enumerate(kinds)]
        for game in range(games)
    ]


def test_texts_of_the_same_kinds_are_near_and_within_peoples_range() -> None:
    found = measure_likeness(play("so" * 5, 40), play("so" * 5, 10, first=7), VECTORS)
    assert found.distance is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.distance <= found.high < 0.1


def test_texts_of_another_kind_are_far() -> None:
    found = measure_likeness(play("so" * 5, 40), play("o" * 10, 10), VECTORS)
    assert found.distance is not None
    assert found.high is not None
    # A half of people's texts is of a kind that the others have none of.
    assert found.distance > 0.1 > found.high


def test_the_formula_is_that_of_two_texts_drawn_from_each() -> None:
    # Two groups at most: all of one set are in the first, all of the other in the second.
    found = measure_likeness(play("s", 4), play("o", 4), VECTORS)
    # 2 P(other group) - 0 - 0
    assert found.distance == pytest.approx(2.0)
    assert found.groups == 2


def test_where_there_are_as_many_others_people_have_no_range() -> None:
    found = measure_likeness(play("so", 4), play("so", 4), VECTORS)
    assert found.distance is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("others", [[], [["sun 1"]], [[], []]])
def test_too_few_texts_have_no_distance(others: list[list[str]]) -> None:
    found = measure_likeness(play("so", 4), others, VECTORS)
    assert (found.distance, found.low, found.groups) == (None, None, 0)


def test_the_same_seed_gives_the_same_distance() -> None:
    people, others = play("sso", 30), play("soo", 9, first=3)
    one, other = (measure_likeness(people, others, VECTORS, seed=5) for _ in range(2))
    assert one == other
