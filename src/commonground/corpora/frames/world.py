"""The invented travel database of the simulator: cities, hotels, flights, packages."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import msgspec

from commonground.corpora.frames.native import (
    Duration,
    Flight,
    Hotel,
    Moment,
    Package,
    Search,
    Trip,
)
from commonground.corpora.frames.vocabulary import AMENITIES, VICINITY
from commonground.records import UNSET

SEASON = datetime(2016, 8, 20, tzinfo=UTC)
"""First day on which anything leaves."""

CITIES: dict[str, str] = {
    "Lisbon": "Portugal",
    "Tallinn": "Estonia",
    "Bergen": "Norway",
    "Ghent": "Belgium",
    "Trieste": "Italy",
    "Halifax": "Canada",
    "Cusco": "Peru",
    "Valdivia": "Chile",
    "Zanzibar": "Tanzania",
    "Hobart": "Australia",
    "Kanazawa": "Japan",
    "Luang Prabang": "Laos",
}
NOWHERE: tuple[str, ...] = ("Brindlemark", "Port Ossery", "Quillhaven", "Upper Tarn", "Vesmere")
"""Places that users ask for and the database does not know."""

_FIRST = ("Amber", "Bramble", "Copper", "Drift", "Ember", "Fennel", "Gable", "Harbour", "Juniper")
_SECOND = ("Heron", "Lantern", "Orchard", "Compass", "Otter", "Terrace", "Willow", "Anchor")
_THIRD = ("Inn", "House", "Lodge", "Rooms", "Court", "Suites")
_HOTELS_PER_CITY = 4
_LIMIT = 10


class World:
    """A database of packages; what is in it follows from the seed.

    Packages between two cities are made when they are first asked for.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = random.Random(f"{seed}/hotels")
        names = [f"{a} {b} {c}" for a in _FIRST for b in _SECOND for c in _THIRD]
        chosen = iter(rng.sample(names, len(CITIES) * _HOTELS_PER_CITY))
        self._hotels = {
            city: [_make_hotel(rng, next(chosen), city) for _ in range(_HOTELS_PER_CITY)]
            for city in CITIES
        }
        self._packages: dict[tuple[str, str], list[Package]] = {}

    def search(self, query: Search) -> list[Package]:
        """Returns the ten cheapest packages that fit a query; none for unknown cities."""
        origins = _matching(query.ORIGIN_CITY)
        destinations = _matching(query.DESTINATION_CITY)
        found = [
            package
            for origin in origins
            for destination in destinations
            if origin != destination
            for package in self._between(origin, destination)
            if _fits(package, query)
        ]
        found.sort(key=lambda package: package.price)
        return found[:_LIMIT]

    def _between(self, origin: str, destination: str) -> list[Package]:
        key = (origin, destination)
        if key not in self._packages:
            rng = random.Random(f"{self._seed}/{origin}/{destination}")
            hours, base = rng.randrange(1, 14), rng.randrange(300, 1400)
            packages = {}
            for hotel in self._hotels[destination]:
                for _ in range(rng.randrange(2, 5)):
                    package = _make_package(rng, hotel, origin, hours, base)
                    packages[package.price] = package
            self._packages[key] = list(packages.values())
        return self._packages[key]


def _matching(said: str | msgspec.UnsetType) -> list[str]:
    if said is UNSET:
        return list(CITIES)
    return [city for city in CITIES if city.casefold() == said.casefold()]


def _make_hotel(rng: random.Random, name: str, city: str) -> Hotel:
    stars = rng.choice((2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0))
    rating = 0 if rng.random() < 0.15 else round(rng.uniform(6.0, 9.8), 2)
    return Hotel(
        name=name,
        dst_city=city,
        country=CITIES[city],
        category=f"{stars} star hotel",
        gst_rating=rating,
        amenities=[each for each in sorted(AMENITIES) if rng.random() < 0.6],
        vicinity=[each for each in sorted(VICINITY) if rng.random() < 0.2],
    )


def _make_package(rng: random.Random, hotel: Hotel, origin: str, hours: int, base: int) -> Package:
    days = rng.randrange(3, 13)
    leaves = SEASON + timedelta(days=rng.randrange(30), hours=rng.randrange(24))
    returns = leaves.replace(hour=rng.randrange(24)) + timedelta(days=days)
    duration = Duration(hours=hours, min=rng.randrange(60))
    seat = rng.choice(("ECONOMY", "BUSINESS"))
    price = (base + 60 * days) * (1.7 if seat == "BUSINESS" else 1) * rng.uniform(0.9, 1.3)
    return Package(
        price=round(price, 2),
        trip=Trip(
            or_city=origin,
            leaving=_make_flight(leaves, duration),
            returning=_make_flight(returns, duration),
            seat=seat,
            duration_days=(returns.date() - leaves.date()).days,
        ),
        hotel=hotel,
    )


def _make_flight(leaves: datetime, duration: Duration) -> Flight:
    arrives = leaves + timedelta(hours=duration.hours, minutes=duration.min)
    return Flight(departure=_moment(leaves), arrival=_moment(arrives), duration=duration)


def _moment(at: datetime) -> Moment:
    return Moment(year=at.year, month=at.month, day=at.day, hour=at.hour, min=at.minute)


def time_of(at: Moment) -> datetime:
    """Returns a moment as a time."""
    return datetime(at.year, at.month, at.day, at.hour, at.min, tzinfo=UTC)


def _fits(package: Package, query: Search) -> bool:
    trip = package.trip
    leaves_ms = time_of(trip.leaving.departure).timestamp() * 1000
    returns_ms = time_of(trip.returning.departure).timestamp() * 1000
    length_ms = trip.duration_days * 86_400_000
    return (
        (query.START_TIME is UNSET or leaves_ms >= float(query.START_TIME))
        and (query.END_TIME is UNSET or returns_ms <= float(query.END_TIME))
        and (query.MAX_DURATION is UNSET or length_ms <= query.MAX_DURATION)
        and (query.PRICE_MIN is UNSET or package.price >= float(query.PRICE_MIN))
        and (query.PRICE_MAX is UNSET or package.price <= float(query.PRICE_MAX))
    )
