from __future__ import annotations

import pytest

from commonground.bench.learners.labels import find_labels, score_labels, train_labels

EXAMPLES = [{"red": 1.0}, {"kite": 1.0}, {"red": 1.0, "kite": 1.0}, {"tent": 1.0}] * 10
LABELS = [{"colour"}, {"thing"}, {"colour", "thing"}, {"thing"}] * 10


def test_labels_are_found_by_themselves() -> None:
    model = train_labels(EXAMPLES, LABELS, seed=1, strength=10.0)
    assert find_labels(model, EXAMPLES[:4]) == [
        ["colour"],
        ["thing"],
        ["colour", "thing"],
        ["thing"],
    ]
    assert find_labels(model, []) == []


def test_a_label_of_all_is_always_there() -> None:
    model = train_labels([{"red": 1.0}, {"blue": 1.0}], [{"x"}, {"x"}], seed=1)
    # Both of two have it, and half a one is taken not to: 2 to 0.5.
    assert score_labels(model, [{"green": 1.0}])[0, 0] == pytest.approx(0.8)


def test_rare_features_and_labels_are_left_out() -> None:
    examples = [*EXAMPLES, {"once": 1.0}]
    model = train_labels(examples, [*LABELS, {"rare"}], seed=1, least=2, fewest=2)
    assert model.labels == ["colour", "thing"]
    assert model.features == ["kite", "red", "tent"]
