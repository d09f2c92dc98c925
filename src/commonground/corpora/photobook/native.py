"""PhotoBook's released files: game logs, the split file, the list of image domains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commonground.formats import FileFormat, OddLine, TextRecord, split_lines
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

    ``timestamp`` is the time since the game began, ``HH:MM:SS[.ffffff]``. ``turn`` counts the
    texts, ``<next_round>`` and ``<usr_feedback>`` messages before this one in the round: it is
    not what the documentation says it is.
    """

    timestamp: str
    turn: int
    speaker: str
    agent_id: int
    message: str


class Round(Record):
    """One of the five pages of a game; ``round_nr`` is 1 to 5 in the files."""

    round_nr: int
    score: Scores
    images: Displays
    common: list[str]
    highlighted: Highlights
    messages: list[Message]


class Game(Record):
    """A log file."""

    game_id: int
    domain_id: int
    agent_ids: list[int]
    agent_labels: list[str]
    start_time: str
    feedback: Feedback
    rounds: list[Round]


class Splits(Record):
    """``data_splits.json``: the game ids of each split."""

    train: list[int]
    dev: list[int]
    val: list[int]
    test: list[int]


class Domain(Record):
    """A line of ``domain_ids.txt``: a domain id and the image folder it stands for."""

    domain_id: int
    folder: str


_TWO_TYPES = re.compile(r"(dining_table|teddy_bear|[^_]+)_(.+)")


def parse_object_types(folder: str) -> list[str]:
    """Divides the name of an image folder into the two main object types of its images.

    ``dining_table_laptop`` names two types, not three; a name of another form is one.
    """
    match = _TWO_TYPES.fullmatch(folder)
    return list(match.groups()) if match else [folder]


_DOMAIN_LINE = re.compile(r"(0|[1-9][0-9]{0,8}): (\S.*)")


def parse_domains(text: str) -> Iterator[TextRecord]:
    """Parses ``domain_ids.txt``."""
    for number, whole in enumerate(split_lines(text), 1):
        line = whole.removesuffix("\n").removesuffix("\r")
        match = _DOMAIN_LINE.fullmatch(line)
        record: Domain | OddLine = OddLine(line)
        if match:
            record = Domain(domain_id=int(match[1]), folder=match[2])
        yield TextRecord(number, line, record)


def render_domains(records: Sequence[Domain | OddLine]) -> bytes:
    """Writes ``domain_ids.txt``."""
    lines = (r.line if isinstance(r, OddLine) else f"{r.domain_id}: {r.folder}" for r in records)
    return "".join(f"{line}\n" for line in lines).encode()


FORMATS = (
    FileFormat(
        name="log",
        title="game log",
        pattern=r"\d+_\d+_\d+_\d+\.json",
        record=Game,
        keys=frozenset({"game_id", "domain_id", "agent_ids", "rounds"}),
        role="main",
        dialogue_id=lambda game, _document: str(game.game_id),
    ),
    FileFormat(
        name="splits",
        title="split file",
        pattern=r"data_splits\.json",
        record=Splits,
        keys=frozenset({"train", "dev", "val", "test"}),
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
