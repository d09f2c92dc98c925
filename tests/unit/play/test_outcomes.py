"""What games come to, in numbers with intervals."""

from __future__ import annotations

import pytest

from commonground.play.outcomes import (
    Fate,
    GameResult,
    count_causes,
    rate_mean,
    rate_share,
    summarise_games,
)
from commonground.reply_outcomes import MALFORMED


def make_result(fate: Fate, score: float | None = None) -> GameResult:
    best = None if score is None else 30.0
    return GameResult(number=0, fate=fate, score=score, best=best)


def test_the_interval_of_a_share_is_wilsons() -> None:
    # 8 of 10: (0.8 + z²/20 ± z·sqrt(0.16/10 + z²/400)) / (1 + z²/10), with z = 1.96.
    rate = rate_share(8, 10)
    assert (rate.value, rate.count, rate.of) == (0.8, 8, 10)
    assert rate.low == pytest.approx(0.4902, abs=1e-4)
    assert rate.high == pytest.approx(0.9433, abs=1e-4)


def test_the_interval_of_a_share_of_nothing_or_all_stays_within_0_and_1() -> None:
    none, all_ = rate_share(0, 5), rate_share(5, 5)
    assert none.low == 0.0
    assert none.high == pytest.approx(1 - (all_.low or 0))
    assert all_.high == 1.0
    assert rate_share(0, 0).value is None


def test_the_interval_of_a_mean_is_of_its_standard_error() -> None:
    # Variance of 1, 2, 3 is 1: 2 ± 1.96 / sqrt(3).
    rate = rate_mean([1, 2, 3], of=4)
    assert (rate.value, rate.count, rate.of) == (2.0, 3, 4)
    assert rate.low == pytest.approx(0.8684, abs=1e-4)
    assert rate_mean([5], of=1).low is None


def test_the_interval_of_a_mean_ends_at_the_best_that_can_be_had() -> None:
    # Of 30, 30, 30, 0: 22.5 ± 1.96 · 15 / 2 = 14.7, and no game has more than 30.
    rate = summarise_games([*[make_result("won", 30)] * 3, make_result("lost", 0)])["score"]
    assert (rate.value, rate.high) == (22.5, 30)
    assert rate.low == pytest.approx(7.8, abs=1e-3)


def test_a_game_that_broke_off_is_not_lost_and_has_no_score() -> None:
    results = [
        make_result("won", 30),
        make_result("lost", 20),
        make_result("aborted", 3),
        make_result("aborted", 0),
    ]
    rates = summarise_games(results)
    assert {name: rate.count for name, rate in rates.items()} == {
        "played": 2,
        "aborted": 2,
        "lost": 1,
        "score": 2,
    }
    assert rates["score"].value == 25
    assert {rate.of for rate in rates.values()} == {4}
    # 25 ± 9.8, but nobody can have more than 30.
    assert rates["score"].low == pytest.approx(15.2, abs=0.01)
    assert rates["score"].high == 30


def test_what_games_were_aborted_for_is_counted_most_frequent_first() -> None:
    causes = ["silence", MALFORMED, MALFORMED]
    aborted = [GameResult(number=0, fate="aborted", cause=each) for each in causes]
    assert list(count_causes([make_result("won", 30), *aborted]).items()) == [
        (MALFORMED, 2),
        ("silence", 1),
    ]


def test_where_nothing_can_be_won_nothing_is_lost() -> None:
    assert list(summarise_games([make_result("done")])) == ["played", "aborted"]
