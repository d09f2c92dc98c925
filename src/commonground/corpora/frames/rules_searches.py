"""Rules of Frames about database searches and the packages found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from commonground.corpora.frames.native import Flight, FramesDialogue, Moment, Package, Search
from commonground.corpora.frames.rules_turns import event_of
from commonground.corpora.frames.vocabulary import AMENITIES, SEATS, VICINITY
from commonground.findings import Examined, Place, rule
from commonground.records import UNSET, UnsetType

_MOST = 10


def _search_event(record: FramesDialogue, number: int, index: int) -> int:
    """Returns the number of the event that a search is."""
    db = record.turns[number].db
    after = 0 if db is UNSET else max(len(db.search), len(db.result))
    return event_of(record, number) - after + index


def _searches(record: FramesDialogue) -> Iterator[tuple[int, int, Search]]:
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, search in enumerate(turn.db.search):
                yield number, index, search


def _results(record: FramesDialogue) -> Iterator[tuple[int, int, list[Package]]]:
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            for index, packages in enumerate(turn.db.result):
                yield number, index, packages


@rule(
    "CG-FRAMES-046",
    "error",
    "A turn has more searches than results, or fewer.",
    why="It is not known which result a search gave.",
    advice="Give each search its result, an empty list where nothing was found.",
    format="dialogues",
    known=0,
)
def search_has_result(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """There are as many results as searches."""
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET and len(turn.db.search) != len(turn.db.result):
            path = f".turns[{number}].db.result"
            expected = f"{len(turn.db.search)} results"
            yield Place(path, expected, str(len(turn.db.result)), event_of(record, number))


@rule(
    "CG-FRAMES-047",
    "warning",
    "A search found more than ten packages.",
    why="The database gave ten at most.",
    advice="Check the result.",
    format="dialogues",
    known=0,
)
def result_is_limited(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """A result has ten packages at most."""
    for number, index, packages in _results(record):
        if len(packages) > _MOST:
            path = f".turns[{number}].db.result[{index}]"
            event = _search_event(record, number, index)
            yield Place(path, f"{_MOST} packages at most", str(len(packages)), event)


@rule(
    "CG-FRAMES-048",
    "warning",
    "A search found the same package twice.",
    why="A list of options names each once.",
    advice="Drop the second.",
    format="dialogues",
    known=0,
)
def packages_differ(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The packages of a result differ."""
    for number, index, packages in _results(record):
        # Equal packages have equal prices, so most results need no comparison.
        if len({package.price for package in packages}) == len(packages):
            continue
        for position, package in enumerate(packages):
            if package in packages[:position]:
                path = f".turns[{number}].db.result[{index}][{position}]"
                event = _search_event(record, number, index)
                yield Place(path, "another package", package.hotel.name, event)


@rule(
    "CG-FRAMES-049",
    "warning",
    "A constant of the search form is not what it always is.",
    why='`RESULT_LIMIT` is "10", and `ARE_DATES_FLEXIBLE` is "true" or absent.',
    advice="Check the value; they are texts.",
    format="dialogues",
    known=0,
)
def constants_hold(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The result limit is there and ten, flexible dates are ``true`` if said at all."""
    for number, index, search in _searches(record):
        limit, flexible = search.RESULT_LIMIT, search.ARE_DATES_FLEXIBLE
        if limit != str(_MOST):
            path = f".turns[{number}].db.search[{index}].RESULT_LIMIT"
            found = None if limit is UNSET else limit
            yield Place(path, str(_MOST), found, _search_event(record, number, index))
        if flexible is not UNSET and flexible != "true":
            path = f".turns[{number}].db.search[{index}].ARE_DATES_FLEXIBLE"
            yield Place(path, "true", flexible, _search_event(record, number, index))


_NUMERIC = ("START_TIME", "END_TIME", "NUM_ADULTS", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX")
_DIGITS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


@rule(
    "CG-FRAMES-050",
    "note",
    "A number of a search is not written as one.",
    why="The form was left empty or a date could not be read; the search went ahead without it.",
    advice="Read it as not given.",
    format="dialogues",
    known=42,
)
def search_is_numeric(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Times, counts and prices of a search are digits."""
    for number, index, search in _searches(record):
        for field in _NUMERIC:
            value: str | UnsetType = getattr(search, field)
            if value is not UNSET and not _DIGITS.fullmatch(value):
                path = f".turns[{number}].db.search[{index}].{field}"
                event = _search_event(record, number, index)
                yield Place(path, "a number", repr(value), event)


@rule(
    "CG-FRAMES-051",
    "note",
    "A search does not say for how many adults it is.",
    why="The form asked for it; prices are for a number of people.",
    advice="Take the number from the frame.",
    format="dialogues",
    known=5,
)
def search_has_adults(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """A search has the number of adults."""
    for number, index, search in _searches(record):
        if search.NUM_ADULTS is UNSET:
            path = f".turns[{number}].db.search[{index}].NUM_ADULTS"
            yield Place(path, "a number", None, _search_event(record, number, index))


@rule(
    "CG-FRAMES-052",
    "warning",
    "A search is earlier than the one before it in its turn.",
    why="Searches of a turn stand in order of time.",
    advice="Sort them, and their results with them.",
    format="dialogues",
    known=0,
)
def searches_in_order(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Searches of a turn are in order of time."""
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        for index, (before, search) in enumerate(pairwise(turn.db.search), 1):
            if search.timestamp < before.timestamp:
                path = f".turns[{number}].db.search[{index}].timestamp"
                expected, found = f"{before.timestamp} or more", str(search.timestamp)
                yield Place(path, expected, found, _search_event(record, number, index))


@rule(
    "CG-FRAMES-053",
    "note",
    "A search was made before the user's turn or after the wizard's answer.",
    why="The log gave it to this turn, though by the clock it belongs to another.",
    advice="Order searches by `at_s` where the exact time matters.",
    format="dialogues",
    known=701,
)
def search_is_in_turn(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """A search lies between the turn before and its own."""
    for number, index, search in _searches(record):
        at_ms = search.timestamp * 1000
        if number and at_ms < record.turns[number - 1].timestamp:
            expected = "after the turn before"
        elif at_ms > record.turns[number].timestamp:
            expected = "before the answer"
        else:
            continue
        path = f".turns[{number}].db.search[{index}].timestamp"
        event = _search_event(record, number, index)
        yield Place(path, expected, str(search.timestamp), event)


@rule(
    "CG-FRAMES-054",
    "note",
    "A search found packages from or to another city than asked for.",
    why="For cities it does not know the database gave other ones.",
    advice="Do not take the cities of a result from the search.",
    format="dialogues",
    known=547,
)
def result_is_for_city(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Packages are from and to the cities of the search, capitals and countries aside."""
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        pairs = zip(turn.db.search, turn.db.result, strict=False)
        for index, (search, packages) in enumerate(pairs):
            origin, destination = _city(search.ORIGIN_CITY), _city(search.DESTINATION_CITY)
            for position, package in enumerate(packages):
                cities = package.trip.or_city, package.hotel.dst_city
                wrong_origin = origin is not None and origin != cities[0].casefold()
                if wrong_origin or (destination or cities[1].casefold()) != cities[1].casefold():
                    path = f".turns[{number}].db.result[{index}][{position}]"
                    expected = f"from {origin or 'anywhere'} to {destination or 'anywhere'}"
                    event = _search_event(record, number, index)
                    yield Place(path, expected, f"from {cities[0]} to {cities[1]}", event)
                    break


def _city(said: str | UnsetType) -> str | None:
    return None if said is UNSET else said.partition(",")[0].strip().casefold()


@rule(
    "CG-FRAMES-055",
    "warning",
    "The times of a flight do not add up.",
    why="In the released file arrival is departure plus duration, zones aside.",
    advice="Check the three.",
    format="dialogues",
    known=0,
)
def flight_adds_up(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Arrival is departure plus duration."""
    for number, index, packages in _results(record):
        for position, package in enumerate(packages):
            trip = package.trip
            for name, flight in (("leaving", trip.leaving), ("returning", trip.returning)):
                if not _adds_up(flight):
                    below = f"[{index}][{position}].trip.{name}"
                    path = f".turns[{number}].db.result{below}"
                    event = _search_event(record, number, index)
                    yield Place(path, "arrival = departure + duration", None, event)


def _adds_up(flight: Flight) -> bool:
    start, end, length = flight.departure, flight.arrival, flight.duration
    minutes = (end.hour - start.hour - length.hours) * 60 + end.min - start.min - length.min
    if minutes == 0 and _is_same_day(start, end):
        return True
    try:
        began, ended = _moment(start), _moment(end)
        return ended - began == timedelta(hours=length.hours, minutes=length.min)
    except (ValueError, OverflowError):
        return False


def _is_same_day(start: Moment, end: Moment) -> bool:
    return start.day == end.day and start.month == end.month and start.year == end.year


def _moment(at: Moment) -> datetime:
    return datetime(at.year, at.month, at.day, at.hour, at.min)


_CATEGORY = re.compile(r"[0-5]\.[05] star hotel")


@rule(
    "CG-FRAMES-056",
    "warning",
    "A package has a seat class, category, amenity or place nearby that the corpus has not.",
    why="They are from short lists; another is a misspelling or an extension.",
    advice="Compare the name with the list in the corpus card.",
    format="dialogues",
    known=0,
)
def package_is_known(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Names in a package are of their lists."""
    for number, index, packages in _results(record):
        for position, package in enumerate(packages):
            for below, found in _unknown_names(package):
                path = f".turns[{number}].db.result[{index}][{position}]{below}"
                yield Place(path, "a known name", found, _search_event(record, number, index))


def _unknown_names(package: Package) -> Iterator[tuple[str, str]]:
    hotel, seat = package.hotel, package.trip.seat
    if seat not in SEATS:
        yield ".trip.seat", seat
    if not _CATEGORY.fullmatch(hotel.category):
        yield ".hotel.category", hotel.category
    for i, amenity in enumerate(hotel.amenities):
        if amenity not in AMENITIES:
            yield f".hotel.amenities[{i}]", amenity
    for i, near in enumerate(hotel.vicinity):
        if near not in VICINITY:
            yield f".hotel.vicinity[{i}]", near
