"""A linear classifier learns what it can, gives probabilities, and is the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from commonground.bench.learners.linear import classify_linear, score_linear, train_linear

EXAMPLES = [{"red": 1.0}, {"blue": 1.0}, {"green": 1.0}] * 10
LABELS = ["r", "b", "g"] * 10


def test_learned_words_are_known_again() -> None:
    model = train_linear(EXAMPLES, LABELS, seed=1)
    assert model.labels == ["b", "g", "r"]
    assert model.features == ["blue", "green", "red"]
    assert model.weights.dtype == np.float32
    assert classify_linear(model, [{"green": 1.0}, {"red": 1.0, "new": 1.0}]) == ["g", "r"]


def test_probabilities_add_up() -> None:
    model = train_linear(EXAMPLES, LABELS, seed=1)
    shares = score_linear(model, [{"blue": 1.0}, {}])
    assert shares.shape == (2, 3)
    assert shares.sum(axis=1) == pytest.approx([1, 1])
    assert shares[0].argmax() == 0
    # Nothing is known of the second, and the labels are equally frequent.
    assert shares[1] == pytest.approx([1 / 3] * 3, abs=0.01)


def test_two_labels_give_the_solvers_probability() -> None:
    from sklearn.linear_model import LogisticRegression

    values = np.array([[0.0], [1.0], [2.0], [3.0]])
    labels = ["a", "a", "b", "b"]
    model = train_linear([{"x": v[0]} for v in values], labels, seed=1)
    wanted = LogisticRegression(tol=1e-3).fit(values.astype(np.float32), labels)
    found = score_linear(model, [{"x": 1.0}])
    assert found[0] == pytest.approx(wanted.predict_proba([[1.0]])[0], abs=1e-4)


def test_one_label_is_always_the_answer() -> None:
    model = train_linear([{"x": 1.0}], ["only"], seed=1)
    assert score_linear(model, [{"x": 1.0}, {}]).tolist() == [[1.0], [1.0]]
    assert model.weights.shape == (1, 0)


def test_rare_features_are_left_out() -> None:
    examples = [{"often": 1.0}, {"often": 1.0, "once": 1.0}, {"other": 1.0}, {"other": 1.0}]
    model = train_linear(examples, ["a", "a", "b", "b"], seed=1, least=2)
    assert model.features == ["often", "other"]


def test_without_features_labels_are_as_frequent_as_they_were() -> None:
    model = train_linear([{}] * 4, ["a", "a", "a", "b"], seed=1)
    assert score_linear(model, [{}])[0] == pytest.approx([0.75, 0.25])


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        train_linear([], [], seed=1)


def test_nothing_to_answer_gives_nothing() -> None:
    assert classify_linear(train_linear(EXAMPLES, LABELS, seed=1), []) == []


def test_same_seed_gives_same_model() -> None:
    one, other = (train_linear(EXAMPLES, LABELS, seed=3) for _ in range(2))
    assert np.array_equal(one.weights, other.weights)
