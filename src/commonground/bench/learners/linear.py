"""A linear classifier over named features, as a model that is nothing but values."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.method import NothingToLearnError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Features = Mapping[str, float]
"""What is known of one example: weights by name; absent means 0."""

_ROUNDS = 100
"""Most rounds of the solver: beyond them accuracy stays, while time goes on."""


class LinearModel(msgspec.Struct, frozen=True):
    """What a linear classifier learned.

    Attributes:
        labels: what can be answered, in order.
        features: names of the features, in order.
        weights: float32, shape (labels, features), and behind them a column for each direction of
            the vectors, if there were vectors.
        bias: float32, shape (labels,).
    """

    labels: list[str]
    features: list[str]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]


def train_linear(
    examples: Sequence[Features],
    labels: Sequence[str],
    *,
    seed: int,
    strength: float = 1.0,
    least: int = 1,
    vectors: NDArray[np.float32] | None = None,
) -> LinearModel:
    """Learns a multinomial logistic regression.

    Args:
        strength: inverse of the regularisation, above 0.
        least: examples that a feature must be in to be learned from; keeps models small.
        vectors: looked at beside the features, shape (examples, width); None for none.

    Raises:
        NothingToLearnError: there is no example.
    """
    known = sorted(set(labels))
    if not known:
        raise NothingToLearnError
    features = choose_features(examples, least)
    if len(known) == 1 or not (features or vectors is not None):
        return _without_features(known, labels, 0 if vectors is None else vectors.shape[1])
    table = tabulate_all(examples, features, vectors)
    solver = _fit(table, list(labels), seed, strength)
    weights, bias = np.asarray(solver.coef_), np.asarray(solver.intercept_)
    if len(known) == 2:  # the solver keeps the second label's side only
        weights, bias = np.vstack([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    # Half the size of a saved model; the last digits of a weight decide nothing.
    weights, bias = weights.astype(np.float32), bias.astype(np.float32)
    return LinearModel(known, features, weights, bias)


def choose_features(examples: Sequence[Features], least: int) -> list[str]:
    """Returns the features that at least so many examples have, sorted."""
    counts = Counter(name for example in examples for name in example)
    return sorted(name for name, count in counts.items() if count >= least)


def _without_features(known: list[str], labels: Sequence[str], width: int) -> LinearModel:
    """Returns a model that knows only how frequent each label is."""
    counts = Counter(labels)
    bias = np.log(np.array([counts[label] for label in known], np.float32))
    return LinearModel(known, [], np.zeros((len(known), width), np.float32), bias)


def tabulate(examples: Sequence[Features], index: Mapping[str, int]) -> csr_matrix:
    """Lays out features as a sparse table, shape (examples, features); unknown ones are left."""
    from scipy.sparse import csr_matrix

    places: list[int] = []
    values: list[float] = []
    ends = [0]
    for example in examples:
        for name, value in example.items():
            place = index.get(name)
            if place is not None:
                places.append(place)
                values.append(value)
        ends.append(len(places))
    cells = (np.array(values, np.float32), np.array(places, np.int32), np.array(ends, np.int32))
    return csr_matrix(cells, shape=(len(examples), len(index)))


def tabulate_all(
    examples: Sequence[Features], features: Sequence[str], vectors: NDArray[np.float32] | None
) -> csr_matrix:
    """Lays out features, and the vectors behind them.

    Args:
        features: names of the features, in order; unknown ones are left out.
        vectors: shape (examples, width); None for none.

    Returns:
        A sparse table, shape (examples, features + width).
    """
    table = tabulate(examples, {name: place for place, name in enumerate(features)})
    if vectors is None:
        return table
    from scipy.sparse import csr_matrix, hstack

    return csr_matrix(hstack([table, csr_matrix(vectors)]))


def _fit(table: csr_matrix, labels: list[str], seed: int, strength: float) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    solver = LogisticRegression(C=strength, max_iter=_ROUNDS, random_state=seed, tol=1e-3)
    with warnings.catch_warnings():
        # Stopping early costs no accuracy that can be measured; a user can do nothing about it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        solver.fit(table, labels)
    return solver


def score_linear(
    model: LinearModel,
    examples: Sequence[Features],
    vectors: NDArray[np.float32] | None = None,
) -> NDArray[np.float64]:
    """Returns the probability of every label for every example, shape (examples, labels).

    Args:
        vectors: of each example, if the model learned with vectors.
    """
    table = tabulate_all(examples, model.features, vectors)
    scores = np.asarray(table @ model.weights.T, np.float64) + model.bias
    # The largest becomes 0, so that no exponential overflows; the shares stay the same.
    scores -= scores.max(axis=1, keepdims=True)
    shares = np.exp(scores)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def classify_linear(
    model: LinearModel,
    examples: Sequence[Features],
    vectors: NDArray[np.float32] | None = None,
) -> list[str]:
    """Returns the likeliest label of every example.

    Args:
        vectors: of each example, if the model learned with vectors.
    """
    if not examples:
        return []
    shares = score_linear(model, examples, vectors)
    return [model.labels[place] for place in shares.argmax(axis=1)]
