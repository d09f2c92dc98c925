"""Transcripts of games in the layout of the published documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from commonground.corpora.photobook.log import GameRound, Log, LogMessage
from commonground.corpora.photobook.native import Selection, parse_command


def print_transcript(log: Log, file: TextIO | None = None) -> None:
    """Prints a transcript.

    Args:
        log: the game.
        file: where to; standard output where None.
    """
    for line in render_transcript(log):
        print(line, file=file)


def render_transcript(log: Log) -> Iterator[str]:
    """Yields the lines of a transcript: the game's facts, then texts and marks by round."""
    yield f"Game ID: {log.game_id}"
    yield f"Domain ID: {log.domain_id}"
    yield f"Image set main objects: {' and '.join(repr(each) for each in log.domains)}"
    yield f"Participant IDs: {' and '.join(str(each) for each in log.agent_ids)}"
    yield f"Start Time: {log.start_time}"
    yield f"Duration: {log.duration}"
    yield f"Total Score: {log.total_score}"
    yield f"Player scores: A - {log.scores['A']}, B - {log.scores['B']}"
    yield "Transcript:"
    yield ""
    for each in log.rounds:
        yield from _render_round(each)


def _render_round(each: GameRound) -> Iterator[str]:
    yield f"Round {each.round_nr}"
    for message in each.messages:
        line = _render_message(message)
        if line is not None:
            yield line
    yield ""
    yield f"Duration: {each.duration}"
    yield f"Total Score: {each.total_score}"
    yield f"Player scores: A - {each.scores['A']}, B - {each.scores['B']}"
    yield f"Number of messages: {each.num_messages}"
    yield ""


def _render_message(message: LogMessage) -> str | None:
    start = f"[{Log.format_time(message.timestamp)}] {message.speaker}"
    if message.type == "text":
        return f"{start}: {message.message}"
    command = parse_command(message.message)
    if not isinstance(command, Selection):
        return None
    return f"{start} marks image {_image_name(command.image)} as {command.label}"


def _image_name(path: str) -> str:
    try:
        return str(Log.strip_image_id(path))
    except ValueError:
        return path
