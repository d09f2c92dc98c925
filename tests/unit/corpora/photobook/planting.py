"""Breaks a clean game in one place, keeping the rest as it should be."""

from __future__ import annotations

from collections.abc import Callable

from commonground.checks import run_rules
from commonground.corpora import get_corpus
from commonground.corpora.photobook.convert import Context, convert
from commonground.corpora.photobook.native import Game, Message, Round, message_type
from commonground.files.reading import ConversionError
from commonground.findings import Examined, Finding

LATER = 600_000_000
"""A pause that is too long, in microseconds."""


def context_of(game: Game) -> Context:
    """Side files that know the game, and a second image domain."""
    folder = game.rounds[0].images.A[0].rpartition("/")[0] if game.rounds else ""
    folders = {game.domain_id: folder, game.domain_id + 1: folder, game.domain_id + 2: "a_b"}
    return Context({game.game_id: ["train"]}, folders)


def examine(game: Game, context: Context | None = None, name: str | None = None) -> list[Finding]:
    """Runs all rules on a game."""
    context = context or context_of(game)
    name = name or "_".join(map(str, [game.game_id, *game.agent_ids, game.domain_id])) + ".json"
    try:
        dialogue = convert(game, context)
    except ConversionError:
        dialogue = None
    rules = [rule for rule in get_corpus("photobook").rules() if rule.format == "log"]
    return run_rules(rules, game, Examined(dialogue, context, name), "$", str(game.game_id))


def find(game_round: Round, kind: str, speaker: str = "A") -> int:
    """Returns the number of the first message of a kind by a speaker."""
    return next(
        index
        for index, each in enumerate(game_round.messages)
        if message_type(each.message) == kind and each.speaker == speaker
    )


def put(game: Game, number: int, index: int, speaker: str, text: str) -> None:
    """Puts a message into a round, before the one that has the number now."""
    agent = game.agent_ids[game.agent_labels.index(speaker)]
    new = Message(timestamp="", turn=0, speaker=speaker, agent_id=agent, message=text)
    game.rounds[number].messages.insert(index, new)
    tidy(game)


def tidy(game: Game, pause_us: Callable[[int], int] = lambda _: 1_500_000) -> None:
    """Gives all messages the turns and times that they should have."""
    now_us = event = 0
    for game_round in game.rounds:
        turn = 0
        for each in game_round.messages:
            each.turn, each.timestamp = turn, _stamp(now_us)
            event += 1
            now_us += pause_us(event)
            turn += message_type(each.message) not in ("selection", "feedback")


def _stamp(now_us: int) -> str:
    seconds, rest = divmod(now_us, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{clock}.{rest:06d}" if now_us else clock


def rename(game: Game, old: str, new: str, numbers: range = range(5)) -> None:
    """Gives an image another path wherever some rounds name it."""
    for number in numbers:
        each = game.rounds[number]
        for paths in (each.images.A, each.images.B, each.common):
            paths[:] = [new if path == old else path for path in paths]
        for message in each.messages:
            message.message = message.message.replace(old, new)
