"""Rules on what the players see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.rules._course import course_of
from commonground.corpora.photobook.rules._pages import Grid, RoundPage
from commonground.corpora.photobook.schedule import (
    ROUNDS,
    Use,
    follows_schedule,
    schedule_name,
)
from commonground.findings import Examined, Place, Ruleset, shorten
from commonground.printing import count_of

# Such as person_bed/COCO_train2014_000000000123.jpg: a folder, and a file of MS COCO.
IMAGE_PATH = re.compile(r"[^/]+/COCO_train2014_[0-9]{12}\.jpg")


class Shown(msgspec.Struct, frozen=True):
    """What the rounds of a game show, and the name of the schedule that they should follow."""

    grids: list[Grid]
    schedule: str


def display_size(shown: Shown) -> Iterator[Place]:
    """A display is not six different images.

    Positions in the grid and the number of common images no longer mean anything.

    Leave the round out.
    """
    for number, grid in enumerate(shown.grids):
        for speaker, images in zip("AB", grid.images, strict=True):
            if len(images) != 6 or len(set(images)) != 6:
                found = f"{count_of(len(images), 'image')}, {len(set(images))} different"
                yield Place(f".rounds[{number}].images.{speaker}", "6 different images", found)


def highlights(shown: Shown) -> Iterator[Place]:
    """The highlights of a display are not six, three of them true.

    It is not known which images were to be marked.

    Leave the round out.
    """
    for number, grid in enumerate(shown.grids):
        for speaker, flags in zip("AB", grid.flags, strict=True):
            if len(flags) != 6 or sum(flags) != 3:
                found = f"{count_of(len(flags), 'flag')}, {sum(flags)} true"
                path = f".rounds[{number}].highlighted.{speaker}"
                yield Place(path, "6 flags, 3 true", found)


def image_path(shown: Shown) -> Iterator[Place]:
    """An image path does not have the form FOLDER/COCO_train2014_, twelve digits, .jpg.

    The image is not from COCO, as in games with your own images, or the path was changed.

    Do not look for its COCO annotations; compare the path with the image folder.
    """
    for path, image in _iterate_images(shown.grids):
        if not IMAGE_PATH.fullmatch(image):
            yield Place(path, "FOLDER/COCO_train2014_ and 12 digits, .jpg", shorten(image))


def one_folder(shown: Shown) -> Iterator[Place]:
    """An image is from another folder than the first image of the game.

    The images of a game are alike on purpose; this one is not.

    Leave the game out of studies of reference.
    """
    first = None
    for path, image in _iterate_images(shown.grids):
        folder = image.rpartition("/")[0]
        first = folder if first is None else first
        if folder != first:
            yield Place(path, shorten(first), shorten(folder))


def twelve_images(shown: Shown) -> Iterator[Place]:
    """The game does not show twelve different images.

    Images come back more or less often than in other games.

    Leave the game out of studies of repeated reference.
    """
    number = len({image for _, image in _iterate_images(shown.grids)})
    if len(shown.grids) == ROUNDS and number != 12:
        yield Place(".rounds", "12 different images in the game", str(number))


def common_images(shown: Shown) -> Iterator[Place]:
    """The common images are not those that are in both displays.

    Scores and labels depend on which images are common.

    Work out the common images from the displays.
    """
    for number, grid in enumerate(shown.grids):
        shared = set(grid.images[0]) & set(grid.images[1])
        if len(grid.common) != len(shared) or set(grid.common) != shared:
            path = f".rounds[{number}].common"
            yield Place(path, shorten(sorted(shared)), shorten(list(grid.common)))


def matches_schedule(shown: Shown) -> Iterator[Place]:
    """The displays do not follow the schedule of the image domain.

    Every game shows the five pages of one of two schedules, in its own order.

    Leave the game out where numbers of appearances are compared.
    """
    if len(shown.grids) == ROUNDS and not follows_schedule(
        [_uses(grid) for grid in shown.grids], shown.schedule
    ):
        yield Place(".rounds", f"schedule {shown.schedule}", "other images shown or highlighted")


def _uses(grid: Grid) -> dict[str, Use]:
    a, b = (
        {image: "X" if flag else "o" for image, flag in zip(images, flags, strict=False)}
        for images, flags in zip(grid.images, grid.flags, strict=True)
    )
    return {image: (a.get(image, "-"), b.get(image, "-")) for image in a | b}


def _iterate_images(grids: Sequence[Grid]) -> Iterator[tuple[str, str]]:
    for number, grid in enumerate(grids):
        for speaker, images in zip("AB", grid.images, strict=True):
            for position, image in enumerate(images):
                yield f".rounds[{number}].images.{speaker}[{position}]", image


CHECKS = (
    display_size,
    highlights,
    image_path,
    one_folder,
    twelve_images,
    common_images,
    matches_schedule,
)


@lru_cache(maxsize=256)
def _are_sound(pages: frozenset[RoundPage], schedule: str) -> bool:
    shown = Shown([page.grid for page in pages], schedule)
    # Generators: the first fault ends the search.
    return not any(place for check in CHECKS for place in check(shown))


def find_suspects(game: Game, examined: Examined) -> Shown:
    """Returns what a game shows; nothing where the same pages were found sound before.

    A page in another order, or in another game of the domain, is as sound: 2,502 released games
    have 122 sets of pages between them.
    """
    pages, schedule = course_of(game, examined).pages, schedule_name(game.domain_id)
    distinct = frozenset(pages)
    # A page that comes twice would be lost in a set, and is no sound game.
    if len(distinct) == len(pages) and _are_sound(distinct, schedule):
        return Shown([], schedule)
    return Shown([page.grid for page in pages], schedule)


displays = Ruleset("CG-PHOTOBOOK-", "log", known=0, of=find_suspects)

RULES = (
    displays.error(20)(display_size),
    displays.error(21)(highlights),
    displays.note(22)(image_path),
    displays.error(23)(one_folder),
    displays.warning(24)(twelve_images),
    displays.error(25)(common_images),
    displays.warning(26)(matches_schedule),
)
