"""State graphs: what the user of a talk knows of which thing, act by act.

A graph grows by three kinds of events: things come into view, the assistant tells facts of one, and
one is put into the cart. That somebody likes a thing is in words only, and is added where these are
annotated. Released dialogues keep three graphs a round: before the user speaks, after that, and
after the assistant has acted and answered; the third is the first of the next round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import Graph
from commonground.play.scenarios.simmc.shop.items import Item

LIKED = "PREFER by"
IN_CART = "in_cart"


class UserKnowledge(msgspec.Struct, frozen=True):
    """What the user knows.

    Attributes:
        numbers: of each item that was in view, the number of its name ``OBJECT_n``: from 0, in
            the order in which they were first seen.
        graph: by name, what is known of it. Graphs share what did not change: never change one.
    """

    numbers: dict[int, int] = {}
    graph: Graph = {}

    def name(self, item: int) -> str:
        """Returns the name of an item that was in view."""
        return name_of(self.numbers[item])


def name_of(number: int) -> str:
    """Returns the name of a thing by its number."""
    return f"OBJECT_{number}"


def show(
    known: UserKnowledge, scene: Mapping[int, str], items: Mapping[int, Item]
) -> UserKnowledge:
    """Notes that items came into view, each at its place; who is out of view keeps its last.

    Args:
        scene: the place of each item in view, by the item's number.
    """
    numbers = dict(known.numbers)
    for item in scene:
        numbers.setdefault(item, len(numbers))
    seen = UserKnowledge(numbers, known.graph)
    for item, place in scene.items():
        seen = tell(seen, item, {**items[item].seen, "pos": place})
    return seen


def tell(known: UserKnowledge, item: int, facts: Mapping[str, Any]) -> UserKnowledge:
    """Notes what is known now of an item that was in view, told or seen.

    Args:
        item: its number in the catalogue.
        facts: values of each attribute, in place of those that it had.
    """
    return UserKnowledge(known.numbers, add_facts(known.graph, known.name(item), facts))


def add_facts(graph: Graph, name: str, facts: Mapping[str, Any]) -> Graph:
    """Returns a graph with more facts of a thing; the given one stays.

    Args:
        name: of the thing, ``OBJECT_n``.
        facts: values by attribute, in place of those that it had.
    """
    return {**graph, name: {**graph.get(name, {}), **facts}}


def scene_of(
    known: UserKnowledge, scene: Mapping[int, str], items: Mapping[int, Item]
) -> dict[str, Any]:
    """Returns what is in view as ``visual_objects`` has it.

    Args:
        known: gives the items their names; all in view must have one.
        scene: the place of each item in view, by the item's number.
    """
    return {known.name(item): {**items[item].seen, "pos": place} for item, place in scene.items()}
