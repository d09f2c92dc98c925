"""The wizard's searches: what was asked of the database, what it found, what was offered."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from commonground.corpora.frames.native import Flight, Package, Trip
from commonground.model import Action, Dialogue, Json
from commonground.view import Stage


class Condition(msgspec.Struct, frozen=True, gc=False):
    """A filled field of the search form.

    Attributes:
        field: its name as published.
        label: the same in small letters.
        value: as published.
        meaning: the day or length that a number of milliseconds means; else the value.
    """

    field: str
    label: str
    value: str
    meaning: str


class PackageOffer(msgspec.Struct, frozen=True, gc=False):
    """Where a package was offered, and as which frame.

    Attributes:
        event: number of the utterance that offers it.
        act: ``offer`` or ``suggest``.
        frame: the frame that was made of it; None where the act names none.
    """

    event: int
    act: str
    frame: int | None


class Hit(msgspec.Struct, kw_only=True, gc=False):
    """A row of the result.

    Attributes:
        position: from 1.
        object_id: the package.
        hotel: its name.
        category: number of stars as published.
        rating: of its guests, out of 10; None where it has none (published as 0).
        where: city and country.
        origin: where the flights start.
        dates: day of each flight and the length of the stay.
        seat: class of the flights.
        price: in US dollars.
        extras: amenities and what is near, as published.
        offers: where it was offered after this search.
    """

    position: int
    object_id: str
    hotel: str
    category: str
    rating: float | None
    where: str
    origin: str
    dates: str
    seat: str
    price: float
    extras: list[str]
    offers: list[PackageOffer]


class SearchStage(Stage, kw_only=True):
    """A search as a panel.

    Attributes:
        conditions: the filled fields; None where the result came without a query.
        hits: what was found; None where the query came without a result.
        offered: number of hits that were offered later.
    """

    conditions: list[Condition] | None
    hits: list[Hit] | None
    offered: int


def make_searches(dialogue: Dialogue) -> list[SearchStage]:
    """Describes every search of a dialogue, in order."""
    offers: dict[str, list[PackageOffer]] = {}
    for each in dialogue.groundings:
        frame = each.mention if each.mention and each.mention.isdecimal() else None
        offer = PackageOffer(each.event, each.label or each.relation, int(frame) if frame else None)
        offers.setdefault(each.object_id, []).append(offer)
    shown: dict[int | None, list[str]] = {}
    for display in dialogue.displays:
        shown.setdefault(display.event, []).append(display.object_id)
    return [
        _make_search(number, event, shown.get(number, []), offers)
        for number, event in enumerate(dialogue.events)
        if isinstance(event, Action)
    ]


def _make_search(
    number: int, event: Action, shown: list[str], offers: dict[str, list[PackageOffer]]
) -> SearchStage:
    hits = None
    if isinstance(event.result, list):
        packages = msgspec.convert(event.result, list[Package])
        pairs = enumerate(zip(shown, packages, strict=False), 1)
        hits = [_make_hit(i, name, each, number, offers) for i, (name, each) in pairs]
    offered = sum(bool(hit.offers) for hit in hits or ())
    found = "no result" if hits is None else f"{len(hits)} found"
    return SearchStage(
        first=number,
        last=number,
        title=f"Search: {found}",
        conditions=None if event.arguments is None else list(read_conditions(event.arguments)),
        hits=hits,
        offered=offered,
    )


def read_conditions(arguments: Json) -> Iterator[Condition]:
    """Yields the filled fields of a search form; none of what is no form."""
    for field, value in arguments.items() if isinstance(arguments, dict) else ():
        label = field.replace("_", " ").lower()
        yield Condition(field, label, f"{value}", _meaning(field, f"{value}"))


def _meaning(field: str, value: str) -> str:
    try:
        # Milliseconds as text; the time of the search itself is in seconds.
        if field in ("START_TIME", "END_TIME"):
            return f"{datetime.fromtimestamp(int(value) / 1000, UTC):%Y-%m-%d}"
        if field == "MAX_DURATION":
            return _days(float(value) / 86_400_000)
    except (ValueError, OverflowError, OSError):
        return value
    return value


def _make_hit(
    position: int,
    object_id: str,
    package: Package,
    event: int,
    offers: dict[str, list[PackageOffer]],
) -> Hit:
    hotel, trip = package.hotel, package.trip
    return Hit(
        position=position,
        object_id=object_id,
        hotel=hotel.name,
        category=hotel.category,
        rating=hotel.gst_rating or None,
        where=f"{hotel.dst_city}, {hotel.country}",
        origin=trip.or_city,
        dates=write_dates(trip),
        seat=trip.seat.lower(),
        price=package.price,
        extras=[each.lower().replace("_", " ") for each in (*hotel.amenities, *hotel.vicinity)],
        # An earlier search may have found the package, too.
        offers=[each for each in offers.get(object_id, ()) if each.event > event],
    )


def write_dates(trip: Trip) -> str:
    """Writes the days of both flights, and how long the stay is."""
    return f"{_day(trip.leaving)} to {_day(trip.returning)}, {_days(trip.duration_days)}"


def _days(number: float) -> str:
    return "1 day" if number == 1 else f"{number:g} days"


def _day(flight: Flight) -> str:
    at = flight.departure
    month = calendar.month_abbr[at.month] if 1 <= at.month <= 12 else f"{at.month}."
    return f"{at.day} {month}"
