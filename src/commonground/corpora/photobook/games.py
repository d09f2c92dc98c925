"""PhotoBook games that right answers are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.corpora.photobook.native import FORMATS, Game, Message, Round
from commonground.corpora.photobook.segments import Segment
from commonground.files.gold import check_split, find_nothing, read_gold
from commonground.task import Gold, Problem, Tally

NO_SCRIPT = "reads no predictions; here "


class Games(msgspec.Struct):
    """Games in order of their ids.

    Attributes:
        by_id: the games by id as text, as the store has it.
        problems: what could not be read.
        splits: split of each game by id, as far as it is known.
    """

    by_id: dict[str, Game] = {}
    problems: list[Problem] = []
    splits: dict[str, str] = {}


def load_games(gold: Gold) -> Games:
    """Loads the games of a split.

    Raises:
        TaskError: there are none, or nothing says which are of the split.
        UsageError: there is no such split.
        SourceError: a file cannot be read.
    """
    faults, found = Tally(prefix=NO_SCRIPT), Games()
    games: list[Game] = []
    for each in read_gold(gold, FORMATS, ("log", "splits"), faults):
        # Of two splits that a game is in, the later one counts, as in the import, which says it
        # with each game.
        if each.split is not None:
            name = each.dialogue_id if each.format == "log" else str(each.record)
            found.splits[name] = each.split
        if each.dialogue_id:
            games.append(each.record)
    check_split(gold, found.splits.values())
    for game in sorted(games, key=lambda game: game.game_id):
        name = str(game.game_id)
        if gold.split in (None, found.splits.get(name)) and gold.keeps(name):
            found.by_id[name] = game
    found.problems = faults.problems()
    if not found.by_id:
        raise find_nothing(gold, FORMATS[:1], faults)
    return found


def number_messages(game: Game) -> list[range]:
    """Returns the numbers of the messages of each round, from 0 through the game."""
    ranges, first = [], 0
    for each in game.rounds:
        ranges.append(range(first, first + len(each.messages)))
        first += len(each.messages)
    return ranges


def list_images(game_round: Round) -> list[str]:
    """Returns the images that either player sees in a round, sorted."""
    return sorted({*game_round.images.A, *game_round.images.B})


def look_up_messages(
    game: Game, segments: Iterable[Segment]
) -> Iterator[tuple[Segment, Round, list[Message]]]:
    """Yields segments, each with its round and the messages of it."""
    ranges = number_messages(game)
    for segment in segments:
        each, first = game.rounds[segment.round_index], ranges[segment.round_index].start
        yield segment, each, [each.messages[number - first] for number in segment.messages]


def as_text(value: Any) -> str | None:
    """Returns a game id as text; None where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None
