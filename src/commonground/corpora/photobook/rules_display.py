"""Rules on what the players see."""

from __future__ import annotations

from collections.abc import Iterable

from commonground.corpora.photobook.facts import facts_of
from commonground.corpora.photobook.native import Game
from commonground.findings import Examined, Place, rule


@rule(
    "CG-PHOTOBOOK-020",
    "error",
    "A display is not six different images.",
    why="Positions in the grid and the number of common images no longer mean anything.",
    advice="Leave the round out.",
    format="log",
    known=0,
)
def display_size(game: Game, examined: Examined) -> Iterable[Place]:
    """Counts the images of every display."""
    return facts_of(game, examined).displays.size


@rule(
    "CG-PHOTOBOOK-021",
    "error",
    "The highlights of a display are not six, three of them true.",
    why="It cannot be told which images were to be marked.",
    advice="Leave the round out.",
    format="log",
    known=0,
)
def highlights(game: Game, examined: Examined) -> Iterable[Place]:
    """Counts the flags of every display."""
    return facts_of(game, examined).displays.flags


@rule(
    "CG-PHOTOBOOK-022",
    "note",
    "An image path has not the form FOLDER/COCO_train2014_, twelve digits, .jpg.",
    why="The image is not of COCO, as in games with images of one's own, or the path was changed.",
    advice="Look for no COCO annotations of it; compare the path with the image folder.",
    format="log",
    known=0,
)
def image_path(game: Game, examined: Examined) -> Iterable[Place]:
    """Matches every path."""
    return facts_of(game, examined).displays.paths


@rule(
    "CG-PHOTOBOOK-023",
    "error",
    "An image is from another folder than the first image of the game.",
    why="The images of a game are alike on purpose; this one is not.",
    advice="Leave the game out of studies of reference.",
    format="log",
    known=0,
)
def one_folder(game: Game, examined: Examined) -> Iterable[Place]:
    """Compares all folders with the first."""
    return facts_of(game, examined).displays.folders


@rule(
    "CG-PHOTOBOOK-024",
    "warning",
    "The game does not show twelve different images.",
    why="Images come back more or less often than in other games.",
    advice="Leave the game out of studies of repeated reference.",
    format="log",
    known=0,
)
def twelve_images(game: Game, examined: Examined) -> Iterable[Place]:
    """Counts the images of the game."""
    return facts_of(game, examined).displays.number


@rule(
    "CG-PHOTOBOOK-025",
    "error",
    "The common images are not those that are in both displays.",
    why="Scores and labels rest on which images are common.",
    advice="Work out the common images from the displays.",
    format="log",
    known=0,
)
def common_images(game: Game, examined: Examined) -> Iterable[Place]:
    """Compares each list with the intersection of the displays, whatever the order."""
    return facts_of(game, examined).displays.common


@rule(
    "CG-PHOTOBOOK-026",
    "warning",
    "The displays do not follow the schedule of the image domain.",
    why="Every game shows the five pages of one of two schedules, in an order of its own.",
    advice="Leave the game out where numbers of appearances are compared.",
    format="log",
    known=0,
)
def follows_schedule(game: Game, examined: Examined) -> Iterable[Place]:
    """Looks for an order of the schedule's pages that the displays follow."""
    return facts_of(game, examined).displays.schedule
