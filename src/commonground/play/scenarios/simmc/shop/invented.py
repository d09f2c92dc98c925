"""Invented clothes and furniture, each the same for the same seed."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.shop.items import (
    DIRECTIONS,
    Item,
    look_of_fashion,
    look_of_furniture,
)


class _Fashion(msgspec.Struct, frozen=True):
    first: int
    sizes: list[str]
    patterns: list[str]
    embellishments: list[str]
    lengths: list[str]
    necklines: list[str]
    sleeves: list[str]
    shapes: dict[str, str]
    styles: dict[str, list[str]]


class _Furniture(msgspec.Struct, frozen=True):
    first: int
    colors: list[str]
    materials: list[str]
    decors: list[str]
    rooms: list[str]
    shapes: dict[str, str]


class ItemWords(msgspec.Struct, frozen=True):
    """What ``words.toml`` holds: the words that invented items are described with.

    Attributes:
        colors: those that pictures can be drawn in.
        brands: few, so that several things share one.
    """

    colors: list[str]
    brands: list[str]
    fashion: _Fashion
    furniture: _Furniture


@cache
def load_words() -> ItemWords:
    """Returns what invented shops sell, and what their customers ask for."""
    return load_beside(__file__, "words.toml", ItemWords)


def invent_fashion(seed: int, count: int = 60) -> list[Item]:
    """Invents the items of a fashion catalogue; the seed decides what they are."""
    rng, first = Random(f"{seed} fashion"), load_words().fashion.first
    return [_invent_clothes(rng, first + number) for number in range(count)]


def _invent_clothes(rng: Random, number: int) -> Item:
    words = load_words()
    of = words.fashion
    kind = rng.choice(tuple(of.shapes))
    style, *styles = of.styles[kind]
    facts: dict[str, Any] = {
        "type": kind,
        "color": [rng.choice(words.colors)],
        style: sorted(rng.sample(styles, rng.randint(1, 2))),
        "embellishments": rng.sample(of.embellishments, rng.randint(0, 1)),
        "price": f"${rng.randint(20, 280)}",
        "brand": rng.choice(words.brands),
        "customerRating": f"{rng.uniform(1, 5):.2f}",
        "availableSizes": sorted(rng.sample(of.sizes, rng.randint(2, 4)), key=of.sizes.index),
        "pattern": [rng.choice(of.patterns)],
        "size": [],
    }
    if kind == "dress":
        facts |= {"hemStyle": ["flared"], "waistStyle": ["empire"]}
    if kind in ("dress", "skirt"):
        facts["hemLength"] = [rng.choice(of.lengths)]
    if kind in ("dress", "sweater"):
        facts["necklineStyle"] = [rng.choice(of.necklines)]
    if kind != "skirt":
        facts["sleeveStyle"] = [rng.choice(of.sleeves)]
    # Absent from some items, as in the release.
    if number % 3:
        facts["availability"] = []
    pictures = {"front": f"simmc_fashion/{number}.png"}
    return Item(
        number, kind, facts, look_of_fashion(facts), pictures, f"SIM{number:010}", is_drawn=True
    )


def invent_furniture(seed: int, count: int = 80) -> list[Item]:
    """Invents the items of a furniture catalogue; the seed decides what they are."""
    rng, first = Random(f"{seed} furniture"), load_words().furniture.first
    return [_invent_furniture(rng, first + number) for number in range(count)]


def _invent_furniture(rng: Random, number: int) -> Item:
    words = load_words()
    of = words.furniture
    kind, color = rng.choice(tuple(of.shapes)), rng.choice(of.colors).title()
    material, decor = rng.choice(of.materials), sorted(rng.sample(of.decors, rng.randint(1, 2)))
    facts = {
        "sku": f"SIM{number}",
        "product_name": f"{rng.choice(words.brands)} {color} {kind}",
        "product_description": f'A "{decor[0].lower()}" piece, {material.lower()} throughout.',
        "product_page_url": f"https://example.org/{number}",
        "class_name": kind,
        "sale_price": f"{rng.randint(30, 900)}.0",
        "thumbnail_image_url": f"https://example.org/{number}.png",
        "obj": f"models/{number}.zip",
        "glb": f"models/{number}.glb",
        "x_dim": str(rng.randint(10, 90)),
        "y_dim": str(rng.randint(10, 90)),
        "z_dim": str(rng.randint(10, 90)),
        # The `repr` of a list, as in the released CSV.
        "color": str([color]),
        "material": material,
        "decor_style": str(decor),
        "intended_room": str([rng.choice(of.rooms)]),
    }
    base = f"simmc_furniture/figures/{number}"
    pictures = {"front": f"{base}.png"}
    pictures |= {side: f"{base}_{side}.png" for side in DIRECTIONS[1:]}
    return Item(number, kind, facts, look_of_furniture(facts), pictures, is_drawn=True)
