"""What is labelled: a unit is a question about a line, asked of each of a few candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.checks import find_repeats
from commonground.errors import FormatError
from commonground.findings import Place

YES_OR_NO = ("yes", "no")
PEOPLE = 3
"""People who label each unit, unless it says otherwise."""

MOST_CANDIDATES = 9
"""Candidates of a unit: as many as are judged with one look."""

MOST_ANSWERS = 9
"""Answers to choose from: each has a key from 1 to 9."""


class ContextLine(msgspec.Struct, frozen=True):
    """Something that was said before the question.

    Attributes:
        text: what was said; of an action, half a sentence that follows the name.
        picture: path below the image folder; None where there is none at hand.
        lacks_picture: whether it has a picture that is not at hand.
        is_action: whether something was done, and nothing said.
    """

    speaker: str
    text: str
    picture: str | None = None
    lacks_picture: bool = False
    is_action: bool = False


class Candidate(msgspec.Struct, frozen=True):
    """Something that the question is asked of.

    Attributes:
        id: of its line.
        picture: path below the image folder; None where it has none that is at hand.
        lacks_picture: whether it has a picture that is not at hand.
    """

    id: str
    text: str
    picture: str | None = None
    lacks_picture: bool = False


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What one person labels at a time.

    Attributes:
        id: one name for the same unit in every session.
        context: what was said, oldest first; the question is about the last line.
        candidates: at most nine.
        answers: those that may be given, two at least.
        gold: the right vote for each candidate, to see how people do; None where that is what is
            to be found out.
        known: for scripted people, what everybody would vote who reads with care, by candidate;
            of others they judge by the words.
    """

    id: str
    question: str
    context: tuple[ContextLine, ...]
    candidates: tuple[Candidate, ...]
    answers: tuple[str, ...] = YES_OR_NO
    people: int = PEOPLE
    gold: dict[str, Any] | None = None
    known: dict[str, Any] = {}


def check_unit(unit: Unit) -> Iterator[Place]:
    """Yields what makes a unit unfit to be labelled, each with where it is."""
    if not unit.id:
        yield Place(".id", "a name", "nothing")
    if not unit.question.strip():
        yield Place(".question", "a question", "nothing")
    if not unit.context:
        yield Place(".context", "the line that the question is about", "no line")
    ids = [each.id for each in unit.candidates]
    if not 1 <= len(ids) <= MOST_CANDIDATES:
        yield Place(".candidates", f"1 to {MOST_CANDIDATES} candidates", str(len(ids)))
    for index, repeated in find_repeats(ids):
        yield Place(f".candidates[{index}].id", "an id of its own", repeated)
    if unit.gold is not None and unit.gold.keys() != set(ids):
        missing, strange = set(ids) - unit.gold.keys(), unit.gold.keys() - set(ids)
        found = ", ".join(sorted(missing | strange))
        yield Place(".gold", "an answer for each candidate and no other", found)
    # Some candidates may be known and others not, so that only strange ones are wrong here.
    for strange_id in sorted(unit.known.keys() - set(ids)):
        yield Place(".known", "ids of candidates", strange_id)
    if not 2 <= len(unit.answers) <= MOST_ANSWERS:
        yield Place(".answers", f"2 to {MOST_ANSWERS} answers", str(len(unit.answers)))
    for index, repeated in find_repeats(unit.answers):
        yield Place(f".answers[{index}]", "an answer of its own", repeated)
    for index, answer in enumerate(unit.answers):
        if not answer.strip():
            yield Place(f".answers[{index}]", "words", "nothing")
    if unit.people < 1:
        yield Place(".people", "1 or more", str(unit.people))


def require_sound(unit: Unit) -> None:
    """Does nothing for a unit that can be labelled.

    Raises:
        FormatError: it cannot be; the message names the first fault, with where and what.
    """
    for first in check_unit(unit):
        raise FormatError(
            f"Unit {unit.id or '?'}, {first.path[1:]}: expected {first.expected}, "
            f"found {first.found}.",
            "Correct the unit, or leave it out.",
        )
