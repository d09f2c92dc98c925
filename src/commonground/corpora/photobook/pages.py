"""The displays of a game: what follows from them, and what is wrong with them.

The five pages of an image domain are the same in all its games, in an order that each game
draws. So each distinct page, and each distinct set of pages, is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from commonground.corpora.photobook.messages import Label
from commonground.corpora.photobook.native import Game, Round
from commonground.corpora.photobook.schedule import ROUNDS, Use, follows_schedule, schedule_name
from commonground.findings import Place, shorten

IMAGE_PATH = re.compile(r"[^/]+/COCO_train2014_[0-9]{12}\.jpg")


class Display(msgspec.Struct, frozen=True):
    """What one player sees in one round.

    Attributes:
        images: what it shows.
        goal: the right label of each highlighted image.
    """

    images: frozenset[str]
    goal: dict[str, Label]


class Grid(msgspec.Struct, frozen=True):
    """What a round shows, as released: images and flags of A and of B, common images sorted."""

    images: tuple[tuple[str, ...], tuple[str, ...]]
    flags: tuple[tuple[bool, ...], tuple[bool, ...]]
    common: tuple[str, ...]


class Page(msgspec.Struct, frozen=True, eq=False):
    """A round's displays; equal pages are one object."""

    grid: Grid
    a: Display
    b: Display


class PageFaults(msgspec.Struct, frozen=True):
    """What is wrong with the displays of a game.

    Attributes:
        size: displays that are not six different images.
        flags: highlights that are not six with three set.
        paths: images with a path of another form.
        folders: images from another folder than the first.
        number: games that do not show twelve images.
        common: lists of common images that are not the intersection.
        schedule: games that do not follow the schedule of their domain.
    """

    size: tuple[Place, ...] = ()
    flags: tuple[Place, ...] = ()
    paths: tuple[Place, ...] = ()
    folders: tuple[Place, ...] = ()
    number: tuple[Place, ...] = ()
    common: tuple[Place, ...] = ()
    schedule: tuple[Place, ...] = ()


_SOUND = PageFaults()


def build_pages(game: Game) -> list[Page]:
    """Returns the displays of each round."""
    return [_build_page(_grid(each)) for each in game.rounds]


def examine_pages(pages: Sequence[Page], domain_id: int) -> PageFaults:
    """Says what is wrong with the displays of a game."""
    distinct, name = frozenset(pages), schedule_name(domain_id)
    if len(distinct) == len(pages) and _are_sound(distinct, name):
        return _SOUND
    return _find_faults([page.grid for page in pages], name)


def _grid(each: Round) -> Grid:
    images, flags = each.images, each.highlighted
    common = tuple(sorted(each.common))
    return Grid((tuple(images.A), tuple(images.B)), (tuple(flags.A), tuple(flags.B)), common)


@lru_cache(maxsize=1024)
def _build_page(grid: Grid) -> Page:
    return Page(grid, _build_display(grid, 0), _build_display(grid, 1))


def _build_display(grid: Grid, player: int) -> Display:
    images, other = grid.images[player], set(grid.images[1 - player])
    marked = [image for image, flag in zip(images, grid.flags[player], strict=False) if flag]
    goal: dict[str, Label] = {
        image: "common" if image in other else "different" for image in marked
    }
    return Display(frozenset(images), goal)


@lru_cache(maxsize=256)
def _are_sound(pages: frozenset[Page], schedule: str) -> bool:
    return _find_faults([page.grid for page in pages], schedule) == _SOUND


def _find_faults(grids: list[Grid], schedule: str) -> PageFaults:
    return PageFaults(
        size=tuple(_check_size(grids)),
        flags=tuple(_check_flags(grids)),
        paths=tuple(_check_paths(grids)),
        folders=tuple(_check_folders(grids)),
        number=tuple(_check_number(grids)),
        common=tuple(_check_common(grids)),
        schedule=tuple(_check_schedule(grids, schedule)),
    )


def _check_size(grids: list[Grid]) -> Iterator[Place]:
    for number, grid in enumerate(grids):
        for speaker, images in zip("AB", grid.images, strict=True):
            if len(images) != 6 or len(set(images)) != 6:
                found = f"{len(images)} images, {len(set(images))} different"
                yield Place(f".rounds[{number}].images.{speaker}", "6 different images", found)


def _check_flags(grids: list[Grid]) -> Iterator[Place]:
    for number, grid in enumerate(grids):
        for speaker, flags in zip("AB", grid.flags, strict=True):
            if len(flags) != 6 or sum(flags) != 3:
                found = f"{len(flags)} flags, {sum(flags)} true"
                path = f".rounds[{number}].highlighted.{speaker}"
                yield Place(path, "6 flags, 3 true", found)


def _check_paths(grids: list[Grid]) -> Iterator[Place]:
    for path, image in _iterate_images(grids):
        if not IMAGE_PATH.fullmatch(image):
            yield Place(path, "FOLDER/COCO_train2014_ and 12 digits, .jpg", shorten(image))


def _check_folders(grids: list[Grid]) -> Iterator[Place]:
    first = None
    for path, image in _iterate_images(grids):
        folder = image.rpartition("/")[0]
        first = folder if first is None else first
        if folder != first:
            yield Place(path, shorten(first), shorten(folder))


def _check_number(grids: list[Grid]) -> Iterator[Place]:
    number = len({image for _, image in _iterate_images(grids)})
    if len(grids) == ROUNDS and number != 12:
        yield Place(".rounds", "12 different images in the game", str(number))


def _check_common(grids: list[Grid]) -> Iterator[Place]:
    for number, grid in enumerate(grids):
        shared = set(grid.images[0]) & set(grid.images[1])
        if len(grid.common) != len(shared) or set(grid.common) != shared:
            path = f".rounds[{number}].common"
            yield Place(path, shorten(sorted(shared)), shorten(list(grid.common)))


def _check_schedule(grids: list[Grid], schedule: str) -> Iterator[Place]:
    if len(grids) == ROUNDS and not follows_schedule([_uses(grid) for grid in grids], schedule):
        yield Place(".rounds", f"schedule {schedule}", "other images shown or highlighted")


def _uses(grid: Grid) -> dict[str, Use]:
    a, b = (
        {image: "X" if flag else "o" for image, flag in zip(images, flags, strict=False)}
        for images, flags in zip(grid.images, grid.flags, strict=True)
    )
    return {image: (a.get(image, "-"), b.get(image, "-")) for image in a | b}


def _iterate_images(grids: list[Grid]) -> Iterator[tuple[str, str]]:
    for number, grid in enumerate(grids):
        for speaker, images in zip("AB", grid.images, strict=True):
            for position, image in enumerate(images):
                yield f".rounds[{number}].images.{speaker}[{position}]", image
