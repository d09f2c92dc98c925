"""Invented pictures to play with: sets of twelve that are easily confused.

All pictures of a set show the same two main shapes; they differ in colours, sizes, places and
backgrounds, and each pair of colours is in one picture only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random

import msgspec

from commonground.play.invented_pictures import SHAPES, Thing, draw_scene

PICTURES = 12
FOLDERS: tuple[str, ...] = tuple("_".join(pair) for pair in combinations(sorted(SHAPES), 2))
"""Names of the image folders: the two main shapes."""

COLORS = ("red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "black")
GROUNDS = {
    "beach": "on the beach",
    "park": "in the park",
    "street": "in the street",
    "room": "in a room",
    "studio": "in the studio",
}
SIZES = {"big": 0.42, "small": 0.23}
LAYOUTS = {
    "left of": ((0.3, 0.5), (0.72, 0.55)),
    "right of": ((0.7, 0.5), (0.28, 0.55)),
    "above": ((0.48, 0.27), (0.52, 0.75)),
}
CORNERS = {
    "top left": (0.08, 0.11),
    "top right": (0.92, 0.11),
    "bottom left": (0.08, 0.89),
    "bottom right": (0.92, 0.89),
}


class MainThing(msgspec.Struct, frozen=True):
    """One of the two main things of a picture, in words that ``play.invented_pictures`` knows."""

    shape: str
    color: str
    size: str

    @property
    def short(self) -> str:
        """Its colour and shape in two words, such as ``red circle``."""
        return f"{self.color} {self.shape}"


class DescribedPicture(msgspec.Struct, frozen=True):
    """A picture and what there is to say of it.

    Attributes:
        path: below the image folder.
        layout: where the first is, seen from the second.
        corner: where a tiny third thing is; None where there is none.
        extra: the third thing, such as ``pink ring``; empty where there is none.
        nickname: the fewest words that fit this picture of its set and no other.
    """

    path: str
    first: MainThing
    second: MainThing
    layout: str
    ground: str
    corner: str | None
    extra: str
    nickname: str = ""

    @property
    def where(self) -> str:
        """The background as one says it: ``on the beach``."""
        return GROUNDS[self.ground]


def build_pictures(folder: str, seed: int) -> list[DescribedPicture]:
    """Invents the twelve pictures of a folder."""
    rng = Random(f"{seed}:pictures:{folder}")
    shapes = folder.split("_")
    # Sixteen pairs for twelve pictures: no pair comes twice, and so each picture has a name.
    colors = list(product(rng.sample(COLORS, 4), rng.sample(COLORS, 4)))
    # Above the ids of COCO's own images, so that no invented picture passes for one.
    numbers = rng.sample(range(600_000, 1_000_000), PICTURES)
    pictures = [
        _build_picture(f"{folder}/COCO_train2014_{number:012d}.jpg", shapes, pair, rng)
        for number, pair in zip(numbers, rng.sample(colors, PICTURES), strict=True)
    ]
    return [
        msgspec.structs.replace(each, nickname=_find_nickname(each, pictures)) for each in pictures
    ]


def _build_picture(
    path: str, shapes: Sequence[str], colors: tuple[str, str], rng: Random
) -> DescribedPicture:
    first, second = (
        MainThing(shape, color, rng.choice(tuple(SIZES)))
        for shape, color in zip(shapes, colors, strict=True)
    )
    corner = rng.choice(tuple(CORNERS)) if rng.random() < 0.4 else None
    others = [shape for shape in SHAPES if shape not in shapes]
    extra = f"{rng.choice(COLORS)} {rng.choice(others)}" if corner else ""
    layout, ground = rng.choice(tuple(LAYOUTS)), rng.choice(tuple(GROUNDS))
    return DescribedPicture(path, first, second, layout, ground, corner, extra)


# From the fewest words to the most: the first that fits one picture alone is its nickname.
_NICKNAMES: tuple[Callable[[DescribedPicture], str], ...] = (
    lambda each: each.first.short,
    lambda each: each.second.short,
    lambda each: f"tiny {each.extra}" if each.extra else "",
    lambda each: f"{each.first.short} {each.ground}",
    lambda each: f"{each.second.short} {each.ground}",
    lambda each: f"{each.first.size} {each.first.short}",
    lambda each: f"{each.first.short} and {each.second.short}",
)


def _find_nickname(picture: DescribedPicture, among: Sequence[DescribedPicture]) -> str:
    for name in _NICKNAMES:
        words = name(picture)
        if words and sum(name(each) == words for each in among) == 1:
            return words
    # The last way to name a picture has both colours and so always fits one alone.
    raise AssertionError("each pair of colours is in one picture only")


def describe_picture(picture: DescribedPicture) -> tuple[tuple[str, ...], ...]:
    """Returns what people could call a picture: first at length, at last by a nickname.

    Each entry has the ways to say it at one time, for the first, second, third and any later
    mention. All of them fit this picture of the twelve and no other.
    """
    a, b = picture.first, picture.second
    first, second = f"a {a.size} {a.short}", _with_article(b.short)
    extra = f", {_with_article(picture.extra)} {picture.corner}" if picture.corner else ""
    return (
        (
            f"{first} {picture.layout} {second} {picture.where}",
            f"{first} and {second}{extra}",
            f"{second} with {first} {picture.where}",
            f"{first}, {picture.layout} {second}",
        ),
        (
            f"the {a.short} and the {b.short} {picture.where}",
            f"the {a.short} {picture.layout} the {b.short}",
            f"the {b.short} with the {a.size} {a.short}",
        ),
        (f"{a.short} and {b.short}", f"{b.short}, {a.short}"),
        (picture.nickname,),
    )


def _with_article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def draw_picture(picture: DescribedPicture, images: Path) -> None:
    """Draws a picture below the image folder."""
    places = LAYOUTS[picture.layout]
    things = [
        Thing(part.shape, part.color, x, y, SIZES[part.size])
        for part, (x, y) in zip((picture.first, picture.second), places, strict=True)
    ]
    if picture.corner:
        color, shape = picture.extra.split(" ")
        x, y = CORNERS[picture.corner]
        things.append(Thing(shape, color, x, y, 0.13))
    draw_scene(images / picture.path, things, ground=picture.ground)
