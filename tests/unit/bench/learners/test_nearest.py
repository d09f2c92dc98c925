"""The most similar example is found again."""

from __future__ import annotations

import numpy as np
import pytest

from commonground.bench.learners.nearest import find_nearest, train_nearest

EXAMPLES = [{"the": 1.0, "cat": 1.0}, {"the": 1.0, "dog": 1.0}, {"the": 1.0, "dog": 1.0, "a": 1.0}]


def test_examples_find_themselves() -> None:
    assert find_nearest(train_nearest(EXAMPLES), EXAMPLES) == [0, 1, 2]


def test_rare_words_weigh_more() -> None:
    # "the" is in all three; "cat" is in one, so the first is nearer than the others.
    assert find_nearest(train_nearest(EXAMPLES), [{"the": 1.0, "cat": 1.0, "a": 0.1}]) == [0]


def test_nothing_in_common_gives_the_first() -> None:
    assert find_nearest(train_nearest(EXAMPLES), [{}, {"new": 1.0}]) == [0, 0]


def test_examples_are_vectors_of_length_1() -> None:
    model = train_nearest(EXAMPLES)
    lengths = np.add.reduceat(model.values**2, model.ends[:-1])
    assert lengths == pytest.approx([1, 1, 1])


def test_many_queries_are_answered_in_order() -> None:
    queries = [EXAMPLES[number % 3] for number in range(600)]
    assert find_nearest(train_nearest(EXAMPLES), queries) == [n % 3 for n in range(600)]


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        train_nearest([])
