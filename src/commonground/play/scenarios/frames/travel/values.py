"""Values of slots: as people type them, and as frames hold them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from commonground.corpora.frames.native import Moment, Package
from commonground.corpora.frames.vocabulary import DONT_CARE

Value = str | bool

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
"""Numbers as people write them out, from one on."""

AMOUNT = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
"""Pattern of a number such as ``1,700.50``, without a comma after it."""

_NUMBER = re.compile(AMOUNT, re.ASCII)
# Three letters tell months apart, however they are shortened: Sep, Sept., September.
_MONTH_NAME = rf"(?:{'|'.join(each[:3] for each in _MONTHS)})[a-z]*"
_MONTH = f"({_MONTH_NAME})"
DAYS = (
    rf"\b{_MONTH_NAME}\.? +(?:the )?\d+(?:st|nd|rd|th)?\b"
    rf"|\b\d+(?:st|nd|rd|th)?(?: of)? {_MONTH_NAME}"
)
"""How people write days, as a pattern without groups."""

_DAY = re.compile(rf"\b{_MONTH}\.? +(\d+)|\b(\d+)(?:st|nd|rd|th)?(?: of)? {_MONTH}", re.IGNORECASE)
# "the 21st", whose month was said before.
_DAY_ALONE = re.compile(r"(?:the )?(\d+)(?:st|nd|rd|th)", re.IGNORECASE)
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_DECIMAL = frozenset({"budget", "category", "price"})
_COUNTS = frozenset({"n_adults", "n_children", "duration", "max_duration", "min_duration"})

FLAG_OF: dict[str, str] = {
    "FREE_BREAKFAST": "breakfast",
    "FREE_PARKING": "parking",
    "FREE_WIFI": "wifi",
    "SPA": "spa",
    "theater": "theatre",
}
"""Slots of what a hotel has or is near to, where they have other names."""


def say_day(month: str, day: int) -> str:
    """Writes a day as people type it: ``September 3rd``."""
    return f"{month} {day}{_ENDINGS.get(day, 'th')}"


def read_day(text: str, year: int) -> datetime | None:
    """Returns the first day that a text names; None where it names none that exists."""
    found = _find_day(text)
    if found is None:
        return None
    named = found[0].lower()[:3]
    month = next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(named))
    try:
        return datetime(year, month, found[1], tzinfo=UTC)
    except ValueError:
        return None


def _find_day(text: str) -> tuple[str, int] | None:
    """Returns the month as written and the day of the first date in a text."""
    found = _DAY.search(text)
    if found is None:
        return None
    month, day = (found[1], found[2]) if found[1] else (found[4], found[3])
    return month, int(day)


def normalise(slot: str, said: str) -> str:
    """Writes what was said as frames hold it.

    ``$1,700`` is ``1700.0`` as a budget, ``August 13th`` ``august 13``, ``3-star`` ``3.0``,
    ``7.5/10`` ``7.5``, ``four`` adults ``4`` and ``2 weeks`` ``14``. What has another form stays.
    """
    if said == DONT_CARE:
        return said
    if slot in ("str_date", "end_date"):
        found = _find_day(said)
        if found is not None:
            return f"{found[0].lower()} {found[1]}"
        alone = _DAY_ALONE.fullmatch(said.strip())
        return alone[1] if alone else said
    if slot in _DECIMAL or slot in _COUNTS or slot == "gst_rating":
        return _normalise_number(slot, said)
    return said.lower() if slot == "seat" else said


def _normalise_number(slot: str, said: str) -> str:
    found = _NUMBER.search(said)
    if found is None:
        words = said.lower().replace("-", " ").split()
        named = next((word for word in words if word in NUMBER_WORDS), None)
        if named is None:
            return said
        number = str(NUMBER_WORDS.index(named) + 1)
    else:
        number = found[0].replace(",", "")
    if slot in _DECIMAL:
        return str(float(number))
    if slot.endswith("duration") and "week" in said.lower() and number.isdigit():
        return str(7 * int(number))
    return number


def say_price(price: float) -> str:
    """Writes a price in one of two ways, always the same for the same price."""
    return f"${price:.2f}" if int(price) % 2 else f"{price:.2f}USD"


def say_moment(at: Moment) -> str:
    """Writes the day of a flight as people type it."""
    return say_day(_MONTHS[at.month - 1].capitalize(), at.day)


def say_package(package: Package) -> dict[str, Value]:
    """Returns all that can be said of a package, by slot: texts, and true for what it has."""
    hotel, trip = package.hotel, package.trip
    said: dict[str, Value] = {
        "dst_city": hotel.dst_city,
        "or_city": trip.or_city,
        "name": hotel.name,
        "category": hotel.category.partition(" ")[0].removesuffix(".0"),
        "price": say_price(package.price),
        "str_date": say_moment(trip.leaving.departure),
        "end_date": say_moment(trip.returning.departure),
        "seat": trip.seat.lower(),
        "duration": f"{trip.duration_days} days",
    }
    if hotel.gst_rating:
        said["gst_rating"] = str(hotel.gst_rating)
    # The heart of a town is what users call downtown.
    for each in (*hotel.amenities, *hotel.vicinity):
        said[FLAG_OF.get(each, "downtown" if each == "heart" else each)] = True
    return said


def hold_value(slot: str, said: Value) -> Value:
    """Returns a value as frames hold it; yes and no as they are."""
    return normalise(slot, said) if isinstance(said, str) else said
