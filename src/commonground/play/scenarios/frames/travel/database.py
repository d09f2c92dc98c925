"""The database of travel packages that the wizard searches.

Packages are kept as short rows and made when a search finds them. What a search needs of all of
them lies in arrays, sorted by price: the ten cheapest of a hundred thousand are found in a few
milliseconds, whatever is asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, wraps
from random import Random
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from commonground.corpora.frames import native
from commonground.corpora.frames.vocabulary import (
    AMENITIES,
    DONT_CARE,
    MOST_PACKAGES,
    VICINITY,
)
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.frames.travel.values import Value, normalise, read_day
from commonground.records import UNSET, UnsetType

A = TypeVar("A")
B = TypeVar("B")

SEASON = datetime(2016, 8, 20, tzinfo=UTC)
"""First day on which anything of an invented database leaves."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
MINUTE_MS = 60_000

SLACK_DAYS = 2
"""Days that flexible dates may be missed by: what the released results of such searches keep to."""

CHILD_SHARE = 0.62
"""What a child pays of an adult's price, as counted in the released results."""

MOST_SUGGESTED = 5
"""Packages that are suggested at most where none fits: 569 of 634 released lists have five."""

_HOTELS_PER_CITY = 4


class Lodging(msgspec.Struct, frozen=True, gc=False):
    """A hotel of the database; see :class:`~commonground.corpora.frames.native.Hotel`.

    Attributes:
        name: with ``dst_city`` all that tells two hotels apart.
        category: its stars in words.
        gst_rating: 0 for none.
        amenities, vicinity: names of what it offers, and of what is near it, sorted.
    """

    name: str
    dst_city: str
    country: str
    category: str
    gst_rating: int | float
    amenities: tuple[str, ...]
    vicinity: tuple[str, ...]


class Deal(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A package of the database, as a short row.

    Attributes:
        hotel: number of its hotel, from 0.
        leaves_min, returns_min: departures of the two flights, in minutes since 1970.
        out_min, back_min: how long the flights take.
        days: of the trip. The released packages count the days between the departures, or one
            more, so it cannot be worked out.
        price: for one adult, in dollars.
    """

    hotel: int
    or_city: str
    seat: Literal["ECONOMY", "BUSINESS"]
    leaves_min: int
    out_min: int
    returns_min: int
    back_min: int
    days: int
    price: float


class Catalogue(msgspec.Struct, frozen=True, tag="given", tag_field="kind"):
    """A whole database: hotels, and packages, in any order, that name them by number."""

    hotels: tuple[Lodging, ...]
    deals: tuple[Deal, ...]


class Invention(msgspec.Struct, frozen=True, tag="invented", tag_field="kind"):
    """A database that is invented: the same seed and size give the same packages.

    Attributes:
        packages: how many it has, about.
    """

    seed: int
    packages: int = 1_600


Source = Catalogue | Invention


class Places(msgspec.Struct, frozen=True):
    """``places.toml``.

    Attributes:
        cities: those of an invented database, with their countries.
        names: ``nowhere``, places that no package goes to, and the parts of hotels' names.
    """

    cities: dict[str, str]
    names: dict[str, tuple[str, ...]]


@cache
def load_places() -> Places:
    """Returns the names that databases and task cards are invented from."""
    return load_beside(__file__, "places.toml", Places)


def fold_city(name: str) -> str:
    """Returns a city as searches compare it: without capitals, and without what follows a comma."""
    return name.partition(",")[0].strip().casefold()


class TravelDatabase:
    """A database, ready for searches. It never changes.

    Attributes:
        deals: cheapest first.
        cities: where one can go to or start from, in order of name.
        year: of the first flight; task cards are of it, and so are dates without a year.
        days: the first and the last on which something leaves, such as ``2016-08-20``; both empty
            where nothing does.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.hotels = catalogue.hotels
        self.deals = sorted(catalogue.deals, key=lambda deal: deal.price)
        origins = {deal.or_city for deal in self.deals}
        self.cities = sorted(origins | {hotel.dst_city for hotel in self.hotels})
        first_min = min((deal.leaves_min for deal in self.deals), default=0)
        last_min = max((deal.leaves_min for deal in self.deals), default=0)
        self.year = (EPOCH + timedelta(minutes=first_min)).year
        ends = [EPOCH + timedelta(minutes=each) for each in (first_min, last_min)]
        self.days = [each.date().isoformat() if self.deals else "" for each in ends]
        self._number = {fold_city(name): place for place, name in enumerate(self.cities)}
        deals, number = self.deals, self._number
        arrive = [number[fold_city(hotel.dst_city)] for hotel in self.hotels]
        # Cities as numbers: a comparison of a hundred thousand takes a fraction of a millisecond.
        self._from = np.array([number[fold_city(deal.or_city)] for deal in deals], np.int32)
        self._to = np.array([arrive[deal.hotel] for deal in deals], np.int32)
        self._leaves_ms = np.array([deal.leaves_min for deal in deals], np.int64) * MINUTE_MS
        self._returns_ms = np.array([deal.returns_min for deal in deals], np.int64) * MINUTE_MS
        self._days = np.array([deal.days for deal in deals], np.int32)
        self._price = np.array([deal.price for deal in deals], np.float64)

    def search(self, query: native.Search) -> list[native.Package]:
        """Returns the ten cheapest packages that fit a query, the cheapest first.

        A city must be the package's, an unknown one finds nothing. The first flight leaves at or
        after ``START_TIME``, the second at or before ``END_TIME``; with flexible dates up to two
        days more. The stay is no longer than ``MAX_DURATION``, the price between ``PRICE_MIN`` and
        ``PRICE_MAX``. Prices are for the whole party: each adult pays the price, each child
        :data:`CHILD_SHARE` of it.
        """
        party = count_party(query)
        fits = np.ones(len(self.deals), np.bool_)
        for said, cities in ((query.ORIGIN_CITY, self._from), (query.DESTINATION_CITY, self._to)):
            if said is not UNSET:
                # No city has number -1, so an unknown one finds nothing.
                fits &= cities == self._number.get(fold_city(said), -1)
        slack_ms = 0 if query.ARE_DATES_FLEXIBLE is UNSET else SLACK_DAYS * DAY_MS
        fits &= _between(self._leaves_ms, query.START_TIME, UNSET, slack_ms)
        fits &= _between(self._returns_ms, UNSET, query.END_TIME, slack_ms)
        prices = np.round(self._price * party, 2)
        fits &= _between(prices, query.PRICE_MIN, query.PRICE_MAX)
        if query.MAX_DURATION is not UNSET:
            fits &= self._days * DAY_MS <= query.MAX_DURATION
        found = np.flatnonzero(fits)[:MOST_PACKAGES]
        return [self.package(int(number), party) for number in found]

    def suggest(self, query: native.Search) -> list[native.Package]:
        """Returns the cheapest packages that fit all of a query but as little as can be left out.

        That is what the wizards of the first two weeks saw where nothing fitted: packages for
        another price or other days, then from or to another city.
        """
        for fields in _LEFT_OUT:
            wider = msgspec.structs.replace(query, **dict.fromkeys(fields, UNSET))
            if wider != query and (found := self.search(wider)):
                return found[:MOST_SUGGESTED]
        return []

    def package(self, number: int, party: float = 1) -> native.Package:
        """Returns a package by its place in ``deals``, from 0, as a search result has it.

        It costs an adult's price as many times as the party says.
        """
        deal = self.deals[number]
        return native.Package(
            price=round(deal.price * party, 2),
            trip=native.Trip(
                or_city=deal.or_city,
                leaving=_build_flight(deal.leaves_min, deal.out_min),
                returning=_build_flight(deal.returns_min, deal.back_min),
                seat=deal.seat,
                duration_days=deal.days,
            ),
            hotel=msgspec.convert(self.hotels[deal.hotel], native.Hotel, from_attributes=True),
        )


_DAYS_OFF = ("START_TIME", "END_TIME")
_LEFT_OUT: tuple[tuple[str, ...], ...] = (
    ("PRICE_MIN", "PRICE_MAX"),
    ("MAX_DURATION",),
    *(("END_TIME",), ("START_TIME",), _DAYS_OFF),
    *(("ORIGIN_CITY",), ("DESTINATION_CITY",)),
    ("PRICE_MIN", "PRICE_MAX", "MAX_DURATION", *_DAYS_OFF),
    ("ORIGIN_CITY", *_DAYS_OFF),
    ("ORIGIN_CITY", "DESTINATION_CITY"),
    ("PRICE_MIN", "PRICE_MAX", "MAX_DURATION", *_DAYS_OFF, "ORIGIN_CITY", "DESTINATION_CITY"),
)
"""What is left out of a query that nothing fits, one after the other, until something does."""


def count_party(query: native.Search) -> float:
    """Returns how many times the price of one adult a party pays; 1 where nobody is named."""
    adults, children = (
        int(said) if isinstance(said, str) and said.isdigit() else 0
        for said in (query.NUM_ADULTS, query.NUM_CHILDREN)
    )
    return adults + CHILD_SHARE * children or 1


def _between(
    values: npt.NDArray[np.int64] | npt.NDArray[np.float64],
    least: str | UnsetType,
    most: str | UnsetType,
    slack: int = 0,
) -> npt.NDArray[np.bool_]:
    fits = np.ones(len(values), np.bool_)
    if least is not UNSET:
        fits &= values >= float(least) - slack
    if most is not UNSET:
        fits &= values <= float(most) + slack
    return fits


def _build_flight(leaves_min: int, takes_min: int) -> native.Flight:
    hours, minutes = divmod(takes_min, 60)
    return native.Flight(
        departure=_build_moment(leaves_min),
        arrival=_build_moment(leaves_min + takes_min),
        duration=native.Duration(hours=hours, min=minutes),
    )


def _build_moment(at_min: int) -> native.Moment:
    at = EPOCH + timedelta(minutes=at_min)
    return native.Moment(year=at.year, month=at.month, day=at.day, hour=at.hour, min=at.minute)


def make_deal(package: native.Package) -> tuple[Lodging, Deal]:
    """Returns a package as a hotel and a row, in which the hotel's number is still to be set.

    Raises:
        ValueError: a departure is no date.
    """
    trip = package.trip
    lodging = msgspec.convert(package.hotel, Lodging, from_attributes=True)
    seat: Any = trip.seat  # whoever reads a file looks at it
    deal = Deal(
        hotel=0,
        or_city=trip.or_city,
        seat=seat,
        leaves_min=read_moment(trip.leaving.departure),
        out_min=60 * trip.leaving.duration.hours + trip.leaving.duration.min,
        returns_min=read_moment(trip.returning.departure),
        back_min=60 * trip.returning.duration.hours + trip.returning.duration.min,
        days=trip.duration_days,
        price=float(package.price),
    )
    return lodging, deal


def read_moment(at: native.Moment) -> int:
    """Returns a moment in minutes since 1970.

    Raises:
        ValueError: it is no date.
    """
    moment = datetime(at.year, at.month, at.day, at.hour, at.min, tzinfo=UTC)
    return (moment - EPOCH) // timedelta(minutes=1)


def fill_form(held: Mapping[str, Value], year: int = SEASON.year) -> dict[str, Any]:
    """Fills the search form from what a frame holds, or from wishes as people type them.

    Args:
        held: values by slot; those that mean "any" are left out, as is what cannot be read.
        year: of the dates, which frames hold without one.
    """
    texts = {k: v for k, v in held.items() if isinstance(v, str) and v != DONT_CARE}
    form: dict[str, Any] = {"NUM_ADULTS": _digits("n_adults", texts) or "1"}
    for field, slot in (("ORIGIN_CITY", "or_city"), ("DESTINATION_CITY", "dst_city")):
        if slot in texts:
            form[field] = texts[slot]
    for field, slot in (("START_TIME", "str_date"), ("END_TIME", "end_date")):
        day = read_day(texts.get(slot, ""), year)
        if day is not None:
            form[field] = str(int(day.timestamp()) * 1000)
    for field, slot in (("NUM_CHILDREN", "n_children"), ("PRICE_MAX", "budget")):
        digits = _digits(slot, texts)
        if digits is not None:
            form[field] = digits
    days = _digits("max_duration", texts)
    if days is not None:
        form["MAX_DURATION"] = int(days) * DAY_MS
    if held.get("flex") is True:
        form["ARE_DATES_FLEXIBLE"] = "true"
    return form


def _digits(slot: str, texts: Mapping[str, str]) -> str | None:
    """Returns the whole number that a slot holds, as digits; None for none."""
    number = normalise(slot, texts[slot]).partition(".")[0] if slot in texts else ""
    return number if number.isascii() and number.isdigit() else None


def keep_by_identity(function: Callable[[A], B]) -> Callable[[A], B]:
    """Returns a function that keeps its last results by which object it was called with.

    What is asked for at each act may be as large as a database, whose hash takes as long as reading
    all of it.
    """
    kept: OrderedDict[int, tuple[A, B]] = OrderedDict()

    @wraps(function)
    def run(source: A) -> B:
        found = kept.get(id(source))
        if found is None:
            # The source is kept as well, so that nothing else gets its id.
            found = kept[id(source)] = (source, function(source))
            if len(kept) > _MOST_CACHED:
                kept.popitem(last=False)
        return found[1]

    return run


# More than the pieces of any material that is read; of thousands of invented ones the last.
_MOST_CACHED = 64


@keep_by_identity
def open_database(source: Source) -> TravelDatabase:
    """Returns a database ready for searches; sessions with equal sources share one."""
    return _open_database(source)


# Few are kept, as each holds its whole catalogue in arrays.
@lru_cache(maxsize=4)
def _open_database(source: Source) -> TravelDatabase:
    return TravelDatabase(invent_catalogue(source) if isinstance(source, Invention) else source)


def invent_catalogue(invention: Invention) -> Catalogue:
    """Invents hotels, and flights to them from every other city."""
    cities = list(load_places().cities)
    rng, words = Random(f"{invention.seed}:hotels"), load_places().names
    names = [
        f"{a} {b} {c}" for a in words["first"] for b in words["second"] for c in words["third"]
    ]
    chosen = iter(rng.sample(names, len(cities) * _HOTELS_PER_CITY))
    hotels = tuple(
        _invent_hotel(rng, next(chosen), city) for city in cities for _ in range(_HOTELS_PER_CITY)
    )
    pairs = len(cities) * (len(cities) - 1)
    each = max(1, round(invention.packages / (pairs * _HOTELS_PER_CITY)))
    deals: list[Deal] = []
    for origin in cities:
        for number, destination in enumerate(cities):
            if origin != destination:
                # A generator for each pair, so that no pair's packages depend on those before it.
                rng = Random(f"{invention.seed}:{origin}:{destination}")
                first = number * _HOTELS_PER_CITY
                deals += _invent_deals(rng, origin, range(first, first + _HOTELS_PER_CITY), each)
    return Catalogue(hotels, tuple(deals))


def _invent_hotel(rng: Random, name: str, city: str) -> Lodging:
    stars = rng.choice((2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0))
    return Lodging(
        name=name,
        dst_city=city,
        country=load_places().cities[city],
        category=f"{stars} star hotel",
        # 0 stands for a hotel that no guest has rated.
        gst_rating=0 if rng.random() < 0.15 else round(rng.uniform(6.0, 9.8), 2),
        amenities=tuple(each for each in sorted(AMENITIES) if rng.random() < 0.6),
        vicinity=tuple(each for each in sorted(VICINITY) if rng.random() < 0.2),
    )


def _invent_deals(rng: Random, origin: str, hotels: range, each: int) -> list[Deal]:
    """Invents packages from one city to the hotels of another; no two cost the same."""
    hours, base = rng.randrange(1, 14), rng.randrange(300, 1400)
    season_min = int((SEASON - EPOCH).total_seconds()) // 60
    deals: dict[float, Deal] = {}
    for hotel in hotels:
        for _ in range(each):
            days = rng.randrange(3, 13)
            day_min = season_min + 1440 * rng.randrange(30)
            takes_min = 60 * hours + rng.randrange(60)
            seat: Literal["ECONOMY", "BUSINESS"] = rng.choice(("ECONOMY", "BUSINESS"))
            price = (base + 60 * days) * (1.7 if seat == "BUSINESS" else 1) * rng.uniform(0.9, 1.3)
            deal = Deal(
                hotel=hotel,
                or_city=origin,
                seat=seat,
                leaves_min=day_min + 60 * rng.randrange(24),
                out_min=takes_min,
                returns_min=day_min + 1440 * days + 60 * rng.randrange(24),
                back_min=takes_min,
                days=days,
                price=round(price, 2),
            )
            # By price: in a result, sorted by it, no order is left to chance.
            deals[deal.price] = deal
    return list(deals.values())
