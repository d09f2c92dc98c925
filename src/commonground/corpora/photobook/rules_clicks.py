"""Rules on the order of play: who speaks, submits, goes on, and answers."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.photobook.facts import PlayerRound, RoundFacts, facts_of
from commonground.corpora.photobook.messages import message_type
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place, rule


@rule(
    "CG-PHOTOBOOK-060",
    "error",
    "A player did not submit in a round.",
    why="No round ends before both have submitted.",
    advice="See whether messages are missing.",
    format="log",
    known=0,
)
def no_submission(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for rounds without a click on submit."""
    for player in facts_of(game, examined).unusual:
        if not player.submits:
            yield _round_place(player, "<feedback>", f"none of {player.speaker}")


@rule(
    "CG-PHOTOBOOK-061",
    "note",
    "A player submitted with fewer than three images marked.",
    why="The game refuses this, so the player went on afterwards.",
    advice="Take the last click on submit for the end of the player's round.",
    format="log",
    known=204,
)
def early_submission(game: Game, examined: Examined) -> Iterator[Place]:
    """Counts the different images marked before each click on submit."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        if _marked_three_first(player):
            continue
        for index in player.submits:
            marked = len({mark.image for mark in player.selections if mark.at < index})
            if marked < 3:
                yield facts.rounds[player.number].place(index, "3 images marked", str(marked))


@rule(
    "CG-PHOTOBOOK-062",
    "note",
    "A player submitted more than once in a round.",
    why="The player went back and changed a mark, or clicked twice.",
    advice="Take the last click on submit for the end of the player's round.",
    format="log",
    known=370,
)
def submitted_again(game: Game, examined: Examined) -> Iterator[Place]:
    """Counts the clicks on submit of each player and round."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        if len(player.submits) > 1:
            found = f"{len(player.submits)} times"
            yield facts.rounds[player.number].place(player.submits[1], "once", found)


@rule(
    "CG-PHOTOBOOK-063",
    "error",
    "A player did not go on to the next round.",
    why="No round starts before both players have asked for it.",
    advice="See whether messages are missing.",
    format="log",
    known=0,
)
def no_next_round(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for rounds before the last without a click on the next round."""
    for player in facts_of(game, examined).unusual:
        if not player.nexts and game.rounds[player.number].round_nr < ROUNDS:
            yield _round_place(player, "<next_round>", f"none of {player.speaker}")


@rule(
    "CG-PHOTOBOOK-064",
    "note",
    "A player asked for the next round more than once.",
    why="A second click does nothing, but counts as an action and a turn.",
    advice="Take the first click.",
    format="log",
    known=41,
)
def next_round_again(game: Game, examined: Examined) -> Iterator[Place]:
    """Counts the clicks of each player and round."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        if len(player.nexts) > 1:
            found = f"{len(player.nexts)} times"
            yield facts.rounds[player.number].place(player.nexts[1], "once", found)


@rule(
    "CG-PHOTOBOOK-065",
    "note",
    "A player asked for the next round before submitting.",
    why="It is a late click of the round before, logged into this one.",
    advice="Leave the click out.",
    format="log",
    known=27,
)
def next_round_early(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the clicks with the first click on submit."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        for index in player.nexts:
            if not player.submits or index < player.submits[0]:
                yield facts.rounds[player.number].place(index, "after the submission", "before")


@rule(
    "CG-PHOTOBOOK-066",
    "note",
    "A player asked for the next round in the last one.",
    why="It is a late click of the round before, logged into this one.",
    advice="Leave the click out.",
    format="log",
    known=12,
)
def next_round_last(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for clicks in round 5."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        each = facts.rounds[player.number]
        if each.round.round_nr == ROUNDS:
            for index in player.nexts:
                yield each.place(index, "rounds 1 to 4", "round 5")


@rule(
    "CG-PHOTOBOOK-067",
    "note",
    "A player wrote a text after submitting.",
    why="The text cannot help the player's own marks any more.",
    advice="Leave it out where texts are tied to marks.",
    format="log",
    known=18448,
)
def text_after_submit(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for texts after the player's first click on submit."""
    for each in facts_of(game, examined).rounds:
        for player in each.players:
            if player.submits and player.submits[0] < each.last_text:
                yield from _texts_after(each, player.submits[0], player, "before the submission")


@rule(
    "CG-PHOTOBOOK-068",
    "note",
    "A player wrote a text after asking for the next round.",
    why="The text may be about the next page although it stands in this round.",
    advice="Do not tie it to the images of this round.",
    format="log",
    known=920,
)
def text_after_next(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for texts after the player's first click on the next round."""
    for each in facts_of(game, examined).rounds:
        for player in each.players:
            if player.nexts and player.nexts[0] < each.last_text:
                yield from _texts_after(each, player.nexts[0], player, "in the next round")


@rule(
    "CG-PHOTOBOOK-069",
    "note",
    "Nobody wrote a text in a round.",
    why="All marks were guesses, or followed from earlier rounds.",
    advice="Leave the round out of statistics by round.",
    format="log",
    known=11,
)
def silent_round(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for rounds of actions only."""
    for each in facts_of(game, examined).rounds:
        if each.last_text < 0 and each.round.messages:
            yield Place(f".rounds[{each.number}].messages", "texts", "none")


@rule(
    "CG-PHOTOBOOK-070",
    "note",
    "Only one player wrote texts in a round.",
    why="It is no dialogue.",
    advice="Leave the round out of statistics of interaction.",
    format="log",
    known=6,
)
def one_writer(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for rounds with the texts of one player."""
    for each in facts_of(game, examined).rounds:
        messages = each.round.messages
        first, last = each.first_text, each.last_text
        if last < 0 or messages[first].speaker != messages[last].speaker:
            continue
        writer = messages[first].speaker
        if all(m.speaker == writer or m.message[:1] == "<" for m in messages):
            yield Place(f".rounds[{each.number}].messages", "texts of both", f"only {writer}'s")


@rule(
    "CG-PHOTOBOOK-071",
    "note",
    "The game starts with an action.",
    why="A player marked an image before anything was said.",
    advice="Take such a mark for a guess.",
    format="log",
    known=19,
)
def starts_with_action(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks at the first message."""
    facts = facts_of(game, examined)
    first = facts.messages[0].message if facts.messages else ""
    if message_type(first) != "text":
        yield facts.place(0, "a text", first)


@rule(
    "CG-PHOTOBOOK-072",
    "error",
    "A closing questionnaire is not in the last round.",
    why="It is asked for when the game is over.",
    advice="See whether rounds are in order.",
    format="log",
    known=0,
)
def early_questionnaire(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for questionnaires before round 5."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        each = facts.rounds[player.number]
        if player.answers and each.round.round_nr != ROUNDS:
            for index in player.answers:
                yield each.place(index, f"round {ROUNDS}", f"round {each.round.round_nr}")


def _marked_three_first(player: PlayerRound) -> bool:
    marks, submits = player.marks, player.submits
    three = len(marks) == len(player.last) == 3
    return three and bool(submits) and marks[2] < submits[0]


def _round_place(player: PlayerRound, expected: str, found: str) -> Place:
    return Place(f".rounds[{player.number}].messages", expected, found)


def _texts_after(
    each: RoundFacts, first: int, player: PlayerRound, expected: str
) -> Iterator[Place]:
    messages = each.round.messages
    for index in range(first + 1, each.last_text + 1):
        message = messages[index]
        if message.speaker == player.speaker and message.message[:1] != "<":
            yield each.place(index, expected, message.message)
