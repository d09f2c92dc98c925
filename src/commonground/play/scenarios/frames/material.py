"""What a session is played with: task cards and a database of packages.

The database is invented, or read from a file of one's own: ``packages.json``, a list of packages in
the released form, or ``packages.csv`` with the columns of :data:`COLUMNS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.corpora.frames.native import Flight, Package
from commonground.corpora.frames.vocabulary import AMENITIES, SEATS, SLOTS, VICINITY
from commonground.errors import FormatError, SourceError
from commonground.files.spreadsheets import read_sheet
from commonground.findings import Place
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.frames.travel.cards import TaskCard, is_solvable, sample_card
from commonground.play.scenarios.frames.travel.database import (
    EPOCH,
    Catalogue,
    Deal,
    Invention,
    Lodging,
    Source,
    fold_city,
    keep_by_identity,
    make_deal,
    open_database,
    read_moment,
)

COLUMNS = (
    *("or_city", "dst_city", "country", "seat", "price"),
    *("leaves", "leaving_min", "returns", "returning_min", "duration_days"),
    *("name", "category", "gst_rating", "amenities", "vicinity"),
)
"""Columns of ``packages.csv``: ``leaves`` and ``returns`` are departures such as
``2016-08-21 14:30``, ``leaving_min`` and ``returning_min`` the minutes of the flights; ``category``
reads ``3.5 star hotel``; ``gst_rating`` is 0 for none; names in ``amenities`` and ``vicinity`` are
divided by semicolons.
"""

_CATEGORY = re.compile(r"[0-5]\.[05] star hotel")
# Of a researcher's database cards are drawn once, and dealt to pieces that sessions begin with.
_CARDS_PER_PIECE = 25
_PIECES = 8


class FramesMaterial(msgspec.Struct, frozen=True):
    """What a session is played with.

    Attributes:
        cards: of which the session's seed draws one.
        packages: the database, or what it is invented from.
        suggests: whether a search that nothing fits shows other packages, as released ones did
            until 25 August 2016; later ones found nothing.
    """

    cards: tuple[TaskCard, ...]
    packages: Source
    suggests: bool = False


@keep_by_identity
def require_sound(material: FramesMaterial) -> None:
    """Does nothing for material that can be played with.

    There is a card and a package; wishes are of known slots; what a card says of being solvable
    is so.

    Raises:
        FormatError: it cannot; the message names the first fault, with where and what.
    """
    for fault in _find_unsound(material):
        raise FormatError(
            f"Material{fault.path}: expected {fault.expected}, found {fault.found}.",
            "Sample the cards from the database that they are for.",
        )


def _find_unsound(material: FramesMaterial) -> Iterator[Place]:
    database = open_database(material.packages)
    if not material.cards:
        yield Place(".cards", "a card", "none")
    if not database.deals:
        yield Place(".packages", "a package", "none")
    for number, card in enumerate(material.cards):
        path = f".cards[{number}]"
        for field in ("wishes", "second"):
            for slot in getattr(card, field):
                if slot not in SLOTS:
                    yield Place(f"{path}.{field}", "slots of the corpus", slot)
        solvable = str(is_solvable(card, database)).lower()
        if solvable != str(card.solvable).lower():
            expected = f"{solvable}, by the database"
            yield Place(f"{path}.solvable", expected, str(card.solvable).lower())


def invent_material(sessions: int, seed: int) -> list[FramesMaterial]:
    """Invents a database, and a card for each session; every other one suggests packages."""
    packages = Invention(seed)
    database = open_database(packages)
    return [
        FramesMaterial((sample_card(database, seed, number),), packages, number % 2 == 1)
        for number in range(max(1, sessions))
    ]


def read_material(folder: Path) -> list[FramesMaterial]:
    """Reads a database and samples cards for it; every other piece suggests packages.

    Raises:
        SourceError: the folder or the file cannot be read.
        FormatError: there is no file of packages, or it is not one; the message says where.
    """
    catalogue = read_catalogue(folder)
    database = open_database(catalogue)
    # Of seed 0: the same file gives the same cards, whatever a study's seed is.
    cards = [sample_card(database, 0, number) for number in range(_PIECES * _CARDS_PER_PIECE)]
    # Dealt out in turn: each piece of material has every eighth card.
    return [
        FramesMaterial(tuple(cards[piece::_PIECES]), catalogue, piece % 2 == 1)
        for piece in range(_PIECES)
    ]


def read_catalogue(folder: Path) -> Catalogue:
    """Reads the file of packages in a folder.

    Raises:
        SourceError: the file cannot be read.
        FormatError: there is none, or it is not one; the message says where and what.
    """
    readers = (("packages.json", _read_json), ("packages.csv", _read_csv))
    for name, reader in readers:
        path = folder / name
        if path.is_file():
            try:
                rows = [*reader(path, path.read_bytes())]
            except OSError as error:
                raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
            return _gather(path, rows)
    raise FormatError(f"{folder} holds no packages.json or packages.csv.", MATERIAL.title)


class _Row(msgspec.Struct, frozen=True):
    """A package that was read: where it stands, its hotel, and all else; its ``hotel`` is void."""

    where: str
    hotel: Lodging
    deal: Deal


def _gather(path: Path, rows: Sequence[_Row]) -> Catalogue:
    """Checks packages and numbers their hotels."""
    hotels: dict[Lodging, int] = {}
    deals: dict[Deal, str] = {}
    for row in rows:
        # The first fault of a row ends it; most files have the same one in every row.
        for field, expected, found in _find_faults(row):
            raise _fault(path, f"{row.where}{field}", expected, found)
        number = hotels.setdefault(row.hotel, len(hotels))
        deal = msgspec.structs.replace(row.deal, hotel=number)
        if deal in deals:
            raise _fault(path, row.where, "another package", f"that of {deals[deal].lstrip(':, ')}")
        deals[deal] = row.where
    if not deals:
        raise _fault(path, "", "a package", "none")
    return Catalogue(tuple(hotels), tuple(deals))


def _fault(path: Path, where: str, expected: str, found: str) -> FormatError:
    return FormatError(f"{path.name}{where}: expected {expected}, found {found}.", _ADVICE)


_ADVICE = (
    "packages.json is a list of packages in the released form; "
    f"packages.csv has the columns {', '.join(COLUMNS)}."
)


def _find_faults(row: _Row) -> Iterator[tuple[str, str, str]]:
    hotel, deal = row.hotel, row.deal
    if deal.seat not in SEATS:
        yield ", seat", " or ".join(sorted(SEATS)), deal.seat
    if not _CATEGORY.fullmatch(hotel.category):
        yield ", category", "a category such as 3.5 star hotel", hotel.category or "nothing"
    if not 0 <= hotel.gst_rating <= 10:
        yield ", gst_rating", "0 to 10", str(hotel.gst_rating)
    for field, known in (("amenities", AMENITIES), ("vicinity", VICINITY)):
        for each in getattr(hotel, field):
            if each not in known:
                yield f", {field}", ", ".join(sorted(known)), each
    for field, city in (("or_city", deal.or_city), ("dst_city", hotel.dst_city)):
        if not fold_city(city):
            yield f", {field}", "a city", "nothing"
    if fold_city(deal.or_city) == fold_city(hotel.dst_city):
        yield ", dst_city", "another city than or_city", hotel.dst_city
    if not hotel.name.strip():
        yield ", name", "a name", "nothing"
    if not 0 < deal.price < math.inf:
        yield ", price", "more than 0", str(deal.price)
    if deal.days < 1:
        yield ", duration_days", "1 or more", str(deal.days)
    if deal.returns_min < deal.leaves_min + deal.out_min:
        yield ", returns", "a time after the first flight", "an earlier one"


def _read_json(path: Path, data: bytes) -> Iterator[_Row]:
    try:
        packages = msgspec.json.decode(data, type=list[Package])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}.", _ADVICE) from error
    for number, package in enumerate(packages):
        where = f": $[{number}]"
        for field in ("leaving", "returning"):
            _check_flight(path, f"{where}.trip.{field}", getattr(package.trip, field))
        yield _Row(where, *make_deal(package))


def _check_flight(path: Path, where: str, flight: Flight) -> None:
    """Does nothing for a flight that arrives as long after it leaves as it says."""
    ends = []
    for field in ("departure", "arrival"):
        try:
            ends.append(read_moment(getattr(flight, field)))
        except ValueError as error:
            raise _fault(path, f"{where}.{field}", "a date", str(error)) from error
    takes_min = 60 * flight.duration.hours + flight.duration.min
    if ends[1] - ends[0] != takes_min:
        found = f"{ends[1] - ends[0]} minutes later"
        raise _fault(path, f"{where}.arrival", f"{takes_min} minutes after departure", found)


def _read_csv(path: Path, data: bytes) -> Iterator[_Row]:
    for line, cells in read_sheet(path.name, data, COLUMNS):
        yield _row_of_line(path, f", line {line}", cells)


def _row_of_line(path: Path, where: str, line: Mapping[str, str]) -> _Row:
    def read(field: str, parse: Callable[[str], Any], expected: str) -> Any:
        try:
            return parse(line[field].strip())
        except ValueError as error:
            raise _fault(path, f"{where}, {field}", expected, line[field] or "nothing") from error

    day, minutes = "a time such as 2016-08-21 14:30", "minutes"
    hotel = Lodging(
        name=line["name"].strip(),
        dst_city=line["dst_city"].strip(),
        country=line["country"].strip(),
        category=line["category"].strip(),
        gst_rating=read("gst_rating", lambda n: int(n) if n.isdigit() else float(n), "a number"),
        amenities=_split(line["amenities"]),
        vicinity=_split(line["vicinity"]),
    )
    # Whether it is a class of flights is looked at with all else, in ``_find_faults``.
    seat: Any = line["seat"].strip()
    deal = Deal(
        hotel=0,
        or_city=line["or_city"].strip(),
        seat=seat,
        leaves_min=read("leaves", _read_time, day),
        out_min=read("leaving_min", int, minutes),
        returns_min=read("returns", _read_time, day),
        back_min=read("returning_min", int, minutes),
        days=read("duration_days", int, "a number of days"),
        price=read("price", float, "a number such as 640.25"),
    )
    return _Row(where, hotel, deal)


def _read_time(text: str) -> int:
    at = datetime.fromisoformat(text).replace(tzinfo=EPOCH.tzinfo)
    return (at - EPOCH) // timedelta(minutes=1)


def _split(names: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in names.split(";") if each.strip())


def draw_card(material: FramesMaterial, seed: int) -> TaskCard:
    """Returns the card that a session of this seed is about."""
    return Random(f"{seed}:card").choice(material.cards)


MATERIAL = MaterialSource(
    title="A folder with packages.json (released form) or packages.csv.",
    invent=invent_material,
    read=read_material,
)
