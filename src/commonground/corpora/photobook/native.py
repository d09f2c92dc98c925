"""PhotoBook's released files: game logs with their messages, split file, image domains.

A message is plain text, or a tag with a payload.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Literal

import msgspec

from commonground.files.formats import FileFormat, OddLine, TextRecord, split_lines
from commonground.records import Record


class Scores(Record):
    """Points of the two players in one round."""

    A: int
    B: int


class Feedback(Record):
    """Answers of the two players to the closing questionnaire.

    In the released form ``col:N<&>partner_u:N<&>self_u:N<&>text:...`` with the spaces of the text
    removed; null where a player gave none.
    """

    A: str | None
    B: str | None


class Displays(Record):
    """The six images of each player, row by row, as paths below the image folder."""

    A: list[str]
    B: list[str]


class Highlights(Record):
    """For each image of each player's display, whether it was one to be marked."""

    A: list[bool]
    B: list[bool]


class Message(Record):
    """A text or a tagged action, in order of time.

    Attributes:
        timestamp: time since the game began, ``HH:MM:SS[.ffffff]``; it runs on from round to round.
        turn: how many texts, ``<next_round>`` and ``<usr_feedback>`` messages stand before it in
            the round. It is not what the documentation says it is.
        speaker: label of the player, ``A`` or ``B``.
        agent_id: the same player's number in all games.
        message: what was typed, masked where a filter saw profanity, or a tag with its payload.
    """

    timestamp: str
    turn: int
    speaker: str
    agent_id: int
    message: str


class Round(Record):
    """One of the five pages of a game.

    Attributes:
        round_nr: 1 to 5.
        score: images that each player marked rightly, 0 to 3; six players got 4 by a stray click.
        images: six different paths per player, in the order of the grid.
        common: paths that both players see, 2 to 4 of them, unsorted.
        highlighted: six flags beside each player's images; three of them are true.
        messages: all that was said and done, never empty.
    """

    round_nr: int
    score: Scores
    images: Displays
    common: list[str]
    highlighted: Highlights
    messages: list[Message]


class Game(Record):
    """A log file: who played, their five rounds, and what they thought of it afterwards.

    Attributes:
        game_id: 0 to 2501, growing with ``start_time``.
        domain_id: 0 to 60; several of them draw on the same folder of images.
        agent_ids: the two people's numbers in all games, in the order of ``agent_labels``.
        agent_labels: always ``A``, ``B``.
        start_time: ``YYYY-MM-DDTHH:MM:SS.ffffff``, without a time zone.
        feedback: answers to the questionnaire; null for a player whose answers were not kept.
        rounds: the five pages in the order played.
    """

    game_id: int
    domain_id: int
    agent_ids: list[int]
    agent_labels: list[str]
    start_time: str
    feedback: Feedback
    rounds: list[Round]


Label = Literal["common", "different"]
MessageType = Literal["text", "selection", "feedback", "next_round", "usr_feedback"]


class Selection(msgspec.Struct, frozen=True, gc=False):
    """A player marked an image: ``<selection> <com> PATH`` or ``<selection> <dif> PATH``."""

    name: ClassVar[MessageType] = "selection"
    label: Label
    image: str


class Submission(msgspec.Struct, frozen=True, gc=False):
    """A player handed the marks of a round in: ``<feedback>``."""

    name: ClassVar[MessageType] = "feedback"


class NextRound(msgspec.Struct, frozen=True, gc=False):
    """A player asked for the next round: ``<next_round>``."""

    name: ClassVar[MessageType] = "next_round"


class Answers(msgspec.Struct, frozen=True, gc=False):
    """Closing questionnaire: three grades from 1 to 5 and a comment.

    Attributes:
        col: how the collaboration went.
        partner_u: how well the partner understood.
        self_u: how well the player understood.
        text: comment; empty where none was given.
    """

    name: ClassVar[MessageType] = "usr_feedback"
    col: int
    partner_u: int
    self_u: int
    text: str


Command = Selection | Submission | NextRound | Answers
"""What a message does that is no text; ``command.name`` tells which."""

SELECTION = "<selection> "
COMMON = "<com> "
DIFFERENT = "<dif> "
SUBMIT = "<feedback>"
NEXT_ROUND = "<next_round>"
QUESTIONNAIRE = "<usr_feedback> "

_LABELS: dict[str, Label] = {COMMON: "common", DIFFERENT: "different"}
_BARE: dict[str, Command] = {SUBMIT: Submission(), NEXT_ROUND: NextRound()}


def parse_command(message: str) -> Command | None:
    """Reads what a message does; None for a text, which is all without a known tag at its start."""
    # Texts may hold `<3`, so tags count at the start only.
    if message[:1] != "<":
        return None
    if message.startswith(SELECTION):
        # Both labels are six characters long; all the rest is a path.
        label = _LABELS.get(message[12:18])
        return None if label is None else Selection(label, message[18:])
    if message.startswith(QUESTIONNAIRE):
        return parse_answers(message.removeprefix(QUESTIONNAIRE))
    return _BARE.get(message)


def message_type(message: str) -> MessageType:
    """Says what a message is, by the name of its tag."""
    command = parse_command(message)
    return "text" if command is None else command.name


# The comment is free text, and may hold the divider itself.
_ANSWERS = re.compile(
    r"col:(\d{1,9})<&>partner_u:(\d{1,9})<&>self_u:(\d{1,9})<&>text:(.*)", re.ASCII | re.DOTALL
)


def parse_answers(text: str) -> Answers | None:
    """Parses ``col:N<&>partner_u:N<&>self_u:N<&>text:...``; None: it has another form."""
    match = _ANSWERS.fullmatch(text)
    if match is None:
        return None
    return Answers(int(match[1]), int(match[2]), int(match[3]), match[4])


def render_answers(answers: Answers) -> str:
    """Writes answers in the released form."""
    return (
        f"col:{answers.col}<&>partner_u:{answers.partner_u}"
        f"<&>self_u:{answers.self_u}<&>text:{answers.text}"
    )


# As Python writes durations: days come before hours of one digit.
_CLOCK = re.compile(r"(?:(-?\d{1,6}) days?, )?(\d{1,2}):(\d\d):([0-5]\d(?:\.\d+)?)", re.ASCII)


def parse_clock(timestamp: str) -> float | None:
    """Turns ``HH:MM:SS[.ffffff]``, also after ``1 day,``, into seconds; None: another form."""
    match = _CLOCK.fullmatch(timestamp)
    if match is None:
        return None
    days, hours, minutes, seconds = match.groups()
    return int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + float(seconds)


# Python's own reader passes over letters between the fraction of a second and `Z`.
_ISO_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?", re.ASCII
)


def parse_start(start_time: str) -> datetime | None:
    """Turns an ISO 8601 time into one without a zone, of UTC where it has one; None: no time."""
    if _ISO_TIME.fullmatch(start_time) is None:
        return None
    try:
        start = datetime.fromisoformat(start_time)
        return start if start.tzinfo is None else start.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


class Domain(Record):
    """A line of ``domain_ids.txt``: a domain id and the image folder it stands for."""

    domain_id: int
    folder: str


# Names of COCO with an underscore; as the second of two, anything is taken whole.
_TWO_TYPES = re.compile(r"(dining_table|teddy_bear|[^_]+)_(.+)")


def parse_object_types(folder: str) -> list[str]:
    """Divides the name of an image folder into the two main object types of its images.

    ``dining_table_laptop`` names two types, not three; a name of another form is one.
    """
    match = _TWO_TYPES.fullmatch(folder)
    return list(match.groups()) if match else [folder]


# Numbers without leading zeros, so that a line that was read is written again as it was.
_DOMAIN_LINE = re.compile(r"(0|[1-9][0-9]{0,8}): (\S.*)")


def parse_domains(text: str) -> Iterator[TextRecord]:
    """Parses ``domain_ids.txt``, one ``7: dogs`` a line; odd lines are kept as they are."""
    for number, whole in enumerate(split_lines(text), 1):
        line = whole.removesuffix("\n").removesuffix("\r")
        match = _DOMAIN_LINE.fullmatch(line)
        record: Domain | OddLine = OddLine(line)
        if match:
            record = Domain(domain_id=int(match[1]), folder=match[2])
        yield TextRecord(number, line, record)


def render_domains(records: Sequence[Domain | OddLine]) -> bytes:
    """Writes ``domain_ids.txt``; records that were parsed from one give the same lines."""
    lines = (r.line if isinstance(r, OddLine) else f"{r.domain_id}: {r.folder}" for r in records)
    return "".join(f"{line}\n" for line in lines).encode()


FORMATS = (
    FileFormat(
        name="log",
        title="game log",
        pattern=r"\d+_\d+_\d+_\d+\.json",
        record=Game,
        keys=frozenset({"game_id", "domain_id", "agent_ids", "rounds"}),
        # As numbers, so that no text of a record leads out of the folder.
        file_name="{game_id:d}_{agent_ids[0]:d}_{agent_ids[1]:d}_{domain_id:d}.json",
        role="main",
        dialogue_id=lambda game, _document: str(game.game_id),
    ),
    FileFormat(
        name="splits",
        title="split file",
        pattern=r"data_splits\.json",
        # Each game id is a record, so that one that is none costs itself alone. As released: 1,689
        # of `train`, 62 of `dev`, which is not `val`, 377 of `val`, 374 of `test`.
        record=int,
        layout="splits",
    ),
    FileFormat(
        name="domains",
        title="list of image domains",
        pattern=r"domain_ids\.txt",
        record=Domain,
        layout="text",
        parse_text=parse_domains,
        render_text=render_domains,
    ),
)
