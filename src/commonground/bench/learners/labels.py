"""Several labels at once: each is there or not, whatever the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.linear import Features, LinearModel, choose_features, tabulate_all


def train_labels(
    examples: Sequence[Features],
    labels: Sequence[Collection[str]],
    *,
    seed: int,
    strength: float = 1.0,
    least: int = 1,
    fewest: int = 1,
    vectors: NDArray[np.float32] | None = None,
) -> LinearModel:
    """Learns a logistic regression for each label by itself.

    Args:
        labels: those of each example; there may be none.
        strength: inverse of the regularisation, above 0.
        least: examples that a feature must be in to be learned from.
        fewest: examples that a label must have to be learned.
        vectors: looked at beside the features, shape (examples, width); None for none.
    """
    from sklearn.linear_model import LogisticRegression

    features = choose_features(examples, least)
    table = tabulate_all(examples, features, vectors)
    sizes = Counter(label for mine in labels for label in set(mine))
    known = sorted(label for label, size in sizes.items() if size >= fewest)
    model = LinearModel(
        known,
        features,
        np.zeros((len(known), table.shape[1]), np.float32),
        np.zeros(len(known), np.float32),
    )
    for place, label in enumerate(known):
        right = np.array([label in mine for mine in labels])
        if right.all() or not table.shape[1]:
            # The log odds of the label, as if half an example lacked one that all of them have.
            model.bias[place] = np.log(right.sum() / max(0.5, len(right) - right.sum()))
            continue
        # liblinear suits what this is: many small problems, each of two classes.
        solver = LogisticRegression(C=strength, solver="liblinear", random_state=seed)
        solver.fit(table, right)
        model.weights[place], model.bias[place] = solver.coef_[0], solver.intercept_[0]
    return model


def score_labels(
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
    # The logistic function, written so that no score overflows.
    return np.asarray(0.5 * (1 + np.tanh(0.5 * scores)), np.float64)


def find_labels(
    model: LinearModel,
    examples: Sequence[Features],
    vectors: NDArray[np.float32] | None = None,
) -> list[list[str]]:
    """Returns the labels of each example that are likelier there than not, sorted.

    Args:
        vectors: of each example, if the model learned with vectors.
    """
    return [
        [model.labels[place] for place in np.flatnonzero(row >= 0.5).tolist()]
        for row in score_labels(model, examples, vectors)
    ]
