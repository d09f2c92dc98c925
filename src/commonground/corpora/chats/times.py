"""Times of messages: dates, seconds since 1970, or seconds and clocks since the dialogue began."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

_EPOCH_S = 100_000_000
"""From so many seconds on (1973), a number is a date, below it is counted from the beginning."""
_MILLISECONDS = 100_000_000_000
"""From so many on (the year 5138), a number is of milliseconds."""
_LAST_S = 253_402_300_799
"""The last second of the year 9999."""

_CLOCK = re.compile(r"(\d{1,3}):(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)", re.ASCII)
"""Hours, minutes and seconds, of the day or since recording began."""


class Moment(NamedTuple):
    """When something was said.

    Attributes:
        seconds: since 1970 in UTC (``date``), since midnight or since a recording began
            (``clock``), or since the dialogue began (``number``).
        kind: which of the three.
    """

    seconds: float
    kind: Literal["date", "clock", "number"]


def parse_moment(value: Any) -> Moment | None:
    """Reads a time; None where it is none. A date without a zone is taken as UTC."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        hours, minutes, seconds = (float(part.replace(",", ".")) for part in clock.groups())
        return Moment(3600 * hours + 60 * minutes + seconds, "clock")
    try:
        return _of_number(float(text))
    except (ValueError, OverflowError):
        return _of_date(text)


def _of_number(number: float) -> Moment | None:
    if not math.isfinite(number) or number < 0:
        return None
    if number >= _MILLISECONDS:
        number /= 1000
    if number > _LAST_S:
        return None
    return Moment(number, "date" if number >= _EPOCH_S else "number")


def _of_date(text: str) -> Moment | None:
    try:
        date = datetime.fromisoformat(text)
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return Moment(seconds, "date")
