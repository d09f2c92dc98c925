from __future__ import annotations

import numpy as np
import pytest

from commonground.bench.learners.ranking import Judge, rank_apart, train_ranker

NEAR_AND_FAR = [{"near": 1.0}, {"far": 1.0}]


def test_the_likelier_of_two_is_learned() -> None:
    model = train_ranker([(NEAR_AND_FAR, {0})] * 3 + [(NEAR_AND_FAR, {1})], single=True)
    shares = Judge(model).score(NEAR_AND_FAR)
    assert sum(shares) == pytest.approx(1)
    assert 0.5 < shares[0] < 0.75  # 3 of 4, drawn towards a half


def test_little_regularisation_gives_the_share_seen() -> None:
    seen = [(NEAR_AND_FAR, {0})] * 3 + [(NEAR_AND_FAR, {1})]
    shares = Judge(train_ranker(seen, single=True, strength=1e6)).score(NEAR_AND_FAR)
    assert shares == pytest.approx([0.75, 0.25], abs=1e-3)


def test_each_by_itself() -> None:
    both, none = [{"near": 1.0}, {"near": 1.0}], [{"far": 1.0}]
    model = train_ranker([(both, {0, 1}), (none, set())] * 20, single=False)
    judge = Judge(model)
    assert min(judge.score(both)) > 0.5 > judge.score(none)[0]


def test_several_right_ones_share() -> None:
    three = [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}]
    shares = Judge(train_ranker([(three, {0, 1})], single=True, strength=1e6)).score(three)
    assert shares == pytest.approx([0.5, 0.5, 0.0], abs=1e-2)


def test_a_group_without_a_right_one_teaches_no_choice() -> None:
    with_it = train_ranker([(NEAR_AND_FAR, {0}), (NEAR_AND_FAR, ())], single=True)
    without = train_ranker([(NEAR_AND_FAR, {0})], single=True)
    assert np.array_equal(with_it.weights, without.weights)


def test_unknown_features_weigh_nothing() -> None:
    model = train_ranker([(NEAR_AND_FAR, {0})], single=True)
    assert Judge(model).score([{"new": 1.0}, {"newer": 1.0}]) == [0.5, 0.5]
    assert Judge(model).score([]) == []


def test_rare_features_are_left_out() -> None:
    seen = [([{"near": 1.0, "once": 1.0}, {"far": 1.0}], {0}), (NEAR_AND_FAR, {0})]
    assert train_ranker(seen, single=True, least=2).features == ["near", "far"]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        train_ranker([([], ())], single=False)


def test_order_is_kept_and_ties_are_broken() -> None:
    apart = rank_apart([0.2, 0.9, 0.2, 0.4], "some key")
    assert apart[1] == 1.0
    assert apart[3] == 0.75
    assert sorted([apart[0], apart[2]]) == [0.25, 0.5]


def test_the_first_of_equals_is_not_favoured() -> None:
    firsts = [rank_apart([0.0] * 4, str(key))[0] for key in range(400)]
    # Each of 1, 0.75, 0.5 and 0.25 comes up a hundred times or so.
    assert 70 < firsts.count(1.0) < 130
    assert rank_apart([0.0] * 4, "7") == rank_apart([0.0] * 4, "7")
