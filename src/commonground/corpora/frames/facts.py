"""What a simulated wizard says of a package, and what it types into the search form."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime

from commonground.corpora.frames.book import Value
from commonground.corpora.frames.native import Moment, Number, Package, Search
from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.corpora.frames.wording import say_day
from commonground.corpora.frames.world import SEASON, time_of
from commonground.records import UNSET, UnsetType

_DAY_MS = 86_400_000


def day_of(at: Moment) -> str:
    """Writes the day of a flight as people type it."""
    return say_day(time_of(at).strftime("%B"), at.day)


def said_of(package: Package) -> dict[str, str]:
    """Returns the texts that can be said of a package, by slot."""
    hotel, trip = package.hotel, package.trip
    said = {
        "dst_city": hotel.dst_city,
        "name": hotel.name,
        "category": hotel.category.partition(" ")[0],
        "price": _price(package.price),
        "str_date": day_of(trip.leaving.departure),
        "end_date": day_of(trip.returning.departure),
        "seat": trip.seat.lower(),
        "duration": f"{trip.duration_days} days",
    }
    if hotel.gst_rating:
        said["gst_rating"] = str(hotel.gst_rating)
    return said


def _price(price: float) -> str:
    """Writes a price in one of two ways, always the same for the same price."""
    return f"${price:.2f}" if int(price) % 2 else f"{price:.2f}USD"


def write_query(rng: random.Random, held: Mapping[str, Value], timestamp: Number) -> Search:
    """Fills the search form from what a frame holds."""
    children, adults = _text(held, "n_children"), _text(held, "n_adults")
    return Search(
        timestamp=timestamp,
        ORIGIN_CITY=_text(held, "or_city"),
        DESTINATION_CITY=_any_case(rng, _text(held, "dst_city")),
        START_TIME=_day_ms(_text(held, "str_date")),
        END_TIME=_day_ms(_text(held, "end_date")),
        ARE_DATES_FLEXIBLE="true" if held.get("flex") is True else UNSET,
        MAX_DURATION=_length_ms(rng, _text(held, "max_duration")),
        NUM_ADULTS="1" if adults is UNSET else adults,
        NUM_CHILDREN=children,
        PRICE_MIN="100" if rng.random() < 0.1 else UNSET,
        PRICE_MAX=_whole(_text(held, "budget")),
        RESULT_LIMIT="10",
    )


def relax_query(query: Search, timestamp: Number) -> Search:
    """Returns the same query without dates and price."""
    return Search(
        timestamp=timestamp,
        ORIGIN_CITY=query.ORIGIN_CITY,
        DESTINATION_CITY=query.DESTINATION_CITY,
        NUM_ADULTS=query.NUM_ADULTS,
        NUM_CHILDREN=query.NUM_CHILDREN,
        RESULT_LIMIT=query.RESULT_LIMIT,
    )


def _text(held: Mapping[str, Value], slot: str) -> str | UnsetType:
    value = held.get(slot)
    return value if isinstance(value, str) and value != DONT_CARE else UNSET


def _any_case(rng: random.Random, city: str | UnsetType) -> str | UnsetType:
    if city is UNSET:
        return UNSET
    return city.lower() if rng.random() < 0.5 else city


def _day_ms(day: str | UnsetType) -> str | UnsetType:
    if day is UNSET:
        return UNSET
    at = datetime.strptime(f"{day} {SEASON.year}", "%B %d %Y").replace(tzinfo=UTC)
    return str(round(at.timestamp() * 1000))


def _length_ms(rng: random.Random, length: str | UnsetType) -> Number | UnsetType:
    if length is UNSET:
        return UNSET
    length_ms = int(length.partition(" ")[0]) * _DAY_MS
    return float(length_ms) if rng.random() < 0.1 else length_ms


def _whole(budget: str | UnsetType) -> str | UnsetType:
    return UNSET if budget is UNSET else str(int(float(budget)))
