"""A travel agency, as in Frames: packages of flights and a hotel, searched for a party."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

import msgspec

from commonground.corpora.frames.native import FramesDialogue, Package, Search, read_time
from commonground.corpora.frames.vocabulary import MOST_PACKAGES
from commonground.model import Json
from commonground.play.scenarios.frames.travel.database import (
    Catalogue,
    Deal,
    Invention,
    Lodging,
    count_party,
    make_deal,
    open_database,
)
from commonground.play.world import (
    Answer,
    Arguments,
    CallError,
    Course,
    Function,
    SeenCall,
    WorldSource,
    iterate_answered,
    read_facts,
)
from commonground.records import UNSET

NAME = "frames"

SUGGESTING = "frames-suggesting"
"""Group of the dialogues whose wizards were shown what comes near."""

LAST_SUGGESTED_MS = 1_472_169_600_000
"""26 August 2016: from that day on, searches that nothing fitted found nothing."""

_CENTS = 0.001
"""Share of a price by which two of the same package may differ: they are rounded for each party."""


class TravelFacts(msgspec.Struct, frozen=True):
    """What there is to travel with.

    Attributes:
        suggests: whether a search that nothing fits finds what comes near it, as in the first two
            weeks of the collection.
    """

    packages: Catalogue | Invention
    suggests: bool = True


class _Search(Arguments):
    # In the names of the search form. Times are milliseconds since 1970 as text.
    ORIGIN_CITY: str | None = None
    DESTINATION_CITY: str | None = None
    START_TIME: str | None = None
    END_TIME: str | None = None
    ARE_DATES_FLEXIBLE: str | None = None
    MAX_DURATION: int | float | None = None
    NUM_ADULTS: str | None = None
    NUM_CHILDREN: str | None = None
    PRICE_MIN: str | None = None
    PRICE_MAX: str | None = None


def _search(facts: TravelFacts, state: None, asked: _Search) -> Answer[None]:
    said = msgspec.to_builtins(asked)
    query = msgspec.convert({"timestamp": 0, "RESULT_LIMIT": str(MOST_PACKAGES), **said}, Search)
    return Answer({"packages": msgspec.to_builtins(search(facts, query).packages)}, state)


class Found(msgspec.Struct, frozen=True):
    """What a search comes to.

    Attributes:
        packages: ten at most, the cheapest first, with prices for the party.
        fits: whether they fit; others come near.
    """

    packages: list[Package]
    fits: bool


def search(facts: TravelFacts, query: Search) -> Found:
    """Searches the packages, as the wizard's form and the function ``search`` do.

    Raises:
        CallError: a number of it is none.
    """
    database = open_database(facts.packages)
    try:
        packages = database.search(query)
        near = database.suggest(query) if facts.suggests and not packages else []
    except ValueError as error:
        raise CallError(f"search: {error}.", "Write numbers and times with digits.") from None
    return Found(packages or near, fits=not near)


FUNCTIONS = (
    Function(
        "search",
        "Finds packages of flights and a hotel for a party, the ten cheapest at most. START_TIME "
        "and END_TIME are milliseconds since 1970, MAX_DURATION is in milliseconds, "
        'ARE_DATES_FLEXIBLE is "true" or left out, prices are US dollars for the whole party.',
        _Search,
        _search,
        keeps=True,
    ),
)


def read_courses(record: Any) -> Iterator[Course]:
    """Yields the searches of a dialogue."""
    if not isinstance(record, FramesDialogue):
        return
    calls = []
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        results = [*turn.db.result, *([None] * len(turn.db.search))]
        for index, (query, packages) in enumerate(zip(turn.db.search, results, strict=False)):
            form = msgspec.to_builtins(query)
            del form["timestamp"]
            form.pop("RESULT_LIMIT", None)
            result = None if packages is None else {"packages": msgspec.to_builtins(packages)}
            path = f".turns[{number}].db.search[{index}]"
            calls.append(SeenCall(path, "search", form, result))
    # Dialogues share a database; only the first ones were given what comes near.
    began_ms = read_time(record.turns[0].timestamp) if record.turns else None
    is_early = began_ms is not None and began_ms < LAST_SUGGESTED_MS
    yield Course(record.id, calls, SUGGESTING if is_early else NAME)


def find_facts(courses: list[Course]) -> TravelFacts:
    """Returns a database of all packages that were seen, with what they cost one adult."""
    hotels: dict[Lodging, int] = {}
    prices: dict[Deal, list[float]] = {}
    for call in iterate_answered(courses):
        if call.function != "search":
            continue
        query = msgspec.convert({"timestamp": 0, **call.arguments}, Search)
        for package in read_facts(call.result["packages"], Package):
            try:
                lodging, deal = make_deal(package)
            except ValueError:  # a departure that is no date
                continue
            number = hotels.setdefault(lodging, len(hotels))
            unpriced = msgspec.structs.replace(deal, hotel=number, price=0.0)
            prices.setdefault(unpriced, []).append(package.price / count_party(query))
    deals = [msgspec.structs.replace(deal, price=median(seen)) for deal, seen in prices.items()]
    suggests = any(course.group == SUGGESTING for course in courses)
    return TravelFacts(Catalogue(tuple(hotels), tuple(deals)), suggests)


def same_packages(found: Json, seen: Json) -> bool:
    """Compares two results, the order and the rounding of prices apart."""
    ours, theirs = _price_packages(found), _price_packages(seen)
    return ours.keys() == theirs.keys() and all(
        math.isclose(a, b, rel_tol=_CENTS)
        for key, prices in ours.items()
        for a, b in zip(prices, theirs[key], strict=False)
    )


def _price_packages(result: Json) -> dict[bytes, list[float]]:
    """Returns the prices of each package, which is told by everything else."""
    prices: dict[bytes, list[float]] = {}
    for package in result["packages"]:
        rest = {key: each for key, each in package.items() if key != "price"}
        prices.setdefault(msgspec.json.encode(rest), []).append(package["price"])
    return prices


WORLD = WorldSource(
    name=NAME,
    corpus="frames",
    title="A travel agency: packages of flights and a hotel.",
    facts=TravelFacts,
    functions=FUNCTIONS,
    begin=lambda _: None,
    invent_facts=lambda seed: TravelFacts(Invention(seed)),
    read=read_courses,
    find_facts=find_facts,
    same=same_packages,
)
