"""A fashion shop, as in SIMMC: one image in focus, others to bring there, a cart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import Task
from commonground.model import Json
from commonground.play.scenarios.simmc.fashion.material import (
    FashionMaterial,
    invent_material,
    require_sound,
)
from commonground.play.scenarios.simmc.shop.catalogues import read_fashion
from commonground.play.scenarios.simmc.shop.items import Item, ShopFacts, View, list_cell
from commonground.play.world import (
    Answer,
    Arguments,
    CallError,
    Function,
)
from commonground.play.worlds._shop import (
    describe,
    make_source,
    need_item,
    put_in_cart,
)

_LISTED = 10
"""Images that a search lists at most."""


class FashionFacts(ShopFacts, frozen=True, dict=True):
    """What there is to buy, and which of it.

    Attributes:
        task: which image is in focus at first, which the customer saw before, and which are in the
            database; None where all items are in both and none is in focus.
    """

    task: Task | None = None


def facts_of(item: Item, attributes: Sequence[str]) -> dict[str, list[str]]:
    """Returns what the catalogue says of attributes, as state graphs have it.

    People ask for the ``embellishment``; the catalogue calls it ``embellishments``.
    """
    found = {name: item.facts.get(name) or item.facts.get(f"{name}s") for name in attributes}
    return {
        name: value if isinstance(value, list) else list_cell(str(value))
        for name, value in found.items()
        if value
    }


class _Search(Arguments):
    # `wanted` is ours: people saw thumbnails of all images, and clicked one.
    focus: int | None = None
    attributes: list[str] = []  # noqa: RUF012 - a struct copies it
    wanted: dict[str, str] = {}  # noqa: RUF012 - likewise


class _SpecifyInfo(Arguments):
    attributes: list[str]


def _search(facts: FashionFacts, view: View, asked: _Search, *, images: str) -> Answer[View]:
    name = f"Search{images.title()}"
    there = [*facts.by_number]
    if facts.task is not None:
        there = facts.task.memory_images if images == "memory" else facts.task.database_images
    if asked.focus is None:
        fitting = [each for each in there if _fits(facts.by_number[each], asked.wanted)]
        listed = [_tell(facts, each, asked.attributes) for each in fitting[:_LISTED]]
        return Answer({"images": listed, "found": len(fitting)}, view)
    if asked.focus not in there:
        raise CallError(
            f"{name}: there is no image {asked.focus} in the {images}.",
            "Leave out focus to see which there are.",
        )
    shown = msgspec.structs.replace(view, focus=asked.focus)
    told = _tell(facts, asked.focus, asked.attributes)
    return Answer({"focus": told, "cart": list(view.cart)}, shown)


def _tell(facts: FashionFacts, number: int, attributes: Sequence[str]) -> dict[str, Json]:
    told = facts_of(facts.by_number[number], attributes)
    return {**describe(facts.by_number, number), **({"facts": told} if told else {})}


def _fits(item: Item, wanted: Mapping[str, str]) -> bool:
    return all(
        any(word.casefold() in each.casefold() for each in facts_of(item, [name]).get(name, []))
        for name, word in wanted.items()
    )


def _specify_info(facts: FashionFacts, view: View, asked: _SpecifyInfo) -> Answer[View]:
    item = need_item("SpecifyInfo", facts.by_number, view.focus)
    told: dict[str, Any] = dict(facts_of(item, asked.attributes))
    if "info" in asked.attributes:
        told["info"] = item.facts
    return Answer({"focus": describe(facts.by_number, item.number), "facts": told}, view)


def _add_to_cart(facts: FashionFacts, view: View, _asked: Arguments) -> Answer[View]:
    item = need_item("AddToCart", facts.by_number, view.focus)
    bought = put_in_cart(view, item.number)
    focus = describe(facts.by_number, item.number)
    return Answer({"focus": focus, "cart": list(bought.cart)}, bought)


_SEARCHES = (
    " With focus, the number of an image, it comes into view. Without it, images are listed: those "
    "whose attributes, such as type, color or price, hold the words of wanted. attributes are told "
    "of each."
)

FUNCTIONS = (
    Function(
        "SearchDatabase",
        f"Brings an image of the database into focus.{_SEARCHES}",
        _Search,
        partial(_search, images="database"),
    ),
    Function(
        "SearchMemory",
        f"Brings an image into focus that the customer saw before.{_SEARCHES}",
        _Search,
        partial(_search, images="memory"),
    ),
    Function(
        "SpecifyInfo",
        "Says what the catalogue has of what is in focus: price, availableSizes, brand, "
        "customerRating, color, pattern and others; info for all of it.",
        _SpecifyInfo,
        _specify_info,
    ),
    Function("AddToCart", "Puts what is in focus into the cart.", Arguments, _add_to_cart),
)


def _require_sound(facts: FashionFacts) -> FashionFacts:
    if facts.task is not None:
        require_sound(FashionMaterial(facts.task, facts.items))
    return facts


def invent_facts(seed: int) -> FashionFacts:
    """Invents a task of ten images or fewer, the first that invented material has."""
    material = invent_material(seed)[0]
    return FashionFacts(material.items, material.task)


WORLD = make_source(
    "fashion",
    "A fashion shop: images to bring into focus, what the catalogue says, a cart.",
    FashionFacts,
    FUNCTIONS,
    _require_sound,
    invent_facts,
    read_fashion,
    lambda facts: View(facts.task.focus_image if facts.task else None),
)
