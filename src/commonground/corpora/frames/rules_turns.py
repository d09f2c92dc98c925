"""Rules of Frames about dialogues as a whole: order of turns, people, ratings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from commonground.checks.generic import find_disorder
from commonground.corpora.frames.convert import FOLD_OF
from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.places import event_of
from commonground.findings import Examined, Place, rule
from commonground.records import UNSET

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@rule(
    "CG-FRAMES-001",
    "warning",
    "The dialogue does not start with the user.",
    why="Users open every released dialogue; models and the frame numbering rely on it.",
    advice="See whether turns are missing at the start.",
    format="dialogues",
    known=0,
)
def starts_with_user(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The first turn is the user's."""
    if record.turns and record.turns[0].author != "user":
        yield Place(".turns[0].author", "user", record.turns[0].author, 0)


@rule(
    "CG-FRAMES-002",
    "warning",
    "Two turns in a row are by the same author.",
    why="User and wizard alternate strictly in the released file.",
    advice="See whether a turn is missing, or one message was stored as two turns.",
    format="dialogues",
    known=0,
)
def alternates(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Authors alternate."""
    for number, (before, turn) in enumerate(pairwise(record.turns), 1):
        if before.author == turn.author:
            other = "wizard" if turn.author == "user" else "user"
            place = f".turns[{number}].author"
            yield Place(place, other, turn.author, event_of(record, number))


@rule(
    "CG-FRAMES-003",
    "warning",
    "A turn is not later than the one before it.",
    why="Times increase strictly in the released file; response times would be negative.",
    advice="Sort the turns, or mend the timestamp.",
    format="dialogues",
    known=0,
)
def times_increase(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Timestamps increase."""
    times = [turn.timestamp for turn in record.turns]
    for number in find_disorder(times, strict=True):
        place, expected = f".turns[{number}].timestamp", f"more than {times[number - 1]}"
        yield Place(place, expected, str(times[number]), event_of(record, number))


@rule(
    "CG-FRAMES-005",
    "error",
    "A user turn has a database part, or a wizard turn has none.",
    why="Only the wizard searches; every released wizard turn has the part, if only empty lists.",
    advice="Move the searches to the wizard turn they were made for, or add empty lists.",
    format="dialogues",
    known=0,
)
def database_of_wizard(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The database part stands on wizard turns and only there."""
    for number, turn in enumerate(record.turns):
        if (turn.db is UNSET) == (turn.author == "wizard"):
            expected = "searches and results" if turn.author == "wizard" else "nothing"
            found = None if turn.db is UNSET else "searches and results"
            yield Place(f".turns[{number}].db", expected, found, event_of(record, number))


@rule(
    "CG-FRAMES-006",
    "error",
    "Acts without references are missing on a user turn, or stand on a wizard turn.",
    why="They are the input of the frame-tracking task, which is about user turns.",
    advice="Give user turns both lists of acts and wizard turns one.",
    format="dialogues",
    known=0,
)
def bare_acts_of_user(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """``acts_without_refs`` stands on user turns and only there."""
    for number, turn in enumerate(record.turns):
        bare = turn.labels.acts_without_refs
        if (bare is UNSET) == (turn.author == "user"):
            path = f".turns[{number}].labels.acts_without_refs"
            expected = "a list of acts" if turn.author == "user" else "nothing"
            found = None if bare is UNSET else "a list of acts"
            yield Place(path, expected, found, event_of(record, number))


@rule(
    "CG-FRAMES-011",
    "note",
    "The dialogue has fewer than three turns.",
    why="It broke off before anything could be settled.",
    advice="Leave it out where a whole dialogue is needed.",
    format="dialogues",
    known=35,
)
def is_short(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """A dialogue has three turns at least."""
    if len(record.turns) < 3:
        yield Place(".turns", "three turns or more", str(len(record.turns)))


@rule(
    "CG-FRAMES-012",
    "warning",
    "The user is the wizard too.",
    why="Five people played both roles, but never in one dialogue.",
    advice="Check the two ids.",
    format="dialogues",
    known=0,
)
def two_people(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """User and wizard are two people."""
    if record.user_id == record.wizard_id:
        yield Place(".wizard_id", f"not {record.user_id}", record.wizard_id)


@rule(
    "CG-FRAMES-013",
    "note",
    "The user is in none of the authors' ten folds.",
    why="The dialogue is in no split, so the frame-tracking evaluation leaves it out.",
    advice="Nothing for dialogues of your own; else check the user's id.",
    format="dialogues",
    known=0,
)
def is_in_fold(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The user is one of the authors' folds."""
    if record.user_id not in FOLD_OF:
        yield Place(".user_id", "a user of the evaluation's folds", record.user_id)


@rule(
    "CG-FRAMES-014",
    "warning",
    "The id of the dialogue is not a UUID.",
    why="All released ids are; another may clash with someone else's.",
    advice="Give it a random UUID in lower case.",
    format="dialogues",
    known=0,
)
def id_is_uuid(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The id is a UUID."""
    if not _UUID.fullmatch(record.id):
        yield Place(".id", "a UUID in lower case", record.id)


@rule(
    "CG-FRAMES-015",
    "note",
    "The user gave no rating.",
    why="The dialogue has no `rating` among its outcomes.",
    advice="Leave it out of averages; do not read it as 0.",
    format="dialogues",
    known=3,
)
def has_rating(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """There is a rating."""
    if record.labels.userSurveyRating is None:
        yield Place(".labels.userSurveyRating", "a rating from 1 to 5", "null")


@rule(
    "CG-FRAMES-016",
    "note",
    "The rating is not a whole number.",
    why="Raters could type any number; most typed a whole one.",
    advice="Treat ratings as numbers, or round them, before counting classes.",
    format="dialogues",
    known=33,
)
def rating_is_whole(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The rating is whole."""
    rating = record.labels.userSurveyRating
    if isinstance(rating, float) and not rating.is_integer():
        yield Place(".labels.userSurveyRating", "a whole number", str(rating))


@rule(
    "CG-FRAMES-017",
    "warning",
    "The rating is not from 1 to 5.",
    why="That was the scale that users were given.",
    advice="Check the number.",
    format="dialogues",
    known=0,
)
def rating_is_on_scale(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The rating is on the scale."""
    rating = record.labels.userSurveyRating
    if rating is not None and not 1 <= rating <= 5:
        yield Place(".labels.userSurveyRating", "a number from 1 to 5", str(rating))
