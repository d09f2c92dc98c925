"""What there is to see and buy: an item, what a scene shows of it, and what is in view."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native.reprs import parse_literal

Domain = Literal["fashion", "furniture"]

Look = dict[str, str | list[str]]
"""What a scene shows of an item: attributes as ``visual_objects`` has them, without ``pos``."""

DIRECTIONS = ("front", "left", "right", "back", "up", "down")
"""The sides of a thing that can be turned; its front is what a row shows."""

SEEN = (
    *("type", "color", "pattern", "embellishments", "hemLength", "sleeveStyle", "necklineStyle"),
    *("dressStyle", "sweaterStyle", "skirtStyle", "jacketStyle", "hemStyle", "waistStyle"),
)
"""Attributes of a fashion item that its image shows: those in released ``visual_objects``, which
have them only where they say something."""


class Item(msgspec.Struct, frozen=True):
    """Something that a shop sells.

    Attributes:
        number: its catalogue id.
        kind: ``dress``, ``Sofas``.
        facts: all that the catalogue says of it, in its own names.
        pictures: path below the image folder of each side that there is a picture of.
        url: the name of its picture in the released fashion catalogue.
        is_drawn: whether pages draw it rather than show its pictures, which are invented and stand
            for it in files.
    """

    number: int
    kind: str
    facts: dict[str, Any]
    seen: Look
    pictures: dict[str, str] = {}
    url: str = ""
    is_drawn: bool = False

    @property
    def color(self) -> str:
        """Its first colour in small letters; empty where the catalogue names none."""
        colors = self.seen.get("color")
        return colors[0].lower() if isinstance(colors, list) and colors else ""

    @property
    def price(self) -> str:
        """What an assistant says of its price: ``$210``."""
        price = self.facts.get("price")
        return str(price) if price is not None else f"${float(self.facts['sale_price']):.0f}"

    def picture(self, side: str = "front") -> str | None:
        """Returns the picture of a side, else that of the front; None where there is none."""
        return self.pictures.get(side, self.pictures.get("front"))

    def portrait(self, side: str = "front") -> dict[str, Any]:
        """Returns what a page shows of a side: a picture, or else what a drawing is made of.

        Nothing of it is hidden from users: ``look`` is what a picture would show. ``shows`` is
        the side that there is a picture of.
        """
        shows = side if side in self.pictures else "front"
        picture = None if self.is_drawn else self.picture(side)
        return {"picture": picture, "shows": shows, "kind": self.kind, "look": self.seen}


class ShopFacts(msgspec.Struct, frozen=True, dict=True):
    """What there is to buy; what a search finds is in the order of the items."""

    items: tuple[Item, ...] = ()

    @cached_property
    def by_number(self) -> Mapping[int, Item]:
        """The items by their numbers."""
        return {each.number: each for each in self.items}


class View(msgspec.Struct, frozen=True):
    """What is seen of a shop, and what is in its cart; things are catalogue numbers.

    Attributes:
        focus: what is seen alone; None for nothing.
        row: up to three things side by side, or behind what is in focus; furniture only.
        side: that is seen of what is in focus.
        cart: what was put into the cart, in order.
    """

    focus: int | None = None
    row: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    side: str = "front"
    cart: tuple[int, ...] = ()


def look_of_fashion(facts: Mapping[str, Any]) -> Look:
    """Returns what an image shows of a fashion item."""
    return {name: facts[name] for name in SEEN if facts.get(name)}


def look_of_furniture(facts: Mapping[str, str]) -> Look:
    """Returns what a scene shows of a piece of furniture."""
    kind, colors = facts["class_name"], list_cell(facts["color"])
    described = "_".join([kind.lower().replace(" ", "_"), *colors[:1]])
    return {
        "class_name": kind,
        "color": colors,
        "decor_style": list_cell(facts["decor_style"]),
        "description": described,
    }


def list_cell(cell: str) -> list[str]:
    """Returns the values of a cell, which holds the ``repr`` of a list or a single value."""
    return list(_parse_cell(cell))


@lru_cache(maxsize=1 << 12)  # forms of every session are made of the same few cells
def _parse_cell(cell: str) -> tuple[str, ...]:
    value = parse_literal(cell) if cell.startswith("[") else None
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return (cell,) if cell else ()
