"""Rules on what every message carries: speaker, turn, time, tag."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import lt

from commonground.checks.generic import find_disorder
from commonground.corpora.photobook.facts import facts_of
from commonground.corpora.photobook.messages import parse_clock
from commonground.corpora.photobook.native import Game
from commonground.findings import Examined, Place, rule, shorten

LONG_PAUSE_S = 600
_STAMP = r"\d\d:[0-5]\d:[0-5]\d\.\d{6}"
_STAMPS = re.compile(rf"(?:00:00:00)?(?:\n{_STAMP})*", re.ASCII)


@rule(
    "CG-PHOTOBOOK-030",
    "error",
    "The agent of a message is not the one that its speaker's label stands for.",
    why="It cannot be told who spoke.",
    advice="Leave the message out of statistics by player.",
    format="log",
    known=0,
)
def message_agent(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares every speaker and agent with the game's labels and agents."""
    facts = facts_of(game, examined)
    agent_of = dict(zip(game.agent_labels, game.agent_ids, strict=False))
    wanted = [agent_of.get(message.speaker) for message in facts.messages]
    if wanted == [message.agent_id for message in facts.messages]:
        return
    for event, message in enumerate(facts.messages):
        if message.agent_id != wanted[event]:
            expected = "an agent of the game" if wanted[event] is None else str(wanted[event])
            found = f"{message.agent_id} as {message.speaker}"
            yield facts.place(event, expected, found, "agent_id")


@rule(
    "CG-PHOTOBOOK-031",
    "error",
    "The turn is not the number of texts, next-round clicks and questionnaires before it.",
    why="That is what the released number counts, whatever the documentation says.",
    advice="Count turns of speaking yourself: a turn ends where the speaker changes.",
    format="log",
    known=0,
)
def turn_number(game: Game, examined: Examined) -> Iterator[Place]:
    """Counts again."""
    for each in facts_of(game, examined).rounds:
        if [message.turn for message in each.round.messages] == each.turns:
            continue
        for index, message in enumerate(each.round.messages):
            if message.turn != each.turns[index]:
                yield each.place(index, str(each.turns[index]), str(message.turn), "turn")


@rule(
    "CG-PHOTOBOOK-032",
    "error",
    "A timestamp has not the released form.",
    why="A game starts at 00:00:00; all later times have six digits after the second.",
    advice="Write times as HH:MM:SS.ffffff, the first as 00:00:00.",
    format="log",
    known=0,
)
def timestamp_form(game: Game, examined: Examined) -> Iterator[Place]:
    """Matches all timestamps."""
    facts = facts_of(game, examined)
    stamps = facts.stamps
    if _STAMPS.fullmatch("\n".join(stamps)):
        return
    for event, stamp in enumerate(stamps):
        if event == 0 and stamp != "00:00:00":
            yield facts.place(0, "00:00:00", stamp, "timestamp")
        elif event and not re.fullmatch(_STAMP, stamp, re.ASCII):
            yield facts.place(event, "HH:MM:SS.ffffff", stamp, "timestamp")


@rule(
    "CG-PHOTOBOOK-033",
    "error",
    "A message is not later than the one before it.",
    why="Messages are in order of time, and the clock goes on from round to round.",
    advice="Do not rely on response times in this game.",
    format="log",
    known=0,
)
def time_order(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares each timestamp with the one before it; as texts they sort like times."""
    facts = facts_of(game, examined)
    stamps = facts.stamps
    if all(map(lt, stamps, stamps[1:])):
        return
    for event in find_disorder(stamps, strict=True):
        expected = f"later than {shorten(stamps[event - 1])}"
        yield facts.place(event, expected, stamps[event], "timestamp")


@rule(
    "CG-PHOTOBOOK-034",
    "note",
    "Nobody did anything for more than ten minutes.",
    why="The players were away; the round's duration says nothing about its difficulty.",
    advice="Leave the round out of statistics of time.",
    format="log",
    known=3,
)
def long_pause(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks where the time passes a ten-minute mark, since each such pause passes one."""
    facts = facts_of(game, examined)
    stamps = facts.stamps
    last = stamps[-1][:4] if stamps else ""
    event = 0
    while event < len(stamps) and stamps[event][:4] < last:
        event = bisect_left(stamps, stamps[event][:4] + ":", event + 1)
        if event < len(stamps) and _pause_s(stamps[event - 1], stamps[event]) > LONG_PAUSE_S:
            found = f"since {stamps[event - 1]}"
            yield facts.place(event, f"at most {LONG_PAUSE_S} s", found, "timestamp")


def _pause_s(before: str, after: str) -> float:
    try:
        return parse_clock(after) - parse_clock(before)
    except ValueError:
        return 0


@rule(
    "CG-PHOTOBOOK-035",
    "error",
    "A message starts like an action and is none.",
    why="It is kept as a text.",
    advice="Compare it with the tags of the format and with the form of their payloads.",
    format="log",
    known=0,
)
def unknown_tag(game: Game, examined: Examined) -> Iterator[Place]:
    """Names the messages that start with ``<`` and have no known form."""
    for each in facts_of(game, examined).rounds:
        for index in each.odd:
            yield each.place(index, "a known tag", each.round.messages[index].message)


@rule(
    "CG-PHOTOBOOK-036",
    "error",
    "A round has no message.",
    why="Nothing was said or done in it.",
    advice="Leave the game out, since its later rounds rest on this one.",
    format="log",
    known=0,
)
def empty_round(game: Game, _examined: Examined) -> Iterator[Place]:
    """Looks for rounds without messages."""
    for number, each in enumerate(game.rounds):
        if not each.messages:
            yield Place(f".rounds[{number}].messages", "messages", "none")
