"""Ridge regression from the vector of a question to the whitened vector of its answer."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.method import NothingToLearnError

Rows = NDArray[np.float32]
"""Vectors, one a row."""

_LEAST_SPREAD = 1e-3
"""Added to the variance of every direction: those in which texts hardly differ count less."""


class RidgeModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        centre: float32, shape (width,): the mean of all answers.
        whitening: float32, shape (width, width): maps answers so that they differ alike in every
            direction.
        weights: float32, shape (width of a question, width): from a question to an answer that was
            whitened.
    """

    centre: Rows
    whitening: Rows
    weights: Rows


def fit_ridge(questions: Rows, answers: Rows, others: Rows, *, strength: float = 1.0) -> RidgeModel:
    """Learns by ridge regression, in one step and without chance.

    Args:
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
    whitening = (directions / spread).astype(np.float32)
    plain = RidgeModel(centre, whitening, np.zeros((0, 0), np.float32))
    asked = questions.astype(np.float64)
    held = asked.T @ asked + np.eye(asked.shape[1]) / strength
    weights = np.linalg.solve(held, asked.T @ whiten(plain, answers))
    return RidgeModel(centre, whitening, weights.astype(np.float32))


def whiten(model: RidgeModel, answers: Rows) -> Rows:
    """Returns whitened vectors of answers, each of length 1."""
    whitened = (answers - model.centre) @ model.whitening
    lengths = np.linalg.norm(whitened, axis=1, keepdims=True)
    return np.asarray(whitened / np.maximum(lengths, 1e-9), np.float32)


def predict_vectors(model: RidgeModel, questions: Rows) -> Rows:
    """Returns the predicted, whitened vector of the answer to each question.

    Its product with a whitened answer says how well that answer suits.
    """
    return np.asarray(questions @ model.weights, np.float32)
