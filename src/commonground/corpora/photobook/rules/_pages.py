"""The displays of a game: what each player sees, and which images are to be marked.

The five pages of an image domain are the same in all its games, in an order that each game
draws. So equal pages are one object, and what holds of them is worked out once.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from commonground.corpora.photobook.native import Game, Label, Round


class Display(msgspec.Struct, frozen=True):
    """What one player sees in one round, and the right label of each highlighted image."""

    images: frozenset[str]
    goal: dict[str, Label]


class Grid(msgspec.Struct, frozen=True):
    """What a round shows, as released. Pairs hold A's before B's.

    Attributes:
        images: six paths each.
        flags: six each; true for those to be marked.
        common: paths that both see, sorted.
    """

    images: tuple[tuple[str, ...], tuple[str, ...]]
    flags: tuple[tuple[bool, ...], tuple[bool, ...]]
    common: tuple[str, ...]


class RoundPage(msgspec.Struct, frozen=True, eq=False):
    """A round's displays; equal pages are one object.

    Attributes:
        grid: what both were made from.
        a: what A sees.
        b: what B sees.
    """

    grid: Grid
    a: Display
    b: Display


def build_pages(game: Game) -> list[RoundPage]:
    """Returns the displays of each round."""
    return [_build_page(_grid(each)) for each in game.rounds]


def _grid(each: Round) -> Grid:
    images, flags = each.images, each.highlighted
    common = tuple(sorted(each.common))
    return Grid((tuple(images.A), tuple(images.B)), (tuple(flags.A), tuple(flags.B)), common)


@lru_cache(maxsize=1024)
def _build_page(grid: Grid) -> RoundPage:
    return RoundPage(grid, _build_display(grid, 0), _build_display(grid, 1))


def _build_display(grid: Grid, player: int) -> Display:
    images, other = grid.images[player], set(grid.images[1 - player])
    marked = [image for image, flag in zip(images, grid.flags[player], strict=False) if flag]
    goal: dict[str, Label] = {
        image: "common" if image in other else "different" for image in marked
    }
    return Display(frozenset(images), goal)
