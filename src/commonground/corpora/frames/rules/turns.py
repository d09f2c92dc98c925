"""Rules of Frames about dialogues as a whole: order of turns, people, ratings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from commonground.checks import find_disorder
from commonground.corpora.frames.convert import FOLD_OF
from commonground.corpora.frames.native import FramesDialogue, read_time
from commonground.corpora.frames.rules._places import FramesRules, iterate_searches
from commonground.findings import Place
from commonground.records import UNSET

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)

# Such as 01234567-89ab-cdef-0123-456789abcdef, in lower case only.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@rules.warning(1)
def starts_with_user(record: FramesDialogue) -> Iterator[Place]:
    """The dialogue does not start with the user.

    Users open every released dialogue; models and the frame numbering rely on it.

    Check whether turns are missing at the start.
    """
    if record.turns and record.turns[0].author != "user":
        yield Place(".turns[0].author", "user", record.turns[0].author, 0)


@rules.warning(2)
def alternates(record: FramesDialogue) -> Iterator[Place]:
    """Two turns in a row are by the same author.

    User and wizard alternate strictly in the released file.

    Check whether a turn is missing, or one message was stored as two turns.
    """
    for number, (before, turn) in enumerate(pairwise(record.turns), 1):
        if before.author == turn.author:
            other = "wizard" if turn.author == "user" else "user"
            yield Place(f".turns[{number}].author", other, turn.author)


@rules.warning(3)
def times_increase(record: FramesDialogue) -> Iterator[Place]:
    """A turn is not later than the one before it.

    Times increase strictly in the released file; response times would be negative.

    Sort the turns, or correct the timestamp.
    """
    times = [read_time(turn.timestamp, 1000) for turn in record.turns]
    for before, number in find_disorder(times, strict=True):
        expected, found = f"more than {times[before]}", str(times[number])
        yield Place(f".turns[{number}].timestamp", expected, found)


@rules.error(57)
def times_are_times(record: FramesDialogue) -> Iterator[Place]:
    """The time of a turn or a search cannot be read.

    It has no `at_s`; without the first turn's time, nothing in the dialogue has.

    Write milliseconds since 1970 for turns, seconds for searches.
    """
    for number, turn in enumerate(record.turns):
        if read_time(turn.timestamp, 1000) is None:
            expected, found = "milliseconds since 1970", repr(turn.timestamp)
            yield Place(f".turns[{number}].timestamp", expected, found)
    for _, path, search in iterate_searches(record):
        if read_time(search.timestamp) is None:
            yield Place(f"{path}.timestamp", "seconds since 1970", repr(search.timestamp))


@rules.error(5)
def database_of_wizard(record: FramesDialogue) -> Iterator[Place]:
    """A user turn has a database part, or a wizard turn has none.

    Only the wizard searches; every released wizard turn has the part, if only empty lists.

    Move the searches to the wizard turn they were made for, or add empty lists.
    """
    for number, turn in enumerate(record.turns):
        if (turn.db is UNSET) == (turn.author == "wizard"):
            expected = "searches and results" if turn.author == "wizard" else "nothing"
            found = None if turn.db is UNSET else "searches and results"
            yield Place(f".turns[{number}].db", expected, found)


@rules.error(6)
def bare_acts_of_user(record: FramesDialogue) -> Iterator[Place]:
    """A user turn lacks the acts without references, or a wizard turn has them.

    They are the input of the frame-tracking task, which is about user turns.

    Give user turns both lists of acts and wizard turns one.
    """
    for number, turn in enumerate(record.turns):
        bare = turn.labels.acts_without_refs
        if (bare is UNSET) == (turn.author == "user"):
            expected = "a list of acts" if turn.author == "user" else "nothing"
            found = None if bare is UNSET else "a list of acts"
            yield Place(f".turns[{number}].labels.acts_without_refs", expected, found)


@rules.note(11, known=35)
def is_short(record: FramesDialogue) -> Iterator[Place]:
    """The dialogue has fewer than three turns.

    It broke off before anything could be settled.

    Leave it out where a whole dialogue is needed.
    """
    if len(record.turns) < 3:
        yield Place(".turns", "three turns or more", str(len(record.turns)))


@rules.warning(12)
def two_people(record: FramesDialogue) -> Iterator[Place]:
    """The user and the wizard are the same person.

    Five people played both roles, but never in one dialogue.

    Check the two ids.
    """
    if record.user_id == record.wizard_id:
        yield Place(".wizard_id", f"not {record.user_id}", record.wizard_id)


@rules.note(13)
def is_in_fold(record: FramesDialogue) -> Iterator[Place]:
    """The user is in none of the authors' ten folds.

    The dialogue is in no split, so the frame-tracking evaluation leaves it out.

    Do nothing for dialogues of your own; otherwise check the user's id.
    """
    if record.user_id not in FOLD_OF:
        yield Place(".user_id", "a user of the evaluation's folds", record.user_id)


@rules.warning(14)
def id_is_uuid(record: FramesDialogue) -> Iterator[Place]:
    """The id of the dialogue is not a UUID.

    All released ids are; another may clash with someone else's.

    Give it a random UUID in lower case.
    """
    if not _UUID.fullmatch(record.id):
        yield Place(".id", "a UUID in lower case", record.id)


@rules.note(15, known=3)
def has_rating(record: FramesDialogue) -> Iterator[Place]:
    """The user gave no rating.

    The dialogue has no `rating` among its outcomes.

    Leave it out of averages; do not read it as 0.
    """
    if record.labels.userSurveyRating is None:
        yield Place(".labels.userSurveyRating", "a rating from 1 to 5", "null")


@rules.note(16, known=33)
def rating_is_whole(record: FramesDialogue) -> Iterator[Place]:
    """The rating is not a whole number.

    Raters could type any number; most typed a whole one.

    Treat ratings as numbers, or round them, before counting classes.
    """
    rating = record.labels.userSurveyRating
    if isinstance(rating, float) and not rating.is_integer():
        yield Place(".labels.userSurveyRating", "a whole number", str(rating))


@rules.warning(17)
def rating_is_on_scale(record: FramesDialogue) -> Iterator[Place]:
    """The rating is not from 1 to 5.

    That was the scale that users were given.

    Check the number.
    """
    rating = record.labels.userSurveyRating
    if rating is not None and not 1 <= rating <= 5:
        yield Place(".labels.userSurveyRating", "a number from 1 to 5", str(rating))
