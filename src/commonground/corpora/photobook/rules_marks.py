"""Rules on selections and the points they give."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.photobook.facts import GameFacts, Mark, PlayerRound, facts_of
from commonground.corpora.photobook.native import Game
from commonground.findings import Examined, Place, rule, shorten


def _place(facts: GameFacts, player: PlayerRound, mark: Mark, expected: str) -> Place:
    each = facts.rounds[player.number]
    return each.place(mark.at, expected, f"{mark.label} {mark.image}")


@rule(
    "CG-PHOTOBOOK-050",
    "warning",
    "The score is not what the last selections of the highlighted images give.",
    why="A selection was logged late or for another image, so score and marks disagree.",
    advice="Use the marks where you study understanding; leave these rounds out otherwise.",
    format="log",
    known=27,
)
def score(game: Game, examined: Examined) -> Iterator[Place]:
    """Adds one for each highlighted image whose last label is right."""
    for player in facts_of(game, examined).players:
        goal, last = player.display.goal, player.last
        points = len(goal.items() & last.items())
        if points != player.score:
            path = f".rounds[{player.number}].score.{player.speaker}"
            yield Place(path, str(points), str(player.score))


@rule(
    "CG-PHOTOBOOK-051",
    "warning",
    "The score is not from 0 to 3.",
    why="Three images are to be marked; a fourth point came from an image outside the display.",
    advice="Count a score of 4 as 3. A game's total may be above the documented 30.",
    format="log",
    known=6,
)
def score_range(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares every score with its bounds."""
    for player in facts_of(game, examined).players:
        if not 0 <= player.score <= 3:
            path = f".rounds[{player.number}].score.{player.speaker}"
            yield Place(path, "0 to 3", str(player.score))


@rule(
    "CG-PHOTOBOOK-052",
    "warning",
    "A player marked an image that was not in the own display.",
    why="It was the partner's, or of an earlier round: a click from before the page changed.",
    advice="Leave the selection out.",
    format="log",
    known=11,
)
def mark_outside(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares marks with the display."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        images = player.display.images
        if player.last.keys() <= images:
            continue
        for mark in player.selections:
            if mark.image not in images:
                yield _place(facts, player, mark, "an image of the own display")


@rule(
    "CG-PHOTOBOOK-053",
    "warning",
    "A player marked an image of the own display that was not highlighted.",
    why="Only highlighted images can be marked in the game.",
    advice="Leave the selection out.",
    format="log",
    known=1,
)
def mark_not_highlighted(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares marks with the highlights."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        goal = player.display.goal
        for mark in player.selections:
            if mark.image not in goal and mark.image in player.display.images:
                yield _place(facts, player, mark, "a highlighted image")


@rule(
    "CG-PHOTOBOOK-054",
    "warning",
    "A player never marked a highlighted image.",
    why="What the player thought of it is unknown; it gave no point.",
    advice="Count it as missing rather than wrong.",
    format="log",
    known=2,
)
def never_marked(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares the highlights with the marks."""
    for player in facts_of(game, examined).unusual:
        for image in sorted(player.display.goal.keys() - player.last.keys()):
            path = f".rounds[{player.number}].highlighted.{player.speaker}"
            yield Place(path, f"a selection of {shorten(image)}", "none")


@rule(
    "CG-PHOTOBOOK-055",
    "note",
    "A player marked an image again, with the same label.",
    why="It changes nothing, but counts as a selection.",
    advice="Count images, not selections.",
    format="log",
    known=2514,
)
def marked_again(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for marks that repeat the last one of the image."""
    facts = facts_of(game, examined)
    for player, before, mark in _repeated(facts):
        if before == mark.label:
            yield _place(facts, player, mark, "a new label")


@rule(
    "CG-PHOTOBOOK-056",
    "note",
    "A player changed the label of an image.",
    why="The last label counts for the score, not the first.",
    advice="Use the last label, or the change as a trace of misunderstanding.",
    format="log",
    known=1952,
)
def label_changed(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for marks that differ from the last one of the image."""
    facts = facts_of(game, examined)
    for player, before, mark in _repeated(facts):
        if before != mark.label:
            yield _place(facts, player, mark, before)


def _repeated(facts: GameFacts) -> Iterator[tuple[PlayerRound, str, Mark]]:
    """Yields marks of images that were marked before, with the label before."""
    for player in facts.unusual:
        if len(player.last) == len(player.marks):
            continue
        last: dict[str, str] = {}
        for mark in player.selections:
            if mark.image in last:
                yield player, last[mark.image], mark
            last[mark.image] = mark.label


@rule(
    "CG-PHOTOBOOK-057",
    "note",
    "A player marked an image after submitting.",
    why="The player went back; the score counts the later label.",
    advice="Do not take the marks at the first submission for the final ones.",
    format="log",
    known=1632,
)
def marked_after_submit(game: Game, examined: Examined) -> Iterator[Place]:
    """Compares marks with the first click on submit."""
    facts = facts_of(game, examined)
    for player in facts.unusual:
        if player.marks and player.submits and player.marks[-1] > player.submits[0]:
            for mark in player.selections:
                if mark.at > player.submits[0]:
                    yield _place(facts, player, mark, "before the submission")
