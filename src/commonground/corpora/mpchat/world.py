"""The invented Reddit of simulated threads: crafts, scenes, and authors with their personas.

Everything is a function of the seed and a number, so any author can be made at any time and
nothing has to be remembered.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.mpchat.native import Persona, image_file_name
from commonground.drawing import COLORS, Thing, draw_scene


class Craft(msgspec.Struct, frozen=True):
    """Something that people make and post pictures of; in pictures it is a shape.

    Attributes:
        thing: what is made, in the singular; the plural ends in ``s``.
        made: what was done with it.
        activity: what doing so is called.
        trouble: what goes wrong with it.
        tool: what helps.
        subreddit: where it is talked about.
        shape: how it is drawn.
        grounds: where it is seen.
    """

    thing: str
    made: str
    activity: str
    trouble: str
    tool: str
    subreddit: str
    shape: str
    grounds: tuple[str, ...]


CRAFTS: tuple[Craft, ...] = (
    Craft("kite", "flew", "kite flying", "tearing", "a longer tail", "kitefliers", "diamond",
          ("beach", "park")),
    Craft("cookie", "baked", "cookie baking", "crumbling", "cold butter", "starcookies", "star",
          ("room", "studio")),
    Craft("wreath", "wove", "wreath making", "shedding", "thin wire", "wreathweavers", "ring",
          ("room", "street")),
    Craft("tile", "glazed", "tile glazing", "cracking", "a slow kiln", "tilework", "hexagon",
          ("studio", "room")),
    Craft("tent", "pitched", "tent camping", "leaking", "extra pegs", "tentnights", "triangle",
          ("night", "park", "beach")),
    Craft("quilt", "sewed", "quilting", "fraying", "a walking foot", "quiltpatches", "square",
          ("room", "studio")),
    Craft("marble", "polished", "marble polishing", "chipping", "wet sandpaper", "marblehunters",
          "circle", ("studio", "street")),
    Craft("windmill", "carved", "windmill building", "jamming", "a drop of oil", "tinywindmills",
          "cross", ("park", "beach")),
)  # fmt: skip


_HIDDEN: dict[str, tuple[str, ...]] = {
    "beach": ("beige",),
    "night": ("black",),
    "room": ("beige", "brown", "white"),
    "street": ("grey",),
    "studio": ("white",),
}
"""Colours that can hardly be seen on a ground."""


class Scene(msgspec.Struct, frozen=True):
    """What a picture shows: one to three things of one colour, and perhaps a small other one."""

    craft: Craft
    color: str
    ground: str
    count: int
    extra: str | None


class Author(msgspec.Struct, frozen=True):
    """A user with a persona: elements, and what the picture of each shows, side by side."""

    name: str
    personas: tuple[Persona, ...]
    scenes: tuple[Scene, ...]


Titles = Callable[[Random, Scene], str]
"""Makes up the title of a picture."""


def invent_scene(rng: Random, craft: Craft, color: str | None = None) -> Scene:
    """Makes up what a picture of a craft shows."""
    color = color or rng.choice(list(COLORS))
    fitting = [each for each in craft.grounds if color not in _HIDDEN.get(each, ())]
    ground = rng.choice(fitting or craft.grounds)
    others = [each for each in COLORS if each not in (color, *_HIDDEN.get(ground, ()))]
    extra = rng.choice(others) if rng.random() < 0.4 else None
    return Scene(craft, color, ground, rng.choice((1, 1, 2, 3)), extra)


def draw_picture(path: Path, scene: Scene) -> None:
    """Draws a scene; no two pictures are quite the same."""
    rng = Random(path.name)
    things = [
        Thing(
            scene.craft.shape,
            scene.color,
            (i + 1) / (scene.count + 1) + rng.uniform(-0.03, 0.03),
            rng.uniform(0.4, 0.6),
            rng.uniform(0.38, 0.48),
        )
        for i in range(scene.count)
    ]
    if scene.extra is not None:
        things.append(Thing(scene.craft.shape, scene.extra, rng.uniform(0.1, 0.9), 0.84, 0.2))
    draw_scene(path, things, ground=scene.ground, width_px=200, height_px=150)


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPAN = 36**6


def reddit_id(seed: int, number: int) -> str:
    """Writes a number as six base-36 digits that look random; two numbers never look the same."""
    mixed = (number * 1_000_000_007 + zlib.crc32(str(seed).encode())) % _SPAN
    digits = []
    for _ in range(6):
        mixed, digit = divmod(mixed, 36)
        digits.append(_DIGITS[digit])
    return "".join(digits)


def invent_address(rng: Random) -> str:
    """Makes up the web address of an image."""
    name = "".join(rng.choices(_DIGITS, k=13))
    return f"https://images.example/{name}.{rng.choice(('jpg', 'jpg', 'jpg', 'png'))}"


_FIRST = ("quiet", "sunny", "mossy", "brisk", "tidy", "rusty", "merry", "dusty", "lucky", "foggy")
_SECOND = ("heron", "maple", "otter", "comet", "pebble", "lantern", "badger", "clover", "anchor")


class World:
    """The authors of a simulated corpus."""

    def __init__(self, seed: int, size: int, titles: Titles) -> None:
        self.seed = seed
        self.size = size
        self._titles = titles
        self._made = lru_cache(2048)(self._author)

    def author(self, number: int) -> Author:
        """Returns an author; numbers go round."""
        return self._made(number % self.size)

    def _author(self, number: int) -> Author:
        rng = Random(f"{self.seed}/author/{number}")
        name = f"{rng.choice(_FIRST)}{rng.choice(_SECOND)}_{number}"
        crafts = rng.sample(CRAFTS, 3)
        colors = rng.sample(list(COLORS), rng.randint(3, 7))
        scenes = tuple(
            invent_scene(rng, crafts[i % len(crafts)], color) for i, color in enumerate(colors)
        )
        personas = tuple(
            self._persona(rng, name, number * 8 + i, scene) for i, scene in enumerate(scenes)
        )
        return Author(name, personas, scenes)

    def _persona(self, rng: Random, author: str, number: int, scene: Scene) -> Persona:
        native_id = reddit_id(self.seed, 3 * number)
        title, address = self._titles(rng, scene), invent_address(rng)
        subreddit = scene.craft.subreddit
        page = f"https://posts.example/gallery/{native_id}"
        return Persona(
            id=native_id,
            subreddit=subreddit,
            url=page if rng.random() < 0.15 else address,
            score=rng.randint(1, 900),
            author=author,
            created_utcs=float(rng.randrange(1_400_000_000, 1_420_000_000)),
            permalink=f"/r/{subreddit}/comments/{native_id}/{slug(title)}/",
            title=title,
            direct_url=address,
            file_name=image_file_name(native_id, address),
        )


def slug(title: str) -> str:
    """Writes a title as the last part of a Reddit address."""
    return "_".join(re.findall(r"[a-z0-9]+", title.lower())[:8])


def pick(rng: Random, count: int, among: Sequence[int], first: Sequence[int]) -> list[int]:
    """Picks up to ``count`` numbers, those of ``first`` always among them, in random order."""
    rest = [each for each in among if each not in first]
    chosen = [*first, *rng.sample(rest, min(len(rest), max(0, count - len(first))))]
    rng.shuffle(chosen)
    return chosen
