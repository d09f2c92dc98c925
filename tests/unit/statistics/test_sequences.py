"""Bounds that hold at every number of values: how often they fail, and what they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.thorough import a_few

from commonground.statistics.agreement import Alpha
from commonground.statistics.sequences import (
    AlphaBound,
    Betting,
    Floats,
    LabelSums,
    MeanBound,
    contrast,
)

STUDIES = 1_000
LENGTH = 400
AIM = 0.1

Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]

DRAWS: dict[str, tuple[Draw, float]] = {
    "coins": (lambda rng, size: (rng.random(size) < 0.5).astype(float), 0.5),
    "rare": (lambda rng, size: (rng.random(size) < 0.03).astype(float), 0.03),
    "skewed": (lambda rng, size: rng.beta(8, 2, size), 0.8),
    "narrow": (lambda rng, size: rng.uniform(0.6, 0.7, size), 0.65),
}


@pytest.mark.parametrize("aim", [None, 0.05])
@pytest.mark.parametrize("name", DRAWS)
def test_the_true_mean_is_hardly_ever_ruled_out(name: str, aim: float | None) -> None:
    draw, mean = DRAWS[name]
    values = draw(np.random.default_rng(7), (LENGTH, STUDIES))
    betting = Betting(np.full(STUDIES, -mean), np.full(STUDIES, 1 - mean))
    for each in values:
        betting.add(each - mean, aim)
    assert betting.ruled_out.mean() <= 0.05


def test_an_ordinary_interval_would_be_wrong_far_more_often() -> None:
    draw, mean = DRAWS["skewed"]
    values = draw(np.random.default_rng(7), (LENGTH, STUDIES))
    n = np.arange(1, LENGTH + 1)[:, None]
    means = values.cumsum(0) / n
    deviation = np.sqrt(np.maximum((values**2).cumsum(0) / n - means**2, 0))
    outside = np.abs(means - mean) > 1.96 * deviation / np.sqrt(n)
    assert outside[30:].any(0).mean() > 0.2


def draw_units(agree: float, share: float) -> LabelSums:
    """Draws two units for each round and study, which three people label yes or no.

    Args:
        agree: how often all say what is so; else each says yes or no by the share, so that this is
            the true alpha.
        share: of yes.
    """
    rng, size = np.random.default_rng(11), (2, LENGTH, STUDIES)
    truth = (rng.random(size) < share).astype(float)
    guesses = rng.binomial(3, share, size).astype(float)
    yes = np.where(rng.random(size) < agree, 3 * truth, guesses)
    # Of two labels, ordered pairs that differ are twice the product; over one less than three.
    return LabelSums(yes * (3 - yes), np.full(size, 3.0), np.stack([yes, 3 - yes], -1))


@pytest.mark.parametrize(
    ("agree", "share"),
    a_few(
        [(0.7, 0.3), (0.2, 0.5), (0.95, 0.3), (0.8, 0.1), (0.0, 0.5), (0.9, 0.02)],
        [(0.7, 0.3), (0.9, 0.02)],
    ),
)
def test_the_true_alpha_is_hardly_ever_ruled_out(agree: float, share: float) -> None:
    drawn = draw_units(agree, share)
    one, other = (LabelSums(drawn.differing[n], drawn.labels[n], drawn.counts[n]) for n in range(2))
    within, across = contrast(one, other)
    betting = Betting(np.full(STUDIES, agree - 1), np.ones(STUDIES))
    for each in (within - (1 - agree) * across) / 3**2:
        betting.add(each, AIM * float(across.mean()) / 3**2)
    assert betting.ruled_out.mean() <= 0.05


def test_bounds_of_points_grow_narrow() -> None:
    rng = np.random.default_rng(2)
    mean = MeanBound(30, aim=0.5)
    assert mean.bound() is None
    widths, found = [], None
    for value in rng.integers(20, 31, 300):
        mean.add(float(value))
        found = mean.bound()
        assert found is not None
        assert 0 <= found.low <= 25 <= found.high <= 30
        assert found.low <= found.value <= found.high
        widths.append(found.half_width)
    assert widths[0] > 10
    # Three points of deviation: 0.36 with an interval for one look, at 300 games.
    assert 0.36 < widths[-1] < 0.8
    assert found is not None
    assert found.n == 300


def test_values_outside_of_the_limits_count_as_the_limits() -> None:
    ours, theirs = MeanBound(10), MeanBound(10)
    for one, other in ((-5, 0), (99, 10)):
        ours.add(one)
        theirs.add(other)
    assert ours.bound() == theirs.bound()


def label(rng: np.random.Generator, agree: float) -> list[str]:
    truth = rng.choice(["yes", "no"])
    return [truth if rng.random() < agree else str(rng.choice(["yes", "no"])) for _ in range(3)]


def test_alpha_is_that_of_all_elements_and_its_bounds_grow_narrow() -> None:
    rng, bound, alpha, widths = np.random.default_rng(3), AlphaBound(6, aim=0.1), Alpha(), []
    for number in range(400):
        unit = [label(rng, 0.9) for _ in range(2)]
        for each in unit:
            alpha.add(each)
        bound.add(unit)
        found = bound.bound()
        if number:
            assert found is not None
            widths.append(found.half_width)
        else:
            assert found is None
    assert found is not None
    assert found.value == pytest.approx(alpha.value)
    # Each of two says what is so in 90 % of cases, beside guesses.
    assert found.low < 0.81 < found.high
    assert found.n == 400
    assert widths[0] > 0.9
    assert widths[-1] < 0.2


def test_nothing_is_said_of_alpha_where_all_labels_are_one() -> None:
    bound = AlphaBound(3)
    for _ in range(4):
        bound.add([["no"] * 3])
    assert bound.bound() is None


def test_units_on_which_all_agree_do_not_settle_it_at_once() -> None:
    bound = AlphaBound(3)
    for number in range(30):
        bound.add([["yes" if number % 2 else "no"] * 3])
    found = bound.bound()
    assert found is not None
    assert (found.value, found.high) == (1, 1)
    assert found.low < 0.8
