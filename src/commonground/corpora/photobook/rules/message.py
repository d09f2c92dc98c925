"""Rules on what every message carries: speaker, turn, time, tag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from operator import lt

from commonground.checks import find_disorder
from commonground.corpora.photobook.native import parse_clock
from commonground.corpora.photobook.rules._course import GameCourse, course_of
from commonground.findings import Place, Ruleset, shorten

rules = Ruleset("CG-PHOTOBOOK-", "log", known=0, of=course_of)

LONG_PAUSE_S = 600
# Such as 00:01:07.428512.
_STAMP = r"\d\d:[0-5]\d:[0-5]\d\.\d{6}"
# Held against all stamps of a game, one a line; each is looked at only where that fails.
_STAMPS = re.compile(rf"(?:00:00:00)?(?:\n{_STAMP})*", re.ASCII)


@rules.error(30)
def message_agent(course: GameCourse) -> Iterator[Place]:
    """The agent of a message is not the one that its speaker's label stands for.

    It is not known who spoke.

    Leave the message out of statistics by player.
    """
    agent_of = dict(zip(course.game.agent_labels, course.game.agent_ids, strict=False))
    # Lists are compared as a whole: no released log has such a message.
    wanted = [agent_of.get(message.speaker) for message in course.messages]
    if wanted == [message.agent_id for message in course.messages]:
        return
    for event, message in enumerate(course.messages):
        if message.agent_id != wanted[event]:
            expected = "an agent of the game" if wanted[event] is None else str(wanted[event])
            found = f"{message.agent_id} as {message.speaker}"
            yield course.place(event, expected, found, "agent_id")


@rules.error(31)
def turn_number(course: GameCourse) -> Iterator[Place]:
    """The turn is not the number of texts, next-round clicks and questionnaires before it.

    That is what the released number counts, whatever the documentation says.

    Count turns of speaking yourself: a turn ends where the speaker changes.
    """
    if [message.turn for message in course.messages] == course.turns:
        return
    for event, (message, turn) in enumerate(zip(course.messages, course.turns, strict=True)):
        if message.turn != turn:
            yield course.place(event, str(turn), str(message.turn), "turn")


@rules.error(32)
def timestamp_form(course: GameCourse) -> Iterator[Place]:
    """A timestamp does not have the released form.

    A game starts at 00:00:00; all later times have six digits after the second.

    Write times as HH:MM:SS.ffffff, the first as 00:00:00.
    """
    stamps = course.stamps
    if _STAMPS.fullmatch("\n".join(stamps)):
        return
    for event, stamp in enumerate(stamps):
        if event == 0 and stamp != "00:00:00":
            yield course.place(0, "00:00:00", stamp, "timestamp")
        elif event and not re.fullmatch(_STAMP, stamp, re.ASCII):
            yield course.place(event, "HH:MM:SS.ffffff", stamp, "timestamp")


@rules.error(33)
def time_order(course: GameCourse) -> Iterator[Place]:
    """A message is not later than the one before it.

    Messages are in order of time, and the clock runs on from round to round.

    Do not rely on response times in this game.
    """
    # In the released form, texts sort like times.
    stamps = course.stamps
    if _STAMPS.fullmatch("\n".join(stamps)) and all(map(lt, stamps, stamps[1:])):
        return
    for before, event in find_disorder([parse_clock(stamp) for stamp in stamps], strict=True):
        expected = f"later than {shorten(stamps[before])}"
        yield course.place(event, expected, stamps[event], "timestamp")


@rules.note(34, known=3)
def long_pause(course: GameCourse) -> Iterator[Place]:
    """Neither player did anything for more than ten minutes.

    The players were away; the round's duration says nothing about its difficulty.

    Leave the round out of statistics of time.
    """
    # Looks where the time passes a ten-minute mark, since each such pause passes one; `HH:M` are
    # ten minutes, but not after `1 day, `.
    for event, (before, after) in enumerate(pairwise(course.stamps), 1):
        if before[:4] == after[:4] and " " not in after:
            continue
        since_s, at_s = parse_clock(before), parse_clock(after)
        if since_s is not None and at_s is not None and at_s - since_s > LONG_PAUSE_S:
            found = f"since {before}"
            yield course.place(event, f"at most {LONG_PAUSE_S} s", found, "timestamp")


@rules.error(35)
def unknown_tag(course: GameCourse) -> Iterator[Place]:
    """A message starts like an action but is not one.

    It is kept as a text.

    Compare it with the tags of the format and with the form of their payloads.
    """
    for event in course.odd:
        yield course.place(event, "a known tag", course.messages[event].message)


@rules.error(36)
def empty_round(course: GameCourse) -> Iterator[Place]:
    """A round has no message.

    Nothing was said or done in it.

    Leave the game out, since its later rounds build on this one.
    """
    for number, each in enumerate(course.game.rounds):
        if not each.messages:
            yield Place(f".rounds[{number}].messages", "messages", "none")
