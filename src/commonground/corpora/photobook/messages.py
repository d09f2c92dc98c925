"""The message language of PhotoBook logs: plain text, or a tag with a payload."""

from __future__ import annotations

import unicodedata
from typing import Literal

import msgspec

MessageType = Literal["text", "selection", "feedback", "next_round", "usr_feedback"]
Label = Literal["common", "different"]

SELECTION = "<selection> "
COMMON = "<com> "
DIFFERENT = "<dif> "
SUBMIT = "<feedback>"
NEXT_ROUND = "<next_round>"
QUESTIONNAIRE = "<usr_feedback> "
LABELS: dict[str, Label] = {COMMON: "common", DIFFERENT: "different"}


class Selection(msgspec.Struct, frozen=True, gc=False):
    """A player marked an image."""

    label: Label
    image: str


class Answers(msgspec.Struct, frozen=True, gc=False):
    """Closing questionnaire: three grades from 1 to 5 and a comment.

    Attributes:
        col: how the collaboration went.
        partner_u: how well the partner understood.
        self_u: how well the player understood.
        text: comment; empty where none was given.
    """

    col: int
    partner_u: int
    self_u: int
    text: str


def message_type(message: str) -> MessageType:
    """Says what a message is; anything without a known tag at its start is text."""
    if message[:1] != "<":
        return "text"
    if message.startswith(SELECTION) and parse_selection(message) is not None:
        return "selection"
    if message == SUBMIT:
        return "feedback"
    if message == NEXT_ROUND:
        return "next_round"
    if message.startswith(QUESTIONNAIRE) and parse_answers(message[15:]) is not None:
        return "usr_feedback"
    return "text"


def parse_selection(message: str) -> Selection | None:
    """Parses ``<selection> <com> PATH`` or ``<selection> <dif> PATH``; null if it is neither."""
    label = LABELS.get(message[12:18])
    return None if label is None else Selection(label, message[18:])


def parse_answers(text: str) -> Answers | None:
    """Parses ``col:N<&>partner_u:N<&>self_u:N<&>text:...``; null if it has another form."""
    parts = text.split("<&>", 3)
    if len(parts) != 4:
        return None
    values = []
    for part, name in zip(parts, ("col:", "partner_u:", "self_u:", "text:"), strict=True):
        if not part.startswith(name):
            return None
        values.append(part[len(name) :])
    try:
        return Answers(int(values[0]), int(values[1]), int(values[2]), values[3])
    except ValueError:
        return None


def render_answers(answers: Answers) -> str:
    """Writes answers in the released form."""
    return (
        f"col:{answers.col}<&>partner_u:{answers.partner_u}"
        f"<&>self_u:{answers.self_u}<&>text:{answers.text}"
    )


_NO_LINE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, halves of pairs, and ends of lines and paragraphs."""


def is_line(text: str) -> bool:
    """Says whether a text can be typed into a field of one line.

    Joiners, which many scripts and emoji need, can be, though nobody sees them.
    """
    return text.isprintable() or all(unicodedata.category(each) not in _NO_LINE for each in text)


def parse_clock(timestamp: str) -> float:
    """Turns ``HH:MM:SS[.ffffff]`` into seconds.

    Raises:
        ValueError: it has another form.
    """
    hours, minutes, seconds = timestamp.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
