"""Foretelling the vector of an answer from that of a question: one matrix between two spaces."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.method import NothingToLearnError

Rows = NDArray[np.float32]
"""Vectors, one a row."""

_LEAST_SPREAD = 1e-3
"""Added to the variance of every direction: those in which texts hardly differ count less."""


class Foreteller(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        centre: float32, shape (width,): the mean of all answers.
        turn: float32, shape (width, width): turns answers so that they differ alike in every
            direction.
        weights: float32, shape (width of a question, width): from a question to an answer that was
            turned.
    """

    centre: Rows
    turn: Rows
    weights: Rows


def train_foreteller(
    questions: Rows, answers: Rows, others: Rows, *, strength: float = 1.0
) -> Foreteller:
    """Learns by ridge regression, in one step and without chance.

    Args:
        questions: a vector for each question.
        answers: the right answer's vector for each.
        others: vectors of answers of all kinds, which say in which directions these differ.
        strength: inverse of the regularisation, above 0.

    Raises:
        NothingToLearnError: there is no question.
    """
    if not len(questions):
        raise NothingToLearnError
    centre = others.mean(axis=0)
    sizes, directions = np.linalg.eigh(np.cov(others.T, bias=True).astype(np.float64))
    spread = np.sqrt(np.maximum(sizes, 0) + _LEAST_SPREAD)
    turn = (directions / spread).astype(np.float32)
    plain = Foreteller(centre, turn, np.zeros((0, 0), np.float32))
    asked = questions.astype(np.float64)
    held = asked.T @ asked + np.eye(asked.shape[1]) / strength
    weights = np.linalg.solve(held, asked.T @ place_answers(plain, answers))
    return Foreteller(centre, turn, weights.astype(np.float32))


def place_answers(model: Foreteller, answers: Rows) -> Rows:
    """Returns answers where questions foretell them: turned, and of length 1.

    Args:
        model: what was learned.
        answers: their vectors.
    """
    turned = (answers - model.centre) @ model.turn
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.asarray(turned / np.maximum(lengths, 1e-9), np.float32)


def foretell(model: Foreteller, questions: Rows) -> Rows:
    """Returns what is foretold of the answer to each question.

    Its product with the place of an answer says how well that suits.

    Args:
        model: what was learned.
        questions: their vectors.
    """
    return np.asarray(questions @ model.weights, np.float32)
