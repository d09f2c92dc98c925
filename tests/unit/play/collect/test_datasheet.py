"""The sheet of what a study was: figures that need not be there."""

from __future__ import annotations

import pytest

from commonground.play.collect.exports.datasheet import describe_pay
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
    done = {str(n): Pay("completed", "full", "C", 1, 2.0, each) for n, each in enumerate(seconds)}
    payment = Payment(amounts={"full": 2.0}, currency="EUR")
    assert describe_pay(payment, done)["hourly"] == hourly
