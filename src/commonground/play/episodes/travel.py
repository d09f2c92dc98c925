"""Episodes of Frames: somebody books a package of flights and a hotel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.frames.convert.packages import match_offer
from commonground.corpora.frames.native import Frame, FramesDialogue, Package, Slot, Turn
from commonground.model import Json
from commonground.play.episode import EpisodeSource, Held, Line, fold, fold_values
from commonground.play.world import Answer, Course, Function, SeenCall, World, name_call
from commonground.play.worlds import travel
from commonground.play.worlds.travel import TravelFacts
from commonground.records import UNSET

ROLE = """\
You sell holidays: packages of flights and a hotel. You see what the customer says, one turn at a
time, and act by calling functions. The year is 2016.

Find packages with search; leave out what the customer leaves open. Say what you found, answer
questions about it, and offer other packages where the customer wants something else. Once the
customer has chosen a package and wants it, book it with book, and not before.

When you have called what is to be called, answer the customer in a few sentences. Call nothing that
the customer has no need of."""


class Booking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells a package from others.

    Attributes:
        seat: ``ECONOMY`` or ``BUSINESS``.
        leaves: day of the first flight, such as 2016-08-31.
    """

    hotel: str
    destination: str
    origin: str
    seat: str
    leaves: str


Bookings = tuple[Booking, ...]


def _book(_facts: TravelFacts, state: Bookings, asked: Booking) -> Answer[Bookings]:
    return Answer({"status": "success"}, (*state, asked))


BOOK = Function(
    "book",
    "Books a package for the party that it was found for: name of the hotel, its city, the city "
    "where the journey begins, the seat (ECONOMY or BUSINESS), and the day of the first flight as "
    "YYYY-MM-DD.",
    Booking,
    _book,
)


def read_courses(record: Any) -> Iterator[Course]:
    """Yields the searches of a dialogue and, where it is known, which package was booked."""
    for course in travel.read_courses(record):
        bookings = list(_find_bookings(record))
        if not bookings:
            last = f".turns[{len(record.turns) - 1}]"
            bookings = [SeenCall(f"{last}.labels", BOOK.name, None, fault="nothing was booked")]
        yield msgspec.structs.replace(course, calls=[*course.calls, *bookings])


def _find_bookings(record: FramesDialogue) -> Iterator[SeenCall]:
    shown: list[Package] = []
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET:
            shown += [package for found in turn.db.result for package in found]
        if not _is_booked(turn):
            continue
        path = f".turns[{number}].labels"
        frames = {each.frame_id: each for each in turn.labels.frames}
        frame = frames.get(turn.labels.active_frame)
        fitting = set() if frame is None else _find_packages(frame, shown)
        if len(fitting) == 1:
            yield SeenCall(path, BOOK.name, msgspec.to_builtins(fitting.pop()))
        else:
            fault = "which package was booked is not known"
            yield SeenCall(path, BOOK.name, None, fault=fault)


def _is_booked(turn: Turn) -> bool:
    """Says whether the wizard says in a turn that a package is booked."""
    return turn.author == "wizard" and any(
        act.name == "inform" and slot.key == "action" and slot.val == "book"
        for act in turn.labels.acts
        for slot in act.args
    )


def _find_packages(frame: Frame, shown: list[Package]) -> set[Booking]:
    """Returns the packages that fit what is known of a frame."""
    said = [
        Slot(key, each.val)
        for key, values in frame.info.items()
        for each in values
        if isinstance(each.val, str) and not each.negated
    ]
    return {_describe(each) for each in shown if match_offer(said, {"this": each}) is not None}


def _describe(package: Package) -> Booking:
    day = package.trip.leaving.departure
    return Booking(
        hotel=package.hotel.name,
        destination=package.hotel.dst_city,
        origin=package.trip.or_city,
        seat=package.trip.seat,
        leaves=f"{day.year}-{day.month:02}-{day.day:02}",
    )


def read_lines(record: FramesDialogue) -> Iterator[Line]:
    """Yields what customer and wizard write."""
    for number, each in enumerate(record.turns):
        yield Line(each.author == "user", each.text, f".turns[{number}]")


def hold(_world: World[TravelFacts, Bookings], state: Bookings) -> Held:
    """Says which packages were booked."""
    return Held([name_call("package", fold_values(msgspec.to_builtins(each))) for each in state])


def learn(_world: World[TravelFacts, Bookings], _name: str, arguments: Json, result: Json) -> Json:
    """Returns which packages a search found, without prices; of none, with what was asked."""
    found = result.get("packages") if isinstance(result, dict) else None
    if not isinstance(found, list) or not found:
        return {"asked": fold_values(arguments)}
    packages = [_describe(each) for each in msgspec.convert(found, list[Package])]
    return sorted({fold("".join(msgspec.structs.astuple(each))) for each in packages})


EPISODES = EpisodeSource(
    world=msgspec.structs.replace(
        travel.WORLD,
        functions=(*travel.WORLD.functions, BOOK),
        begin=lambda _: (),
        read=read_courses,
    ),
    role=ROLE,
    version=1,
    read_lines=read_lines,
    hold=hold,
    learn=learn,
)
