"""Invented shops: what there is to see and buy in a simulated SIMMC corpus."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.simmc.native import Task
from commonground.drawing import Thing, draw_scene

COLORS = ("red", "blue", "green", "yellow", "purple", "pink", "brown", "black", "white", "grey")
BRANDS = ("Hill and Harbour", "Nine Looms", "Pale Kite", "Otter Lane", "The Velvet Pear")
SIZES = ("XS", "S", "M", "L", "XL", "XXL")
PATTERNS = ("plain", "striped", "dotted", "floral")
FASHION_TYPES = {"dress": "triangle", "sweater": "square", "skirt": "diamond", "coat": "hexagon"}
STYLES = {
    "dress": ("dressStyle", ("a_line", "wrap", "shift")),
    "sweater": ("sweaterStyle", ("cardigan", "loose", "ribbed")),
    "skirt": ("skirtStyle", ("pleated", "pencil", "tiered")),
    "coat": ("jacketStyle", ("trench", "duffle", "quilted")),
}
FURNITURE_TYPES = {
    "Bookcases": "square",
    "Dining Chairs": "triangle",
    "Coffee Tables": "circle",
    "Table Lamps": "star",
    "Sofas": "hexagon",
}
MATERIALS = ("Oak", "Pine", "Steel", "Linen", "Glass")
DECORS = ("Modern", "Rustic", "Traditional", "Nautical")
ROOMS = ("Living Room", "Bedroom", "Study", "Dining Room")
COLUMNS = (
    "sku",
    "product_name",
    "product_description",
    "product_page_url",
    "class_name",
    "sale_price",
    "thumbnail_image_url",
    "obj",
    "glb",
    "x_dim",
    "y_dim",
    "z_dim",
    "color",
    "material",
    "decor_style",
    "intended_room",
)
FIRST_FASHION, FIRST_FURNITURE = 201, 50001


class Item(msgspec.Struct, frozen=True):
    """An item of an invented shop.

    Attributes:
        number: its catalogue id.
        kind: ``dress``, ``Sofas``.
        color: its colour, as the catalogue writes it.
        facts: all that the catalogue says of it.
        seen: what a scene shows of it.
    """

    number: int
    kind: str
    color: str
    facts: dict[str, Any]
    seen: dict[str, str | list[str]]

    @property
    def spoken(self) -> str:
        """What a person calls it: ``sofa``."""
        return self.kind.lower().removesuffix("s") if self.kind in FURNITURE_TYPES else self.kind


class Shop(msgspec.Struct):
    """All there is in one domain."""

    domain: str
    items: list[Item]
    tasks: list[Task] = []

    def item(self, number: int) -> Item:
        """Returns the item of a catalogue id."""
        return self.items[number - self.items[0].number]


def make_fashion(rng: random.Random, count: int = 60, tasks: int = 12) -> Shop:
    """Invents a fashion shop and its tasks."""
    items = [_fashion_item(rng, FIRST_FASHION + i) for i in range(count)]
    return Shop("fashion", items, [_task(rng, items, 1000 + i) for i in range(tasks)])


def _fashion_item(rng: random.Random, number: int) -> Item:
    kind = rng.choice(tuple(FASHION_TYPES))
    color = rng.choice(COLORS)
    style, styles = STYLES[kind]
    seen: dict[str, str | list[str]] = {
        "type": kind,
        "color": [color],
        style: sorted(rng.sample(styles, rng.randint(1, 2))),
        "embellishments": rng.sample(("embroidered", "beaded", "belted"), rng.randint(0, 1)),
    }
    facts: dict[str, Any] = {
        **seen,
        "price": f"${rng.randint(20, 280)}",
        "brand": rng.choice(BRANDS),
        "customerRating": f"{rng.uniform(1, 5):.2f}",
        "availableSizes": sorted(rng.sample(SIZES, rng.randint(2, 4)), key=SIZES.index),
        "pattern": [rng.choice(PATTERNS)],
        "size": [],
    }
    if kind == "dress":
        facts |= {"hemStyle": ["flared"], "waistStyle": ["empire"]}
    if kind in ("dress", "skirt"):
        seen["hemLength"] = facts["hemLength"] = [rng.choice(("mini", "midi", "maxi"))]
    if kind in ("dress", "sweater"):
        facts["necklineStyle"] = [rng.choice(("v_neck", "crew_neck"))]
    if kind != "skirt":
        facts["sleeveStyle"] = [rng.choice(("long_sleeve", "short_sleeve"))]
    if number % 3:
        facts["availability"] = []
    return Item(number, kind, color, facts, seen)


def _task(rng: random.Random, items: list[Item], task_id: int) -> Task:
    memory = rng.choice((0, 3, 3))
    numbers = [item.number for item in rng.sample(items, 1 + memory + rng.choice((6, 8, 9)))]
    return Task(
        task_id=task_id,
        image_ids=numbers,
        focus_image=numbers[0],
        memory_images=numbers[1 : 1 + memory],
        database_images=numbers[1 + memory :],
    )


def make_furniture(rng: random.Random, count: int = 60) -> Shop:
    """Invents a furniture shop."""
    return Shop("furniture", [_furniture_item(rng, FIRST_FURNITURE + i) for i in range(count)])


def _furniture_item(rng: random.Random, number: int) -> Item:
    kind = rng.choice(tuple(FURNITURE_TYPES))
    color = rng.choice(COLORS).title()
    material = rng.choice(MATERIALS)
    decor = sorted(rng.sample(DECORS, rng.randint(1, 2)))
    name = f"{rng.choice(BRANDS)} {color} {kind}"
    seen: dict[str, str | list[str]] = {
        "class_name": kind,
        "color": [color],
        "decor_style": [str(each) for each in decor],
        "description": f"{kind.lower().replace(' ', '_')}_{color}",
    }
    facts = {
        "sku": f"SIM{number}",
        "product_name": name,
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
        "color": str([color]),
        "material": material,
        "decor_style": str(decor),
        "intended_room": str([rng.choice(ROOMS)]),
    }
    return Item(number, kind, color, facts, seen)


def draw_item(item: Item, path: Path) -> None:
    """Draws an item of an invented shop."""
    shape = {**FASHION_TYPES, **FURNITURE_TYPES}[item.kind]
    ground = "room" if item.kind in FURNITURE_TYPES else "studio"
    thing = Thing(shape, item.color.lower(), 0.5, 0.55, 0.6)
    draw_scene(path, [thing], ground=ground, width_px=160, height_px=120)
