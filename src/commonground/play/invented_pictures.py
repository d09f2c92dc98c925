"""Draws small invented pictures, so that simulated corpora have something to see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from PIL import ImageDraw

COLORS: dict[str, str] = {
    "red": "#c8352c",
    "blue": "#2f63b5",
    "green": "#3c8f4c",
    "yellow": "#e5b826",
    "orange": "#e07b28",
    "purple": "#7d4c9e",
    "pink": "#dd86a8",
    "brown": "#7c5838",
    "black": "#26262a",
    "white": "#f4f2ec",
    "grey": "#8b8d92",
    "beige": "#d9c6a0",
}
SHAPES: tuple[str, ...] = (
    "circle",
    "square",
    "triangle",
    "diamond",
    "star",
    "hexagon",
    "cross",
    "ring",
)
GROUNDS: dict[str, tuple[str, str]] = {
    "beach": ("#a9d3e8", "#e8d7a5"),
    "park": ("#bfe0f2", "#8fbf74"),
    "street": ("#c9d2da", "#9a9a9a"),
    "room": ("#efe4d2", "#b98d60"),
    "studio": ("#f3f3f1", "#dededa"),
    "night": ("#2b3557", "#3f4a3a"),
}
"""Names of backgrounds, with the colours above and below the horizon."""


class Thing(msgspec.Struct, frozen=True):
    """One coloured shape of a picture.

    Attributes:
        shape: one of :data:`SHAPES`.
        color: one of :data:`COLORS`.
        x: centre, from 0 (left) to 1 (right).
        y: centre, from 0 (top) to 1 (bottom).
        size: width, as a share of the picture's shorter side.
    """

    shape: str
    color: str
    x: float
    y: float
    size: float


def draw_scene(
    path: Path,
    things: Sequence[Thing],
    *,
    ground: str = "studio",
    width_px: int = 320,
    height_px: int = 240,
) -> None:
    """Draws things, later ones in front, and writes a JPEG or PNG of a few kB.

    Args:
        path: file to write, its folder included; the ending decides the format.
        ground: one of :data:`GROUNDS`.
    """
    # Rules of games import the words for pictures, also where nothing is drawn, as in a browser.
    from PIL import Image, ImageDraw

    above, below = GROUNDS[ground]
    image = Image.new("RGB", (width_px, height_px), above)
    canvas = ImageDraw.Draw(image)
    # The horizon is a little below the middle.
    canvas.rectangle((0, round(height_px * 0.62), width_px, height_px), fill=below)
    for thing in things:
        radius = thing.size * min(width_px, height_px) / 2
        _draw_thing(canvas, thing, thing.x * width_px, thing.y * height_px, radius)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=80)


_CORNERS = {"triangle": 3, "diamond": 4, "hexagon": 6}


def _draw_thing(canvas: ImageDraw.ImageDraw, thing: Thing, x: float, y: float, r: float) -> None:
    fill, line = COLORS[thing.color], "#3a3a3a"
    box = (x - r, y - r, x + r, y + r)
    if thing.shape == "circle":
        canvas.ellipse(box, fill=fill, outline=line)
    elif thing.shape == "square":
        canvas.rectangle(box, fill=fill, outline=line)
    elif thing.shape == "ring":
        canvas.ellipse(box, outline=fill, width=max(3, round(r / 2.5)))
    elif thing.shape == "cross":
        arm = r / 3
        canvas.rectangle((x - r, y - arm, x + r, y + arm), fill=fill)
        canvas.rectangle((x - arm, y - r, x + arm, y + r), fill=fill)
    elif thing.shape == "star":
        canvas.polygon(_ring(x, y, r, 10, inner=0.45), fill=fill, outline=line)
    else:
        canvas.polygon(_ring(x, y, r, _CORNERS[thing.shape]), fill=fill, outline=line)


def _ring(
    x: float, y: float, r: float, corners: int, inner: float = 1
) -> list[tuple[float, float]]:
    points = []
    for i in range(corners):
        reach = r * (inner if i % 2 else 1)
        # A quarter turn back: the first corner points up.
        angle = 2 * math.pi * i / corners - math.pi / 2
        points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
    return points
