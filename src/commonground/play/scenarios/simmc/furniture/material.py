"""What a furniture session is played with: a catalogue that can be searched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from commonground.errors import FormatError
from commonground.findings import Place
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.simmc.shop.catalogues import read_furniture, write_shop
from commonground.play.scenarios.simmc.shop.invented import invent_furniture
from commonground.play.scenarios.simmc.shop.items import Item, list_cell
from commonground.play.scenarios.simmc.shop.pictures import remark_pictures

CELLS = ("color", "material", "decor_style", "intended_room")
"""Columns that a search looks in, beside type and price."""


class FurnitureMaterial(msgspec.Struct, frozen=True):
    """What a session is played with.

    Attributes:
        items: the catalogue; what a search finds is in its order.
    """

    items: tuple[Item, ...]


class Form(msgspec.Struct, frozen=True):
    """What the search form offers, with the lowest and highest price of each type."""

    types: dict[str, tuple[float, float]]
    colors: list[str]
    materials: list[str]
    decor_styles: list[str]
    intended_rooms: list[str]


def make_form(items: Sequence[Item]) -> Form:
    """Returns the search form of a catalogue."""
    prices: dict[str, list[float]] = {}
    for each in items:
        prices.setdefault(each.kind, []).append(float(each.facts["sale_price"]))
    return Form(
        {kind: (min(found), max(found)) for kind, found in sorted(prices.items())},
        *(
            sorted({value for each in items for value in list_cell(each.facts[column])})
            for column in CELLS
        ),
    )


def _check_items(items: Sequence[Item]) -> Iterator[Place]:
    if not items:
        yield Place(".items", "an item or more", "none")
    first: dict[int, int] = {}
    for place, each in enumerate(items):
        if first.setdefault(each.number, place) != place:
            yield Place(f".items[{place}].number", "a number of its own", str(each.number))
        if not each.kind:
            yield Place(f".items[{place}].kind", "a type", "none")
        for column in ("sale_price", "x_dim", "y_dim", "z_dim", *CELLS):
            if column not in each.facts:
                yield Place(f".items[{place}].facts", f"a value of {column}", "none")
        if not _is_price(each.facts.get("sale_price")):
            found = str(each.facts.get("sale_price"))
            yield Place(f".items[{place}].facts.sale_price", "a price", found)


def _is_price(value: object) -> bool:
    try:
        return 0 <= float(str(value)) < math.inf
    except ValueError:
        return False


def require_sound(material: FurnitureMaterial) -> None:
    """Does nothing for material that can be played with.

    Raises:
        FormatError: it cannot; the message names the first fault.
    """
    for fault in _check_items(material.items):
        raise FormatError(
            f"The catalogue, {fault.path[1:]}: expected {fault.expected}, found {fault.found}.",
            "Correct the catalogue.",
        )


def invent_material(seed: int) -> list[FurnitureMaterial]:
    """Invents one catalogue, which all sessions share."""
    return [FurnitureMaterial(tuple(invent_furniture(seed)))]


def read_material(folder: Path) -> list[FurnitureMaterial]:
    """Reads the catalogue of a folder.

    Raises:
        SourceError: there is none, or it cannot be read.
        FormatError: it has a fault; the message says where.
    """
    material = FurnitureMaterial(tuple(read_furniture(folder)))
    require_sound(material)
    return [material]


def write_material(used: Sequence[FurnitureMaterial], out: Path, seed: int | None) -> None:
    """Writes the catalogue, and where it was invented, pictures; see :func:`write_shop`."""
    items = {each.number: each for material in used for each in material.items}
    write_shop("furniture", [*items.values()], out, seed)


MATERIAL = MaterialSource(
    title="A furniture catalogue, the released one or your own, and pictures named by its ids.",
    invent=lambda _, seed: invent_material(seed),  # all sessions share it
    read=read_material,
    write=write_material,
    met=lambda _: frozenset(),  # a shop can be visited again
    remarks=lambda used: remark_pictures(
        (item for each in used for item in each.items), turned=True
    ),
)
