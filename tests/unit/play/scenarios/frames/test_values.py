from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonground.play.scenarios.frames.travel.values import (
    normalise,
    read_day,
    say_day,
    say_price,
)


@pytest.mark.parametrize(("day", "said"), [(1, "May 1st"), (12, "May 12th"), (23, "May 23rd")])
def test_days_are_said_and_held(day: int, said: str) -> None:
    assert say_day("May", day) == said
    assert normalise("str_date", said) == f"may {day}"
    assert read_day(said, 2016) == datetime(2016, 5, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("slot", "said", "held"),
    [
        ("budget", "$1,700", "1700.0"),
        ("price", "812.50USD", "812.5"),
        ("category", "3-star", "3.0"),
        ("gst_rating", "7.15/10", "7.15"),
        ("duration", "7 days", "7"),
        ("max_duration", "2 weeks", "14"),
        ("max_duration", "two weeks", "14"),
        ("n_adults", "four of us", "4"),
        ("n_adults", "just me", "just me"),
        ("end_date", "the 3rd of Sept", "sept 3"),
        ("end_date", "8th", "8"),
        ("end_date", "soon", "soon"),
        ("seat", "Economy", "economy"),
        ("dst_city", "Brook", "Brook"),
        ("budget", "-1", "-1"),
    ],
)
def test_values_are_held_as_in_the_released_frames(slot: str, said: str, held: str) -> None:
    assert normalise(slot, said) == held


@pytest.mark.parametrize("text", ["", "soon", "February 31st", "3 of them"])
def test_a_text_without_a_day_has_none(text: str) -> None:
    assert read_day(text, 2016) is None


def test_the_same_price_is_always_written_in_the_same_way() -> None:
    assert [say_price(price) for price in (812.5, 813.0, 812.5)] == [
        "812.50USD",
        "$813.00",
        "812.50USD",
    ]
