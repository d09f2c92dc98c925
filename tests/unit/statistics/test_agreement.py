from __future__ import annotations

import random

import pytest

from commonground.statistics.agreement import (
    Alpha,
    compute_agreement,
    compute_alpha,
    compute_kappa,
    compute_set_alpha,
)

# Krippendorff 2011, section C: four observers, twelve units, some labels missing; alpha is 0.743.
UNITS = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
]

# The usual worked example of Fleiss' kappa: fourteen raters, ten subjects, five labels; 0.210.
TABLE = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def spread(counts: list[int]) -> list[int]:
    return [label for label, count in enumerate(counts) for _ in range(count)]


def test_alpha_of_the_textbook() -> None:
    assert compute_alpha(UNITS) == pytest.approx(0.743, abs=0.0005)


def test_kappa_of_the_textbook() -> None:
    assert compute_kappa(map(spread, TABLE)) == pytest.approx(0.210, abs=0.0005)


def test_values_worked_out_by_hand() -> None:
    units = ["aab", "aaa", "bbb"]
    # Equal ordered pairs: 2 of 6, 6 of 6, 6 of 6: 14 of 18.
    assert compute_agreement(units) == pytest.approx(14 / 18)
    # 5 a and 4 b: chance gives (25 + 16) / 81; observed is (1/3 + 1 + 1) / 3 = 7/9.
    assert compute_kappa(units) == pytest.approx((7 / 9 - 41 / 81) / (1 - 41 / 81))
    # Differing: 4 pairs / 2 raters less one = 2; expected 5 * 4 * 2 = 40 of 9 labels.
    assert compute_alpha(units) == pytest.approx(1 - 8 * 2 / 40)


def test_full_agreement_is_one() -> None:
    assert compute_alpha(["aa", "bb"]) == compute_kappa(["aa", "bb"]) == 1


def test_two_who_always_differ_are_below_chance() -> None:
    # Each label once a unit: observed 0, by chance 1/2, so kappa -1; alpha 1 - 3 * 4 / 8.
    assert compute_kappa(["ab", "ba"]) == -1
    assert compute_alpha(["ab", "ba"]) == -0.5


@pytest.mark.parametrize("units", [[], ["a", "b"], ["aa", "aa"]])
def test_nothing_to_compare_is_null(units: list[str]) -> None:
    assert compute_alpha(units) is None
    assert compute_kappa(units) is None


def test_agreement_without_pairs_is_null() -> None:
    assert compute_agreement(["a", ""]) is None


def test_kappa_wants_as_many_labels_of_each_unit() -> None:
    with pytest.raises(ValueError, match="2 labels expected, found 3"):
        compute_kappa(["ab", "abb"])


def test_both_agree_with_nltk() -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    rng = random.Random(3)
    units = [[rng.choice("xxy") for _ in range(3)] for _ in range(40)]
    rows = [(rater, unit, label) for unit, r in enumerate(units) for rater, label in enumerate(r)]
    task = agreement.AnnotationTask(data=rows)
    assert compute_alpha(units) == pytest.approx(task.alpha())


def test_alpha_is_kept_up_as_units_come_and_go() -> None:
    alpha, rng = Alpha(), random.Random(3)
    units = ["".join(rng.choices("xxy", k=rng.randint(1, 4))) for _ in range(40)]
    assert alpha.value is None
    for unit in units:
        alpha.add(unit)
    assert alpha.value == pytest.approx(compute_alpha(units))
    for unit in units[:30]:
        alpha.add(unit, -1)
    assert alpha.value == pytest.approx(compute_alpha(units[30:]))


def test_alpha_of_sets_counts_what_they_share() -> None:
    a, b, both, none = frozenset("a"), frozenset("b"), frozenset("ab"), frozenset[str]()
    assert compute_set_alpha([[a, a], [none, none]]) == 1
    # MASI of {a} and {a, b} is 1 - 1/2 * 2/3 = 2/3; of {a} and {b} 1. Expected over the six pairs
    # of the labels a, a, a, ab: (0 * 3 + 2/3 * 3) / 6 = 1/3; observed 2/3 / 2 = 1/3.
    assert compute_set_alpha([[a, a], [a, both]]) == pytest.approx(0)
    shares, differs = (compute_set_alpha([[a, each], [b, b]]) for each in (both, b))
    assert shares is not None
    assert differs is not None
    assert shares > differs
    assert compute_set_alpha([[none, none]]) is None
