"""Frames' released file: ``frames.json``, a list of dialogues."""

from __future__ import annotations

from typing import Literal

from commonground.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Author = Literal["user", "wizard"]

Number = int | float
"""A number that the file writes with or without a decimal point; both forms are kept."""


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

    ``fromrange`` says whether the annotator got it by selecting a range of frames.
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
    """An open yes-or-no question; ``value`` is an empty list where the frame has no value."""

    author: Author
    key: str
    value: str | bool | list[str]


class CompareRequest(Record):
    """An open question about several frames."""

    author: Author
    keys: list[str]


class Frame(Record):
    """A frame as it stands after a turn; ``frame_parent_id`` is null for the first only."""

    frame_id: int
    frame_parent_id: int | None
    info: dict[str, list[InfoValue]]
    requests: list[Request]
    binary_questions: list[BinaryQuestion]
    compare_requests: list[CompareRequest]


class TurnLabels(Record):
    """Annotations of a turn; ``acts_without_refs`` stands on user turns only."""

    acts: list[DialogueAct]
    active_frame: int
    frames: list[Frame]
    acts_without_refs: list[DialogueAct] | UnsetType = UNSET


class Search(Record):
    """A database query of the wizard.

    All values are text but ``timestamp`` (seconds since 1970) and ``MAX_DURATION`` (milliseconds).
    ``START_TIME`` and ``END_TIME`` are milliseconds since 1970, as text.
    """

    timestamp: Number
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
    """A date and a time of day."""

    year: int
    month: int
    day: int
    hour: int
    min: int


class Flight(Record):
    """One of the two flights of a trip."""

    departure: Moment
    arrival: Moment
    duration: Duration


class Trip(Record):
    """The two flights, ``duration_days`` apart; ``seat`` is ``ECONOMY`` or ``BUSINESS``."""

    or_city: str
    leaving: Flight
    returning: Flight
    seat: str
    duration_days: int


class Hotel(Record):
    """The hotel; ``category`` reads ``3.5 star hotel``, a ``gst_rating`` of 0 means none."""

    name: str
    dst_city: str
    country: str
    category: str
    gst_rating: Number
    amenities: list[str]
    vicinity: list[str]


class Package(Record):
    """A search result: flights and a hotel, with the price in US dollars."""

    price: Number
    trip: Trip
    hotel: Hotel


class Database(Record):
    """The searches of a wizard turn, and for each the packages it found."""

    search: list[Search]
    result: list[list[Package]]


class Turn(Record):
    """A message. ``timestamp`` is milliseconds since 1970; ``db`` stands on wizard turns only."""

    author: Author
    text: str
    timestamp: Number
    labels: TurnLabels
    db: Database | UnsetType = UNSET


class FramesDialogue(Record):
    """A dialogue of a user and a wizard."""

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
