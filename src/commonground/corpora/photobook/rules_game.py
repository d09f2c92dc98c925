"""Rules on a game as a whole, and on the files beside the logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from commonground.corpora.photobook.convert import Context
from commonground.corpora.photobook.facts import facts_of
from commonground.corpora.photobook.messages import QUESTIONNAIRE, parse_answers
from commonground.corpora.photobook.native import Domain, Game, Splits
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place, rule, shorten

_START = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", re.ASCII)
_SPACE = re.compile(r"\s+")


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
        yield Place(".agent_labels", '["A", "B"]', shorten(repr(game.agent_labels)))


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
        yield Place(".agent_ids", "two different agents", shorten(repr(game.agent_ids)))


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
        yield Place(".start_time", "YYYY-MM-DDTHH:mm:ss.ffffff", shorten(game.start_time))


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
        yield Place(".rounds", "1, 2, 3, 4, 5", shorten(", ".join(map(str, numbers))))


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
        yield Place(".domain_id", shorten(wanted or "an id of domain_ids.txt"), shorten(found))


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
    "CG-PHOTOBOOK-008",
    "error",
    "The feedback has not the form of three grades from 1 to 5 and a text.",
    why="The grades cannot be read; the feedback is kept as text.",
    advice="Compare it with col:N<&>partner_u:N<&>self_u:N<&>text:...",
    format="log",
    known=0,
)
def feedback_form(game: Game, _examined: Examined) -> Iterator[Place]:
    """Parses the feedback of both players."""
    for speaker, given in _feedback(game):
        answers = None if given is None else parse_answers(given)
        grades = (answers.col, answers.partner_u, answers.self_u) if answers else ()
        if given is not None and (not grades or not all(1 <= grade <= 5 for grade in grades)):
            yield Place(f".feedback.{speaker}", "three grades from 1 to 5", shorten(given))


@rule(
    "CG-PHOTOBOOK-009",
    "warning",
    "The feedback is not what the player sent, apart from white space and masks.",
    why="The two places that tell a player's opinion disagree.",
    advice="Trust the <usr_feedback> message, which is as it was sent.",
    format="log",
    known=0,
)
def feedback_sent(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the feedback with the last questionnaire that the player sent."""
    for speaker, given, sent in _answered(game, examined):
        if sent is None or not _same_but_masks(_squeeze(given), _squeeze(sent)):
            wanted = "a <usr_feedback> message" if sent is None else shorten(sent)
            yield Place(f".feedback.{speaker}", wanted, shorten(given))


@rule(
    "CG-PHOTOBOOK-010",
    "note",
    "The feedback shows words that are masked in the message that was sent.",
    why="The masking was run over messages but not over the feedback.",
    advice="Mask these words before you publish texts of the feedback.",
    format="log",
    known=25,
)
def feedback_unmasked(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the two letter by letter."""
    for speaker, given, sent in _answered(game, examined):
        if sent is None or "*" not in sent or _squeeze(given) == _squeeze(sent):
            continue
        if _same_but_masks(_squeeze(given), _squeeze(sent)):
            yield Place(f".feedback.{speaker}", shorten(_squeeze(sent)), shorten(given))


@rule(
    "CG-PHOTOBOOK-011",
    "note",
    "The feedback keeps line breaks, although all other white space was taken out.",
    why="Code that counts on text without white space meets some.",
    advice="Read the text with its spaces from the <usr_feedback> message.",
    format="log",
    known=62,
)
def feedback_line_break(game: Game, _examined: Examined) -> Iterator[Place]:
    """Looks for white space."""
    for speaker, given in _feedback(game):
        if given is not None and _SPACE.search(given):
            yield Place(f".feedback.{speaker}", "no white space", shorten(repr(given)))


@rule(
    "CG-PHOTOBOOK-012",
    "warning",
    "A player has no feedback while the other sent two questionnaires.",
    why="The second questionnaire may be the missing player's, logged under the wrong name.",
    advice="Leave the game out of statistics of feedback.",
    format="log",
    known=16,
)
def feedback_missing(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for questionnaires of the other player beside a null feedback."""
    sent = Counter({"A": 0, "B": 0})
    for player in facts_of(game, examined).players:
        sent[player.speaker] += len(player.answers)
    for speaker, given in _feedback(game):
        other = "B" if speaker == "A" else "A"
        if given is None and sent[other] > 1:
            found = f"null, and {sent[other]} <usr_feedback> messages of {other}"
            yield Place(f".feedback.{speaker}", "feedback", found)


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
        yield Place("", shorten(repr(expected)), shorten(repr(found)))


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
        yield Place("", shorten(f"{line.domain_id}: {wanted}"), shorten(line.folder))


def _feedback(game: Game) -> Iterable[tuple[str, str | None]]:
    return (("A", game.feedback.A), ("B", game.feedback.B))


def _answered(game: Game, examined: Examined) -> Iterator[tuple[str, str, str | None]]:
    """Yields each speaker with feedback, the feedback, and the last questionnaire sent."""
    last: dict[str, str] = {}
    for each in facts_of(game, examined).rounds:
        for player in each.players:
            for index in player.answers:
                last[player.speaker] = each.round.messages[index].message[len(QUESTIONNAIRE) :]
    for speaker, given in _feedback(game):
        if given is not None:
            yield speaker, given, last.get(speaker)


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _same_but_masks(given: str, sent: str) -> bool:
    pairs = zip(given, sent, strict=False)
    return len(given) == len(sent) and all(a == b or b == "*" for a, b in pairs)


def _split_ids(splits: Splits) -> Iterator[tuple[str, int]]:
    for name in splits.__struct_fields__:
        for index, game_id in enumerate(getattr(splits, name)):
            yield f".{name}[{index}]", game_id
