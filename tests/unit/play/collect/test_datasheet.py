"""The sheet of what a study was: figures that need not be there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from commonground.play.collect.exports import datasheet
from commonground.play.collect.exports.paying import Pay
from commonground.play.collect.setup.study import Payment


@pytest.mark.parametrize(
    ("seconds", "hourly"),
    [
        ([], None),
        # By a clock that was set back, or where a program took a seat.
        ([0.0, 0.0], None),
        # 2 EUR for half an hour.
        ([0.0, 1800.0], "4.00 EUR"),
    ],
)
def test_whoever_took_no_time_has_no_hourly_wage(seconds: list[float], hourly: str | None) -> None:
    done = [Pay("completed", "full", "C", 1, 2.0, each) for each in seconds]
    payment = Payment(amounts={"full": 2.0}, currency="EUR")
    counts: Any = SimpleNamespace(
        settings=SimpleNamespace(payment=payment), pay=dict(enumerate(done))
    )
    told = dict(datasheet._tell_pay(counts, done))
    assert told.get("pay: per hour, of those who completed, median") == hourly
