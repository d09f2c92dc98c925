from __future__ import annotations

import numpy as np
import pytest

from commonground.bench.learners.ridge import fit_ridge, predict_vectors, whiten
from commonground.method import NothingToLearnError

# Questions of two kinds; the answers to one point east, those to the other north.
QUESTIONS = np.array([[1, 0], [0, 1]] * 4, np.float32)
ANSWERS = np.array([[1, 0, 0], [0, 1, 0]] * 4, np.float32)


def test_the_right_answer_suits_best() -> None:
    model = fit_ridge(QUESTIONS, ANSWERS, ANSWERS)
    suits = predict_vectors(model, QUESTIONS[:2]) @ whiten(model, ANSWERS[:2]).T
    # Eight answers, of which half are each: whitened, one lies opposite to the other. Half of a
    # question's four examples and the 1 that holds it small make 4 / (4 + 1) of the length.
    np.testing.assert_allclose(suits, [[0.8, -0.8], [-0.8, 0.8]], atol=1e-5)


def test_learning_is_without_chance() -> None:
    one, other = (fit_ridge(QUESTIONS, ANSWERS, ANSWERS) for _ in range(2))
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.whitening, other.whitening)


def test_a_strong_matrix_says_more() -> None:
    weak, strong = (fit_ridge(QUESTIONS, ANSWERS, ANSWERS, strength=each) for each in (0.1, 10.0))
    assert np.linalg.norm(weak.weights) < np.linalg.norm(strong.weights)


def test_no_question_teaches_nothing() -> None:
    with pytest.raises(NothingToLearnError):
        fit_ridge(QUESTIONS[:0], ANSWERS[:0], ANSWERS)
