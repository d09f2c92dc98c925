from __future__ import annotations

import time
from random import Random
from typing import Any

import pytest
from tests.replays.frames import gather_catalogue
from tests.unit.play.scenarios.frames.chats import at, material

from commonground.corpora.frames.native import Package, Search
from commonground.play.scenarios.frames.travel.database import (
    DAY_MS,
    Invention,
    TravelDatabase,
    fill_form,
    invent_catalogue,
    load_places,
    open_database,
)

DATABASE = open_database(material().packages)


def search(**query: Any) -> list[float]:
    """The prices of what a query finds."""
    return [each.price for each in DATABASE.search(Search(timestamp=0, **query))]


@pytest.mark.parametrize(
    ("query", "prices"),
    [
        ({}, [640.25, 700.0, 812.5, 1200.0]),
        ({"DESTINATION_CITY": "BROOK, Nowhere"}, [640.25, 812.5, 1200.0]),
        ({"ORIGIN_CITY": "Brook"}, []),
        ({"ORIGIN_CITY": "Atlantis"}, []),
        ({"PRICE_MIN": "700", "PRICE_MAX": "900"}, [700.0, 812.5]),
        # The first flights leave on 3, 5, 4 and 12 September at eight, the second 6 or 10 days on.
        ({"START_TIME": str((at(5, 0)) * 60_000)}, [640.25, 1200.0]),
        ({"END_TIME": str(at(10, 0) * 60_000)}, [812.5]),
        ({"END_TIME": str(at(10, 0) * 60_000), "ARE_DATES_FLEXIBLE": "true"}, [640.25, 700, 812.5]),
        ({"START_TIME": str(at(14, 9) * 60_000), "ARE_DATES_FLEXIBLE": "true"}, []),
        ({"MAX_DURATION": 6 * DAY_MS}, [640.25, 700.0, 812.5]),
    ],
)
def test_a_search_finds_what_fits_the_cheapest_first(query: Any, prices: list[float]) -> None:
    assert search(**query) == prices


def test_ten_are_found_at_most() -> None:
    database = open_database(Invention(1))
    found = database.search(Search(timestamp=0))
    assert len(found) == 10
    assert found[-1].price == database.deals[9].price


def test_packages_are_as_the_released_ones() -> None:
    cheapest = DATABASE.package(0)
    trip = cheapest.trip
    assert (trip.or_city, trip.seat, trip.duration_days) == ("Arden", "BUSINESS", 6)
    assert (trip.leaving.departure.day, trip.leaving.departure.hour) == (5, 8)
    assert (trip.leaving.arrival.hour, trip.returning.arrival.min) == (11, 20)
    # 180 and 200 minutes after eight.
    assert (trip.leaving.duration.hours, trip.returning.duration.min) == (3, 20)
    assert cheapest.hotel.amenities == ["FREE_WIFI"]


def test_packages_are_rows_and_packages_again() -> None:
    packages = [DATABASE.package(number) for number in range(4)]
    again = TravelDatabase(gather_catalogue(packages))
    assert [again.package(number) for number in range(4)] == packages


def test_the_seed_decides_what_is_invented() -> None:
    assert invent_catalogue(Invention(1, 300)) == invent_catalogue(Invention(1, 300))
    assert invent_catalogue(Invention(1, 300)) != invent_catalogue(Invention(2, 300))


@pytest.mark.parametrize("wanted", [528, 1_600, 5_280])
def test_a_database_has_about_as_many_packages_as_wanted(wanted: int) -> None:
    assert abs(len(open_database(Invention(3, wanted)).deals) / wanted - 1) < 0.05


def test_no_two_packages_of_a_pair_of_cities_cost_the_same() -> None:
    catalogue = invent_catalogue(Invention(4))
    pairs = [(d.or_city, catalogue.hotels[d.hotel].dst_city, d.price) for d in catalogue.deals]
    assert len(set(pairs)) == len(pairs)


def test_places_nowhere_are_in_no_database() -> None:
    places = load_places()
    assert not set(places.names["nowhere"]) & set(places.cities)


def test_a_form_is_filled_from_what_a_frame_holds() -> None:
    held: dict[str, str | bool] = {
        "or_city": "Arden",
        "dst_city": "-1",
        "str_date": "september 3",
        "end_date": "soon",
        "budget": "900.0",
        "n_adults": "two",
        "n_children": "3",
        "max_duration": "7",
        "flex": True,
        "wifi": True,
    }
    assert fill_form(held, 2016) == {
        "ORIGIN_CITY": "Arden",
        "START_TIME": str(at(3, 0) * 60_000),
        "PRICE_MAX": "900",
        "NUM_ADULTS": "2",
        "NUM_CHILDREN": "3",
        "MAX_DURATION": 7 * DAY_MS,
        "ARE_DATES_FLEXIBLE": "true",
    }


def test_an_empty_database_finds_nothing() -> None:
    found: list[Package] = TravelDatabase(gather_catalogue([])).search(Search(timestamp=0))
    assert found == []


def test_a_hundred_thousand_packages_are_searched_in_no_time() -> None:
    database = open_database(Invention(1, 100_000))
    assert len(database.deals) > 99_000
    rng, times = Random(1), []
    for _ in range(200):
        chosen = rng.sample(database.cities, 2)
        query = {"ORIGIN_CITY": chosen[0], "DESTINATION_CITY": chosen[1], "PRICE_MAX": "900"}
        some: dict[str, Any] = {field: query[field] for field in query if rng.random() < 0.7}
        begun = time.process_time()
        database.search(Search(timestamp=0, ARE_DATES_FLEXIBLE="true", **some))
        times.append(time.process_time() - begun)
    assert sorted(times)[197] < 0.05


@pytest.mark.parametrize(
    ("party", "price"),
    [
        ({"NUM_ADULTS": "1"}, 640.25),
        ({"NUM_ADULTS": "2"}, 1280.5),
        # 2 * 640.25 + 3 * .62 * 640.25
        ({"NUM_ADULTS": "2", "NUM_CHILDREN": "3"}, 2471.37),
        ({"NUM_ADULTS": "0"}, 640.25),
    ],
)
def test_a_party_pays_for_each_adult_and_less_for_a_child(party: Any, price: float) -> None:
    assert search(**party)[0] == pytest.approx(price, abs=0.01)


def test_prices_are_asked_for_as_the_party_pays_them() -> None:
    # 640.25, 700, 812.5 and 1200 for one.
    assert search(NUM_ADULTS="2", PRICE_MAX="1400") == [1280.5, 1400.0]


def suggested(**query: Any) -> list[float]:
    return [each.price for each in DATABASE.suggest(Search(timestamp=0, **query))]


@pytest.mark.parametrize(
    ("query", "prices"),
    [
        # Another price before another place.
        ({"DESTINATION_CITY": "Beck", "PRICE_MAX": "100"}, [700.0]),
        ({"DESTINATION_CITY": "Atlantis", "PRICE_MAX": "700"}, [640.25, 700.0]),
        ({"ORIGIN_CITY": "Atlantis", "DESTINATION_CITY": "Beck"}, [700.0]),
        ({"MAX_DURATION": DAY_MS, "DESTINATION_CITY": "Beck"}, [700.0]),
        ({"ORIGIN_CITY": "X", "DESTINATION_CITY": "Y"}, [640.25, 700.0, 812.5, 1200.0]),
    ],
)
def test_what_comes_close_is_suggested_where_nothing_fits(query: Any, prices: list[float]) -> None:
    assert search(**query) == []
    assert suggested(**query) == prices


def test_five_are_suggested_at_most() -> None:
    found = open_database(Invention(1)).suggest(Search(timestamp=0, DESTINATION_CITY="Atlantis"))
    assert len(found) == 5
