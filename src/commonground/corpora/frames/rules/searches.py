"""Rules of Frames about database searches, and the packages that they found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from commonground.corpora.frames.native import Flight, FramesDialogue, Moment, Package, read_time
from commonground.corpora.frames.rules._places import FramesRules, iterate_results, iterate_searches
from commonground.corpora.frames.vocabulary import AMENITIES, MOST_PACKAGES, SEATS, VICINITY
from commonground.findings import Place
from commonground.printing import count_of
from commonground.records import UNSET, UnsetType

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)

_NUMERIC = ("START_TIME", "END_TIME", "NUM_ADULTS", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX")
# Such as 1471219200000 or 2500.50; without ASCII digits of any script would do.
_DIGITS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


@rules.error(46)
def search_has_result(record: FramesDialogue) -> Iterator[Place]:
    """A turn has more searches than results, or fewer.

    It is not known which result a search gave.

    Give each search its result, an empty list where nothing was found.
    """
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET and len(turn.db.search) != len(turn.db.result):
            expected, found = count_of(len(turn.db.search), "result"), str(len(turn.db.result))
            yield Place(f".turns[{number}].db.result", expected, found)


@rules.warning(49)
def constants_hold(record: FramesDialogue) -> Iterator[Place]:
    """A constant field of the search form has another value than usual.

    `RESULT_LIMIT` is "10", and `ARE_DATES_FLEXIBLE` is "true" or absent.

    Check the value; they are texts.
    """
    for _, path, search in iterate_searches(record):
        limit, flexible = search.RESULT_LIMIT, search.ARE_DATES_FLEXIBLE
        if limit != str(MOST_PACKAGES):
            found = None if limit is UNSET else limit
            yield Place(f"{path}.RESULT_LIMIT", str(MOST_PACKAGES), found)
        if flexible is not UNSET and flexible != "true":
            yield Place(f"{path}.ARE_DATES_FLEXIBLE", "true", flexible)


@rules.note(50, known=42)
def search_is_numeric(record: FramesDialogue) -> Iterator[Place]:
    """A numeric field of a search does not hold a number.

    The form was left empty or a date could not be read; the search went ahead without it.

    Read it as not given.
    """
    for _, path, search in iterate_searches(record):
        for field in _NUMERIC:
            value: str | UnsetType = getattr(search, field)
            if value is not UNSET and not _DIGITS.fullmatch(value):
                yield Place(f"{path}.{field}", "a number", repr(value))


@rules.note(51, known=5)
def search_has_adults(record: FramesDialogue) -> Iterator[Place]:
    """A search does not give the number of adults.

    The form asked for it; prices are for a number of people.

    Use the number from the frame.
    """
    for _, path, search in iterate_searches(record):
        if search.NUM_ADULTS is UNSET:
            yield Place(f"{path}.NUM_ADULTS", "a number")


@rules.warning(52)
def searches_in_order(record: FramesDialogue) -> Iterator[Place]:
    """A search is earlier than the one before it in its turn.

    Searches of a turn are in order of time.

    Sort them, and their results with them.
    """
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        for index, (before, search) in enumerate(pairwise(turn.db.search), 1):
            before_s, at_s = read_time(before.timestamp), read_time(search.timestamp)
            if before_s is not None and at_s is not None and at_s < before_s:
                path = f".turns[{number}].db.search[{index}].timestamp"
                yield Place(path, f"{before_s} or more", str(at_s))


@rules.note(53, known=701)
def search_is_in_turn(record: FramesDialogue) -> Iterator[Place]:
    """A search was made before the user's turn or after the wizard's answer.

    The log assigns it to this turn, although its time falls within another.

    Order searches by `at_s` where the exact time matters.
    """
    for number, path, search in iterate_searches(record):
        at_s = read_time(search.timestamp)
        turns = record.turns[max(number - 1, 0) : number + 1]
        known = [at for turn in turns if (at := read_time(turn.timestamp, 1000)) is not None]
        if at_s is None or len(known) < len(turns):
            continue
        # Searches are timed in seconds, turns in milliseconds.
        if number and at_s * 1000 < known[0]:
            expected = "after the turn before"
        elif at_s * 1000 > known[-1]:
            expected = "before the answer"
        else:
            continue
        yield Place(f"{path}.timestamp", expected, str(search.timestamp))


# Such as "3.5 star hotel": half stars, as all released ones.
_CATEGORY = re.compile(r"[0-5]\.[05] star hotel")


@rules.warning(47)
def result_is_limited(record: FramesDialogue) -> Iterator[Place]:
    """A search found more than ten packages.

    The database returned ten at most.

    Check the result.
    """
    for path, packages in iterate_results(record):
        if len(packages) > MOST_PACKAGES:
            expected, found = f"{MOST_PACKAGES} packages at most", str(len(packages))
            yield Place(path, expected, found)


@rules.warning(48)
def packages_differ(record: FramesDialogue) -> Iterator[Place]:
    """A search found the same package twice.

    A list of options names each option once.

    Drop the second.
    """
    for path, packages in iterate_results(record):
        # Equal packages have equal prices, so most results need no comparison.
        if len({package.price for package in packages}) == len(packages):
            continue
        for position, package in enumerate(packages):
            if package in packages[:position]:
                yield Place(f"{path}[{position}]", "another package", package.hotel.name)


@rules.note(54, known=547)
def result_is_for_city(record: FramesDialogue) -> Iterator[Place]:
    """A search found packages from or to another city than asked for.

    For cities that it does not know, the database returned others.

    Do not take the cities of a result from the search.
    """
    # Packages are from and to the cities of the search, capitals and countries aside.
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        pairs = zip(turn.db.search, turn.db.result, strict=False)
        for index, (search, packages) in enumerate(pairs):
            origin, destination = _city(search.ORIGIN_CITY), _city(search.DESTINATION_CITY)
            for position, package in enumerate(packages):
                cities = package.trip.or_city, package.hotel.dst_city
                wrong_origin = origin is not None and origin != cities[0].casefold()
                # Anyone who names no city is content with any.
                if wrong_origin or (destination or cities[1].casefold()) != cities[1].casefold():
                    path = f".turns[{number}].db.result[{index}][{position}]"
                    expected = f"from {origin or 'anywhere'} to {destination or 'anywhere'}"
                    found = f"from {cities[0]} to {cities[1]}"
                    yield Place(path, expected, found)
                    break


def _city(said: str | UnsetType) -> str | None:
    return None if said is UNSET else said.partition(",")[0].strip().casefold()


@rules.warning(55)
def flight_adds_up(record: FramesDialogue) -> Iterator[Place]:
    """The times of a flight do not add up.

    In the released file arrival is departure plus duration, zones aside.

    Check the three.
    """
    for path, packages in iterate_results(record):
        for position, package in enumerate(packages):
            trip = package.trip
            for name, flight in (("leaving", trip.leaving), ("returning", trip.returning)):
                if not _adds_up(flight):
                    expected = "arrival = departure + duration"
                    yield Place(f"{path}[{position}].trip.{name}", expected)


def _adds_up(flight: Flight) -> bool:
    start, end, length = flight.departure, flight.arrival, flight.duration
    minutes = (end.hour - start.hour - length.hours) * 60 + end.min - start.min - length.min
    # By far the most; dates need only be made where a flight lands on another day.
    days = [(each.year, each.month, each.day) for each in (start, end)]
    if minutes == 0 and days[0] == days[1]:
        return True
    try:
        began, ended = _moment(start), _moment(end)
        return ended - began == timedelta(hours=length.hours, minutes=length.min)
    except (ValueError, OverflowError):
        return False


def _moment(at: Moment) -> datetime:
    return datetime(at.year, at.month, at.day, at.hour, at.min)


@rules.warning(56)
def package_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A package has a seat class, category, amenity or place nearby that the corpus does not have.

    They are from short lists; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    for path, packages in iterate_results(record):
        for position, package in enumerate(packages):
            for below, found in _unknown_names(package):
                yield Place(f"{path}[{position}]{below}", "a known name", found)


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
