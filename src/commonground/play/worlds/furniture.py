"""A furniture shop, as in SIMMC: a catalogue that is searched, three things in a row, a cart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from commonground.play.scenarios.simmc.furniture.material import (
    CELLS,
    FurnitureMaterial,
    require_sound,
)
from commonground.play.scenarios.simmc.furniture.strokes import PLACES, SPECIFIED, Query
from commonground.play.scenarios.simmc.shop.catalogues import read_furniture
from commonground.play.scenarios.simmc.shop.invented import invent_furniture
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

ROW = 3
"""Things in a row."""

_ADVICE = "Give furniture_id: left, center, right or a number of what was found."


def search(items: Iterable[Item], query: Query) -> list[Item]:
    """Returns the items that a query finds, in their order: to the shop's form and to callers.

    The type must be the same, other cells must hold the text that is asked for; prices are rounded
    outwards to whole numbers, as the search of the time did.
    """
    least = -math.inf if query.min_price is None else math.floor(query.min_price)
    most = math.inf if query.max_price is None else math.ceil(query.max_price)
    wanted = {name: str(asked).lower() for name in CELLS if (asked := getattr(query, name))}
    return [
        each
        for each in items
        if each.kind == query.furniture_type
        and least <= float(each.facts["sale_price"]) <= most
        # Cells are texts, many of them the `repr` of a list: a word is sought anywhere in them.
        and all(text in str(each.facts[column]).lower() for column, text in wanted.items())
    ]


def facts_of(item: Item, attributes: Sequence[str]) -> dict[str, list[str]]:
    """Returns what the catalogue says of attributes, as state graphs have it."""
    specified: dict[str, list[str]] = {}
    for each in attributes:
        if each == "price":
            specified["price"] = [item.price]
        elif each == "dimensions":
            sides = zip(("width", "depth", "height"), ("x_dim", "y_dim", "z_dim"), strict=True)
            specified |= {name: [f"{item.facts[column]} inches"] for name, column in sides}
        elif each in ("material", "color"):
            specified[each] = list_cell(item.facts[each])
    return {name: values for name, values in specified.items() if values}


class _SearchFurniture(Arguments, rename="camel"):
    # In the names of the release, where -1 leaves a price open.
    furniture_type: str
    color: str = ""
    material: str = ""
    decor_style: str = ""
    intended_room: str = ""
    min_price: float = -1
    max_price: float = -1


class _FocusOnFurniture(Arguments):
    position: Literal["left", "center", "right"]
    furniture_id: str | int | None = None


class _Rotate(Arguments):
    direction: Literal["front", "left", "right", "back", "up", "down"]
    furniture_id: str | int | None = None


class _NavigateCarousel(Arguments):
    navigate_direction: Literal["Next", "Previous", "Here"]
    furniture_id: str | int | None = None


class _SpecifyInfo(Arguments):
    matches: str
    furniture_id: str | int | None = None


class _AddToCart(Arguments):
    furniture_id: str | int | None = None


def _show(facts: ShopFacts, view: View, **more: Any) -> Answer[View]:
    items = facts.by_number
    focus = None
    if view.focus is not None:
        focus = {**describe(items, view.focus), "side": view.side}
    row = [describe(items, each) for each in view.row]
    return Answer({"focus": focus, "carousel": row, "cart": list(view.cart), **more}, view)


def _search_furniture(facts: ShopFacts, view: View, asked: _SearchFurniture) -> Answer[View]:
    least, most = (None if each < 0 else each for each in (asked.min_price, asked.max_price))
    texts = (asked.color, asked.material, asked.decor_style, asked.intended_room)
    found = search(facts.items, Query(asked.furniture_type, *texts, least, most))
    # Nothing comes twice, or its place in the results would not be known.
    results = tuple(dict.fromkeys(each.number for each in found))
    shown = View(row=results[:ROW], results=results, cart=view.cart)
    return _show(facts, shown, found=len(results))


def _focus_on_furniture(facts: ShopFacts, view: View, asked: _FocusOnFurniture) -> Answer[View]:
    place = PLACES.index(asked.position)
    if place >= len(view.row):
        raise CallError(f"FocusOnFurniture: nothing is at {asked.position!r}.", "Search first.")
    return _show(facts, msgspec.structs.replace(view, focus=view.row[place], side="front"))


def _rotate(facts: ShopFacts, view: View, asked: _Rotate) -> Answer[View]:
    if view.focus is None:
        raise CallError("Rotate: nothing is in focus.", "Call FocusOnFurniture first.")
    return _show(facts, msgspec.structs.replace(view, side=asked.direction))


def _navigate_carousel(facts: ShopFacts, view: View, asked: _NavigateCarousel) -> Answer[View]:
    if asked.navigate_direction == "Here":
        return _show(facts, msgspec.structs.replace(view, focus=None))
    at = find_page(view, asked.navigate_direction)
    if at is None:
        raise CallError(
            f"NavigateCarousel: there is nothing {asked.navigate_direction.lower()}.",
            "Search for something else, or go the other way.",
        )
    return _show(facts, View(None, view.results[at : at + ROW], view.results, cart=view.cart))


def find_page(view: View, direction: Literal["Next", "Previous", "Here"]) -> int | None:
    """Returns where in the results a row begins: this one, or the one after or before it.

    None where there is no such row.
    """
    if not view.row or view.row[0] not in view.results:
        return None
    step = {"Next": ROW, "Previous": -ROW, "Here": 0}[direction]
    at = view.results.index(view.row[0]) + step
    return at if 0 <= at < len(view.results) else None


def _specify_info(facts: ShopFacts, view: View, asked: _SpecifyInfo) -> Answer[View]:
    item = need_item("SpecifyInfo", facts.by_number, _find_thing("SpecifyInfo", view, asked))
    told: dict[str, Any] = dict(facts_of(item, [asked.matches]))
    # What is not told by a list of values is told by all that the catalogue says.
    return Answer({"id": item.number, "facts": told or item.facts}, view)


def _add_to_cart(facts: ShopFacts, view: View, asked: _AddToCart) -> Answer[View]:
    item = need_item("AddToCart", facts.by_number, _find_thing("AddToCart", view, asked))
    return _show(facts, put_in_cart(view, item.number))


def _find_thing(name: str, view: View, asked: _SpecifyInfo | _AddToCart) -> int | None:
    """Returns the number of a thing: said by number or place, in focus, or alone in its row."""
    said = "" if asked.furniture_id is None else str(asked.furniture_id)
    if said.isdecimal():
        try:
            return int(said)
        except ValueError:  # Python does not read thousands of digits
            raise CallError(f"{name}: the catalogue has no item {said}.", _ADVICE) from None
    if said in PLACES and PLACES.index(said) < len(view.row):
        return view.row[PLACES.index(said)]
    if view.focus is None and len(view.row) > 1:
        raise CallError(
            f"{name}: there are {len(view.row)} things in the row.",
            _ADVICE,
        )
    return view.focus if view.focus is not None else next(iter(view.row), None)


FUNCTIONS = (
    Function(
        "SearchFurniture",
        "Finds things of a type and shows the first three in a row. furnitureType is exact, the "
        "other texts are words that the catalogue has; prices are US dollars, -1 for any.",
        _SearchFurniture,
        _search_furniture,
        keeps=True,
    ),
    Function(
        "FocusOnFurniture",
        "Shows one thing of the row alone.",
        _FocusOnFurniture,
        _focus_on_furniture,
    ),
    Function("Rotate", "Shows another side of what is in focus.", _Rotate, _rotate),
    Function(
        "NavigateCarousel",
        "Shows the next three of what was found, those before, or the row again.",
        _NavigateCarousel,
        _navigate_carousel,
    ),
    Function(
        "SpecifyInfo",
        f"Says something of a thing: {', '.join(SPECIFIED)}. furniture_id is its number, its place "
        "in the row, or left out for what is in focus.",
        _SpecifyInfo,
        _specify_info,
    ),
    Function(
        "AddToCart",
        "Puts a thing into the cart. furniture_id is its number, its place in the row, or left "
        "out for what is in focus.",
        _AddToCart,
        _add_to_cart,
    ),
)


def _require_sound(facts: ShopFacts) -> ShopFacts:
    require_sound(FurnitureMaterial(facts.items))
    return facts


WORLD = make_source(
    "furniture",
    "A furniture shop: a catalogue to search, a row of three things, a cart.",
    ShopFacts,
    FUNCTIONS,
    _require_sound,
    lambda seed: ShopFacts(tuple(invent_furniture(seed))),
    read_furniture,
)
