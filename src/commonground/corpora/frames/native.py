"""Frames' released file: ``frames.json``, a list of dialogues."""

from __future__ import annotations

from typing import Literal

from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Author = Literal["user", "wizard"]

Number = int | float
"""A number that the file writes with or without a decimal point; both forms are kept."""

_YEARS_S = (-62_135_596_800, 253_402_300_799)
"""The first and the last second of the years 1 to 9999, counted from 1970."""


def read_time(timestamp: Number | str | None, per_second: int = 1) -> Number | None:
    """Returns a released time, ``per_second`` 1000 for milliseconds; None where it is none."""
    if timestamp is None or isinstance(timestamp, str):
        return None
    first, last = _YEARS_S
    return timestamp if first * per_second <= timestamp <= last * per_second else None


class DialogueLabels(Record):
    """What the two said in the closing survey.

    ``userSurveyRating`` is 1 to 5, null in three dialogues, and not always whole.
    """

    userSurveyRating: Number | None  # noqa: N815 - the released name
    wizardSurveyTaskSuccessful: bool  # noqa: N815 - the released name


class Annotation(Record):
    """A slot of a reference; ``val`` is absent or null where only the slot is asked for."""

    key: str
    val: str | bool | UnsetType | None = UNSET


class Reference(Record):
    """A frame that is referred to, with the slots by which it is.

    Attributes:
        frame: its ``frame_id``, in the frames of the same turn.
        annotations: the slots that the words give; empty where a bare reference names none.
        fromrange: whether the annotator got it by selecting a range of frames. Undocumented.
    """

    frame: int
    annotations: list[Annotation]
    fromrange: bool


class Slot(Record):
    """An argument of an act.

    ``val`` is text or a boolean; a number where ``key`` is ``id`` (the frame that an offer
    creates); references where it is ``ref``, ``read`` or ``write``; absent in ``acts`` and null
    in ``acts_without_refs`` where the slot is asked for.
    """

    key: str
    val: str | bool | int | list[Reference] | UnsetType | None = UNSET


class DialogueAct(Record):
    """What a turn does, such as ``inform`` or ``offer``, with the slots that it does it with."""

    name: str
    args: list[Slot]


class InfoValue(Record):
    """A value that a frame holds for a slot, normalised by the authors.

    ``val`` is null 47 times; a list only under ``HEARMORE``, and hardly ever with anything in it.
    """

    val: str | bool | list[str] | None
    negated: bool


class Request(Record):
    """An open question about a slot of a frame."""

    author: Author
    key: str


class BinaryQuestion(Record):
    """An open yes-or-no question about a frame.

    Attributes:
        author: who asked it.
        key: the slot that it asks about.
        value: the value asked about: ``true`` or ``false`` for an amenity, an empty list where the
            frame has no value.
    """

    author: Author
    key: str
    value: str | bool | list[str]


class CompareRequest(Record):
    """An open question about several frames."""

    author: Author
    keys: list[str]


class Frame(Record):
    """A frame as it stands after a turn.

    Attributes:
        frame_id: its number in the dialogue, from 1 in the order of making.
        frame_parent_id: the frame it was made from, always an earlier one; null for the first frame
            only.
        info: values by slot. Slots in capitals (``NO_RESULT``, ``REJECTED``) say what happened to
            the frame.
        requests: slots that somebody asked for.
        binary_questions: yes-or-no questions that were asked about it.
        compare_requests: the user's wishes to see it beside other frames.
    """

    frame_id: int
    frame_parent_id: int | None
    info: dict[str, list[InfoValue]]
    requests: list[Request]
    binary_questions: list[BinaryQuestion]
    compare_requests: list[CompareRequest]


class TurnLabels(Record):
    """Annotations of a turn.

    Attributes:
        acts: dialogue acts with references to frames; empty on some 140 turns.
        active_frame: ``frame_id`` of the frame that the talk is about after the turn.
        frames: all frames made so far, as they stand after the turn.
        acts_without_refs: the same acts, with null for values that are asked for; on user turns
            only.
    """

    acts: list[DialogueAct]
    active_frame: int
    frames: list[Frame]
    acts_without_refs: list[DialogueAct] | UnsetType = UNSET


class Search(Record):
    """A database query of the wizard.

    All values are text but ``timestamp`` and ``MAX_DURATION``. An absent field was left empty.

    Attributes:
        timestamp: seconds since 1970; turns give milliseconds.
        ORIGIN_CITY: as the wizard typed it, in any case.
        DESTINATION_CITY: likewise; absent where the user would go anywhere.
        START_TIME: first day of travel, milliseconds since 1970 as text.
        END_TIME: last day of travel, likewise.
        ARE_DATES_FLEXIBLE: ``true``, or absent.
        MAX_DURATION: longest stay in milliseconds.
        NUM_ADULTS: a whole number as text.
        NUM_CHILDREN: a whole number as text.
        PRICE_MIN: US dollars as text.
        PRICE_MAX: US dollars as text.
        RESULT_LIMIT: always ``10`` in the released file.
    """

    timestamp: Number | str | None
    ORIGIN_CITY: str | UnsetType = UNSET
    DESTINATION_CITY: str | UnsetType = UNSET
    START_TIME: str | UnsetType = UNSET
    END_TIME: str | UnsetType = UNSET
    ARE_DATES_FLEXIBLE: str | UnsetType = UNSET
    MAX_DURATION: Number | UnsetType = UNSET
    NUM_ADULTS: str | UnsetType = UNSET
    NUM_CHILDREN: str | UnsetType = UNSET
    PRICE_MIN: str | UnsetType = UNSET
    PRICE_MAX: str | UnsetType = UNSET
    RESULT_LIMIT: str | UnsetType = UNSET


class Duration(Record):
    """How long a flight takes."""

    hours: int
    min: int


class Moment(Record):
    """A date and a time of day.

    Attributes:
        year: four digits.
        month: 1 to 12.
        day: 1 to 31.
        hour: 0 to 23.
        min: 0 to 59.
    """

    year: int
    month: int
    day: int
    hour: int
    min: int


class Flight(Record):
    """One of the two flights of a trip.

    Attributes:
        departure: date and time of leaving.
        arrival: date and time of arriving.
        duration: how long it takes.
    """

    departure: Moment
    arrival: Moment
    duration: Duration


class Trip(Record):
    """The two flights of a package.

    Attributes:
        or_city: where the journey begins and ends.
        leaving: the flight to the hotel's city.
        returning: the flight back.
        seat: ``ECONOMY`` or ``BUSINESS``.
        duration_days: days between the two flights.
    """

    or_city: str
    leaving: Flight
    returning: Flight
    seat: str
    duration_days: int


class Hotel(Record):
    """The hotel of a package.

    Attributes:
        name: as the database has it.
        dst_city: the city where it is.
        country: the country of that city.
        category: its stars in words, such as ``3.5 star hotel``.
        gst_rating: rating by guests; 0 means none.
        amenities: names of what it offers.
        vicinity: names of what is near it.
    """

    name: str
    dst_city: str
    country: str
    category: str
    gst_rating: Number
    amenities: list[str]
    vicinity: list[str]


class Package(Record):
    """A search result.

    Attributes:
        price: US dollars for flights and hotel together.
        trip: the two flights.
        hotel: where one stays.
    """

    price: Number
    trip: Trip
    hotel: Hotel


class Database(Record):
    """The searches of a wizard turn, and for each the packages it found."""

    search: list[Search]
    result: list[list[Package]]


class Turn(Record):
    """A message of the user or the wizard, who take turns strictly.

    Attributes:
        author: who wrote it; the user begins.
        text: as typed, line breaks and emoji codes included; never empty.
        timestamp: milliseconds since 1970, growing from turn to turn.
        labels: its annotations.
        db: searches made before it; on every wizard turn and on no user turn.
    """

    author: Author
    text: str
    timestamp: Number | str | None
    labels: TurnLabels
    db: Database | UnsetType = UNSET


class FramesDialogue(Record):
    """A dialogue of a user and a wizard.

    Attributes:
        id: a UUID, the dialogue's only name.
        user_id: Slack id of the user; the authors' ten folds divide the dialogues by it.
        wizard_id: Slack id of the wizard. Five people were users in some dialogues and wizards in
            others.
        labels: what the two said afterwards of how it went.
        turns: 1 to 48 messages in order of time.
    """

    id: str
    user_id: str
    wizard_id: str
    labels: DialogueLabels
    turns: list[Turn]


FORMATS = (
    FileFormat(
        name="dialogues",
        title="dialogues with frames",
        pattern=r"frames\.json",
        record=FramesDialogue,
        layout="array",
        keys=frozenset({"id", "user_id", "wizard_id", "labels", "turns"}),
        role="main",
        dialogue_id=lambda dialogue, _document: str(dialogue.id),
    ),
)
