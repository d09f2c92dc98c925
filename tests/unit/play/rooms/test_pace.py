"""Floods of messages are slowed down, and none is lost."""

from __future__ import annotations

import pytest

from commonground.play.rooms.wire import CHAT_BURST, CHAT_RATE, Pace


def test_a_flood_comes_at_the_pace_of_a_reader() -> None:
    pace = Pace(CHAT_BURST, CHAT_RATE)
    assert [pace.count(0.0) for _ in range(CHAT_BURST)] == [0.0] * CHAT_BURST
    now_s, late = 0.0, 30
    for _ in range(late):
        wait_s = pace.count(now_s)
        assert wait_s == pytest.approx(1 / CHAT_RATE)
        now_s += wait_s
    assert now_s == pytest.approx(late / CHAT_RATE)


def test_who_rests_may_write_at_once_again() -> None:
    pace = Pace(2, 1.0)
    assert [pace.count(0.0) for _ in range(3)] == [0.0, 0.0, 1.0]
    assert pace.count(10.0) == pace.count(10.0) == 0.0
    assert pace.count(10.0) == 1.0
