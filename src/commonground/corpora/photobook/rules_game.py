"""Rules on a game as a whole, and on the files beside the logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.photobook.convert import Context
from commonground.corpora.photobook.native import Domain, Game, Splits
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place, rule, shorten

_START = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", re.ASCII)


@rule(
    "CG-PHOTOBOOK-001",
    "error",
    "The file name does not name the game, its players and its image domain.",
    why="Whoever finds games by file name gets another one.",
    advice="Rename the file to GAME_AGENT-A_AGENT-B_DOMAIN.json.",
    format="log",
    known=0,
)
def file_name(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the name with the content."""
    parts = [game.game_id, *game.agent_ids, game.domain_id]
    wanted = "_".join(map(str, parts)) + ".json"
    base = examined.source_file.rpartition("/")[2]
    if base != wanted:
        yield Place(".game_id", wanted, base)


@rule(
    "CG-PHOTOBOOK-002",
    "error",
    "The players are not labelled A and B.",
    why="Scores, displays and feedback exist for A and B only.",
    advice="See which of the two each label stands for.",
    format="log",
    known=0,
)
def agent_labels(game: Game, _examined: Examined) -> Iterator[Place]:
    """Compares the labels with the two that the format has."""
    if game.agent_labels != ["A", "B"]:
        yield Place(".agent_labels", '["A", "B"]', repr(game.agent_labels))


@rule(
    "CG-PHOTOBOOK-003",
    "error",
    "The players are not two different agents.",
    why="Nobody plays against themselves; statistics by agent count the game twice.",
    advice="Leave the game out of studies of single agents.",
    format="log",
    known=0,
)
def agent_ids(game: Game, _examined: Examined) -> Iterator[Place]:
    """Counts the agents."""
    if len(game.agent_ids) != 2 or len(set(game.agent_ids)) != 2:
        yield Place(".agent_ids", "two different agents", repr(game.agent_ids))


@rule(
    "CG-PHOTOBOOK-004",
    "error",
    "The start time has not the form YYYY-MM-DDTHH:mm:ss.ffffff.",
    why="Readers that expect the documented form stop here.",
    advice="Write the time with six digits after the second.",
    format="log",
    known=0,
)
def start_time(game: Game, _examined: Examined) -> Iterator[Place]:
    """Matches the start time."""
    if not _START.fullmatch(game.start_time):
        yield Place(".start_time", "YYYY-MM-DDTHH:mm:ss.ffffff", game.start_time)


@rule(
    "CG-PHOTOBOOK-005",
    "error",
    "The rounds are not numbered 1 to 5.",
    why="The game is not complete, or its rounds cannot be told apart.",
    advice="Leave incomplete games out, as the authors' processor does.",
    format="log",
    known=0,
)
def round_numbers(game: Game, _examined: Examined) -> Iterator[Place]:
    """Compares the numbers with 1 to 5."""
    numbers = [each.round_nr for each in game.rounds]
    if numbers != list(range(1, ROUNDS + 1)):
        yield Place(".rounds", "1, 2, 3, 4, 5", ", ".join(map(str, numbers)))


@rule(
    "CG-PHOTOBOOK-006",
    "error",
    "The images are not from the folder that the game's image domain stands for.",
    why="Statistics by image domain put the game in the wrong one.",
    advice="Trust the image paths; look the domain up in domain_ids.txt.",
    format="log",
    known=0,
)
def domain(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the domain id with the list of domains, where one was given."""
    folders = examined.context.folder_of
    if not folders:
        return
    wanted = folders.get(game.domain_id)
    first = next((image for each in game.rounds for image in each.images.A), "")
    found = first.rpartition("/")[0]
    if found != wanted:
        yield Place(".domain_id", shorten(wanted or "an id of domain_ids.txt"), found)


@rule(
    "CG-PHOTOBOOK-007",
    "warning",
    "The game is in no split of the split file.",
    why="Training and evaluation by split leave it out.",
    advice="See whether the split file is of another version.",
    format="log",
    known=0,
)
def in_a_split(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks the game up in the split file, where one was given."""
    splits = examined.context.split_of
    if splits and game.game_id not in splits:
        yield Place(".game_id", "an id of data_splits.json", str(game.game_id))


@rule(
    "CG-PHOTOBOOK-013",
    "error",
    "The split file has a game id more than once.",
    why="A game of two splits leaks from training into evaluation.",
    advice="Take the id out of all splits but one.",
    format="splits",
    known=0,
)
def split_once(splits: Splits, _examined: Examined) -> Iterator[Place]:
    """Looks for ids seen before, in any split."""
    seen: dict[int, str] = {}
    for path, game_id in _split_ids(splits):
        if game_id in seen:
            yield Place(path, "an id of its own", f"{game_id}, as at {seen[game_id]}")
        seen.setdefault(game_id, path)


@rule(
    "CG-PHOTOBOOK-014",
    "warning",
    "The ids of all splits together are not 0, 1, 2 and so on.",
    why="Games are numbered without gaps, so one is in no split, or an id is no game's.",
    advice="Compare the split file with the logs.",
    format="splits",
    known=0,
)
def split_union(splits: Splits, _examined: Examined) -> Iterator[Place]:
    """Compares the union with the numbers from 0."""
    ids = {game_id for _, game_id in _split_ids(splits)}
    missing = set(range(len(ids))) - ids
    if missing:
        expected, found = sorted(missing), sorted(ids - set(range(len(ids))))
        yield Place("", shorten(repr(expected)), repr(found))


@rule(
    "CG-PHOTOBOOK-015",
    "error",
    "An image domain id stands for two folders.",
    why="The domain of its games cannot be told.",
    advice="See which folder the games of this id show.",
    format="domains",
    known=0,
)
def domain_once(line: Domain, examined: Examined) -> Iterator[Place]:
    """Compares the line with what the file says of the id in the end."""
    context: Context = examined.context
    wanted = context.folder_of.get(line.domain_id, line.folder)
    if wanted != line.folder:
        yield Place("", shorten(f"{line.domain_id}: {wanted}"), line.folder)


def _split_ids(splits: Splits) -> Iterator[tuple[str, int]]:
    for name in splits.__struct_fields__:
        for index, game_id in enumerate(getattr(splits, name)):
            yield f".{name}[{index}]", game_id
