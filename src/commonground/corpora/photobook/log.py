"""The documented dataset processor: released logs as objects with derived attributes.

Attributes bear the names of the published documentation. Where it and the released files
disagree the files are right: rounds are numbered 1 to 5, and ``turn`` is the released number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.photobook.native import (
    FORMATS,
    Answers,
    Game,
    Message,
    MessageType,
    Round,
    message_type,
    parse_answers,
    parse_object_types,
)
from commonground.errors import FormatError
from commonground.files.documents import decode_all
from commonground.files.sources import Document, list_documents
from commonground.records import convert_value

_LOG_FORMAT = FORMATS[0]


class LogMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message of a game.

    Attributes:
        message_id: number of the message in its game, from 0.
        timestamp: time since the game began; as text it is ``HH:MM:SS[.ffffff]``.
        turn: the released number: how many texts, ``<next_round>`` and ``<usr_feedback>``
            messages came before it in the round.
        speaker: label of the player.
        agent_id: who the player was, across games.
        message: what was sent, verbatim, its tags included.
        type: what it is, by its first tag.
    """

    message_id: int
    timestamp: time
    turn: int
    speaker: str
    agent_id: int
    message: str
    type: MessageType

    @property
    def text(self) -> str:
        """The message, under the name that the published transcript printer uses."""
        return self.message


class GameRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round of a game.

    Attributes:
        round_nr: 1 to 5.
        duration: from the first message to the last click on submit; None where nobody
            submitted. The time until the next round is not in it.
        total_score: points of both players.
        scores: points by speaker.
        num_messages: number of texts; actions are not counted.
        images: six image paths by speaker, row by row.
        common: images that both players see, in no order.
        highlighted: for each image of a speaker whether it was one to be marked.
        messages: texts and actions, in order of time.
    """

    round_nr: int
    duration: timedelta | None
    total_score: int
    scores: dict[str, int]
    num_messages: int
    images: dict[str, list[str]]
    common: list[str]
    highlighted: dict[str, list[bool]]
    messages: list[LogMessage]


class Log:
    """A game.

    Attributes:
        game_id: 0 to 2501 in the released logs, in order of time.
        domain_id: number of the image domain.
        domains: the two main object types of its images, as its image folder spells them.
        agent_ids: who the players were, across games.
        agent_labels: their labels.
        start_time: ``YYYY-MM-DDTHH:mm:ss.ffffff``.
        duration: from the first message to the last.
        total_score: points of both players in all rounds.
        scores: points of all rounds by speaker.
        feedback: the closing questionnaire by speaker, verbatim; None where none was given.
        answers: the same, parsed; None where it has another form, too.
        rounds: the rounds, in order.
        complete: whether all five rounds are there.
    """

    def __init__(self, logfile: Mapping[str, Any] | Game) -> None:
        """Builds the log of one decoded file.

        Raises:
            FormatError: it is not a PhotoBook log.
        """
        game = logfile if isinstance(logfile, Game) else _parse_game(logfile)
        self.game_id = game.game_id
        self.domain_id = game.domain_id
        self.agent_ids = game.agent_ids
        self.agent_labels = game.agent_labels
        self.start_time = game.start_time
        self.feedback: dict[str, str | None] = {"A": game.feedback.A, "B": game.feedback.B}
        self.answers: dict[str, Answers | None] = {
            speaker: None if given is None else parse_answers(given)
            for speaker, given in self.feedback.items()
        }
        self.rounds = _build_rounds(game)
        self.complete = len(self.rounds) == 5
        self.scores = {s: sum(each.scores[s] for each in self.rounds) for s in ("A", "B")}
        self.total_score = sum(self.scores.values())
        messages = [message for each in self.rounds for message in each.messages]
        self.duration = _elapsed(messages[0], messages[-1]) if messages else timedelta()
        paths = game.rounds[0].images.A if game.rounds else []
        self.domains = parse_object_types(paths[0].partition("/")[0] if paths else "")

    @staticmethod
    def format_time(timestamp: time) -> str:
        """Writes a time since the game began as ``MM:SS``; minutes go on beyond 59."""
        return f"{timestamp.hour * 60 + timestamp.minute:02d}:{timestamp.second:02d}"

    @staticmethod
    def strip_image_id(image_path: str) -> int:
        """Returns the COCO number in an image path.

        Raises:
            ValueError: there is none.
        """
        return int(image_path.rpartition("_")[2].partition(".")[0])


def load_logs(
    log_repository: str | os.PathLike[str], data_path: str | os.PathLike[str] = ""
) -> list[Log]:
    """Loads the complete games below a folder, or in a zip file, in order of game id.

    Args:
        log_repository: the folder or file, relative to ``data_path``.
        data_path: where it is.

    Raises:
        SourceError: there is no such folder, or a file cannot be read.
        FormatError: a log is not one; the message says where.
    """
    listing = list_documents([Path(data_path) / log_repository])
    # By name, as the documented processor finds its logs.
    documents = [d for d in listing.documents if re.fullmatch(_LOG_FORMAT.pattern, d.base)]
    logs = [Log(_read_game(document)) for document in documents]
    return sorted((log for log in logs if log.complete), key=lambda log: log.game_id)


def _read_game(document: Document) -> Game:
    (read,) = decode_all(document.name, document.read(), _LOG_FORMAT)
    game: Game = read.record
    return game


def _parse_game(logfile: Mapping[str, Any]) -> Game:
    decoded = convert_value(dict(logfile), Game)
    if decoded.record is None:
        # A field too many does not keep a log from being read: it is not what went wrong.
        bad = next(each for each in decoded.faults if each.kind != "unknown")
        raise FormatError(f"not a PhotoBook log: ${bad.path}: expected {bad.expected}.")
    return decoded.record


def _build_rounds(game: Game) -> list[GameRound]:
    rounds, first = [], 0
    for each in game.rounds:
        messages = [_build_message(m, first + i) for i, m in enumerate(each.messages)]
        # Messages are numbered through the game, not by round.
        first += len(messages)
        rounds.append(_build_round(each, messages))
    return rounds


def _build_round(each: Round, messages: list[LogMessage]) -> GameRound:
    # A player may submit again (370 times in a round); the last time is what ends the round.
    submits = [message for message in messages if message.type == "feedback"]
    # The published processor adds 1 to `round_nr`: it was written for logs that count from 0.
    return GameRound(
        round_nr=each.round_nr,
        duration=_elapsed(messages[0], submits[-1]) if submits else None,
        total_score=each.score.A + each.score.B,
        scores={"A": each.score.A, "B": each.score.B},
        num_messages=sum(message.type == "text" for message in messages),
        images={"A": each.images.A, "B": each.images.B},
        common=each.common,
        highlighted={"A": each.highlighted.A, "B": each.highlighted.B},
        messages=messages,
    )


def _build_message(message: Message, message_id: int) -> LogMessage:
    try:
        # After `1 day, ` hours have one digit.
        clock = message.timestamp.rpartition(", ")[2]
        timestamp = time.fromisoformat(f"0{clock}" if clock[1:2] == ":" else clock)
    except ValueError:
        problem = f"message {message_id}: timestamp {message.timestamp!r} is not HH:MM:SS"
        raise FormatError(f"{problem}[.ffffff].") from None
    return LogMessage(
        message_id=message_id,
        timestamp=timestamp,
        turn=message.turn,
        speaker=message.speaker,
        agent_id=message.agent_id,
        message=message.message,
        type=message_type(message.message),
    )


def _elapsed(first: LogMessage, last: LogMessage) -> timedelta:
    # A round may go over midnight, which the times do not say.
    start, end = (datetime.combine(datetime.min, each.timestamp, None) for each in (first, last))
    return (end - start) % timedelta(days=1)
