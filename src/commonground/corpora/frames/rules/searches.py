"""Rules of Frames about database searches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from commonground.corpora.frames.native import FramesDialogue, read_time
from commonground.corpora.frames.rules._places import FramesRules, iterate_searches
from commonground.corpora.frames.vocabulary import MOST_PACKAGES
from commonground.findings import Place
from commonground.printing import count_of
from commonground.records import UNSET, UnsetType

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)

_NUMERIC = ("START_TIME", "END_TIME", "NUM_ADULTS", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX")
# Such as 1471219200000 or 2500.50; without ASCII digits of any script would do.
_DIGITS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


@rules.error(46)
def search_has_result(record: FramesDialogue) -> Iterator[Place]:
    """A turn has more searches than results, or fewer.

    It is not known which result a search gave.

    Give each search its result, an empty list where nothing was found.
    """
    for number, turn in enumerate(record.turns):
        if turn.db is not UNSET and len(turn.db.search) != len(turn.db.result):
            expected, found = count_of(len(turn.db.search), "result"), str(len(turn.db.result))
            yield Place(f".turns[{number}].db.result", expected, found)


@rules.warning(49)
def constants_hold(record: FramesDialogue) -> Iterator[Place]:
    """A constant field of the search form has another value than usual.

    `RESULT_LIMIT` is "10", and `ARE_DATES_FLEXIBLE` is "true" or absent.

    Check the value; they are texts.
    """
    for _, path, search in iterate_searches(record):
        limit, flexible = search.RESULT_LIMIT, search.ARE_DATES_FLEXIBLE
        if limit != str(MOST_PACKAGES):
            found = None if limit is UNSET else limit
            yield Place(f"{path}.RESULT_LIMIT", str(MOST_PACKAGES), found)
        if flexible is not UNSET and flexible != "true":
            yield Place(f"{path}.ARE_DATES_FLEXIBLE", "true", flexible)


@rules.note(50, known=42)
def search_is_numeric(record: FramesDialogue) -> Iterator[Place]:
    """A numeric field of a search does not hold a number.

    The form was left empty or a date could not be read; the search went ahead without it.

    Read it as not given.
    """
    for _, path, search in iterate_searches(record):
        for field in _NUMERIC:
            value: str | UnsetType = getattr(search, field)
            if value is not UNSET and not _DIGITS.fullmatch(value):
                yield Place(f"{path}.{field}", "a number", repr(value))


@rules.note(51, known=5)
def search_has_adults(record: FramesDialogue) -> Iterator[Place]:
    """A search does not give the number of adults.

    The form asked for it; prices are for a number of people.

    Use the number from the frame.
    """
    for _, path, search in iterate_searches(record):
        if search.NUM_ADULTS is UNSET:
            yield Place(f"{path}.NUM_ADULTS", "a number")


@rules.warning(52)
def searches_in_order(record: FramesDialogue) -> Iterator[Place]:
    """A search is earlier than the one before it in its turn.

    Searches of a turn are in order of time.

    Sort them, and their results with them.
    """
    for number, turn in enumerate(record.turns):
        if turn.db is UNSET:
            continue
        for index, (before, search) in enumerate(pairwise(turn.db.search), 1):
            before_s, at_s = read_time(before.timestamp), read_time(search.timestamp)
            if before_s is not None and at_s is not None and at_s < before_s:
                path = f".turns[{number}].db.search[{index}].timestamp"
                yield Place(path, f"{before_s} or more", str(at_s))


@rules.note(53, known=701)
def search_is_in_turn(record: FramesDialogue) -> Iterator[Place]:
    """A search was made before the user's turn or after the wizard's answer.

    The log assigns it to this turn, although its time falls within another.

    Order searches by `at_s` where the exact time matters.
    """
    for number, path, search in iterate_searches(record):
        at_s = read_time(search.timestamp)
        turns = record.turns[max(number - 1, 0) : number + 1]
        known = [at for turn in turns if (at := read_time(turn.timestamp, 1000)) is not None]
        if at_s is None or len(known) < len(turns):
            continue
        # Searches are timed in seconds, turns in milliseconds.
        if number and at_s * 1000 < known[0]:
            expected = "after the turn before"
        elif at_s * 1000 > known[-1]:
            expected = "before the answer"
        else:
            continue
        yield Place(f"{path}.timestamp", expected, str(search.timestamp))
