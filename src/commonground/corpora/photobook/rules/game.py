"""Rules on a game as a whole, and on the files beside the logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.photobook.convert import Context
from commonground.corpora.photobook.native import Domain, Game, parse_start
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place, Ruleset, shorten

log = Ruleset("CG-PHOTOBOOK-", "log", known=0)
splits = Ruleset("CG-PHOTOBOOK-", "splits", known=0)
domains = Ruleset("CG-PHOTOBOOK-", "domains")

# `2018-04-13T17:05:39.123456`.
_START = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", re.ASCII)


@log.error(1)
def file_name(game: Game, examined: Examined) -> Iterator[Place]:
    """The file name does not name the game, its players and its image domain.

    Looking games up by file name gives the wrong one.

    Rename the file to GAME_AGENT-A_AGENT-B_DOMAIN.json.
    """
    parts = [game.game_id, *game.agent_ids, game.domain_id]
    wanted = "_".join(map(str, parts)) + ".json"
    base = examined.source_file.rpartition("/")[2]
    if base != wanted:
        yield Place(".game_id", wanted, base)


@log.error(2)
def agent_labels(game: Game) -> Iterator[Place]:
    """The players are not labelled A and B.

    Scores, displays and feedback exist for A and B only.

    Check which of the two each label stands for.
    """
    if game.agent_labels != ["A", "B"]:
        yield Place(".agent_labels", '["A", "B"]', repr(game.agent_labels))


@log.error(3)
def agent_ids(game: Game) -> Iterator[Place]:
    """The players are not two different agents.

    No one plays against themselves; statistics by agent count the game twice.

    Leave the game out of studies of single agents.
    """
    if len(game.agent_ids) != 2 or len(set(game.agent_ids)) != 2:
        yield Place(".agent_ids", "two different agents", repr(game.agent_ids))


@log.error(4)
def start_time(game: Game) -> Iterator[Place]:
    """The start time does not have the form YYYY-MM-DDTHH:mm:ss.ffffff.

    Readers that expect the documented form stop here.

    Write the time with six digits after the second.
    """
    if not _START.fullmatch(game.start_time) or parse_start(game.start_time) is None:
        yield Place(".start_time", "YYYY-MM-DDTHH:mm:ss.ffffff", game.start_time)


@log.error(5)
def round_numbers(game: Game) -> Iterator[Place]:
    """The rounds are not numbered 1 to 5.

    The game is not complete, or its rounds cannot be distinguished.

    Leave incomplete games out, as the authors' processor does.
    """
    numbers = [each.round_nr for each in game.rounds]
    if numbers != list(range(1, ROUNDS + 1)):
        yield Place(".rounds", "1, 2, 3, 4, 5", ", ".join(map(str, numbers)))


@log.error(6)
def domain(game: Game, examined: Examined) -> Iterator[Place]:
    """The images are not from the folder that the game's image domain stands for.

    Statistics by image domain put the game in the wrong one.

    Trust the image paths; look the domain up in domain_ids.txt.
    """
    folders = examined.context.folder_of
    if not folders:
        return
    wanted = folders.get(game.domain_id)
    first = next((image for each in game.rounds for image in each.images.A), "")
    found = first.rpartition("/")[0]
    if found != wanted:
        yield Place(".domain_id", shorten(wanted or "an id of domain_ids.txt"), found)


@log.warning(7)
def in_a_split(game: Game, examined: Examined) -> Iterator[Place]:
    """The game is in no split of the split file.

    Training and evaluation by split leave it out.

    Check whether the split file is of another version.
    """
    splits = examined.context.splits_of
    if splits and game.game_id not in splits:
        yield Place(".game_id", "an id of data_splits.json", str(game.game_id))


@splits.error(13)
def split_once(game_id: int, examined: Examined) -> Iterator[Place]:
    """The split file has a game id more than once.

    A game in two splits leaks from training into evaluation.

    Remove the id from all splits but one.
    """
    splits = examined.context.splits_of[game_id]
    if len(splits) > 1:
        yield Place("", "an id of its own", f"{game_id}, in {', '.join(splits)}")


@splits.warning(14)
def split_union(game_id: int, examined: Examined) -> Iterator[Place]:
    """The ids of all splits together are not 0, 1, 2 and so on.

    Games are numbered without gaps, so one is in no split, or an id is no game's.

    Compare the split file with the logs.
    """
    ids = examined.context.splits_of
    # The highest id, which is reported, has as many below it as there are, if none is missing.
    if game_id >= len(ids) and game_id == max(ids):
        missing = sorted(set(range(len(ids))) - ids.keys())
        yield Place("", f"the ids {shorten(repr(missing))}, too", str(game_id))


@domains.error(15, known=0)
def domain_once(line: Domain, examined: Examined) -> Iterator[Place]:
    """An image domain id stands for two folders.

    The domain of its games is not known.

    Check which folder the games of this id show.
    """
    context: Context = examined.context
    wanted = context.folder_of.get(line.domain_id, line.folder)
    if wanted != line.folder:
        yield Place("", shorten(f"{line.domain_id}: {wanted}"), line.folder)
