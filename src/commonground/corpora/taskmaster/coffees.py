"""Invents dialogues of generation 4: coffee orders with flat API calls."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.taskmaster.native import (
    CallNote,
    CoffeeDialogue,
    CoffeeSegment,
    CoffeeUtterance,
    RewardExample,
)
from commonground.corpora.taskmaster.phrases import COFFEE
from commonground.corpora.taskmaster.prompts import make_reward_id
from commonground.corpora.taskmaster.writing import compose, make_id

DRINKS = {
    "Café au Lait": ("milk-options", "hot-or-iced"),
    "Latte": ("milk-options", "espresso-shots", "hot-or-iced"),
    "Cortado": ("milk-options", "espresso-shots"),
    "Piña Colada Mocha": ("milk-options", "hot-or-iced"),
    "Lavender Cold Brew": ("milk-options",),
    "Mint Tea": ("hot-or-iced",),
}
OPTIONS = {
    "milk-options": ("Whole Milk", "Oat Milk", "Hazelnut Milk"),
    "espresso-shots": ("Single", "Double", "Triple"),
    "hot-or-iced": ("Hot", "Iced"),
}
NAMES = ("Noor", "Zoë", "the queen of clubs", "André", "Miss Fox")


class _Order:
    """A dialogue being written, with the state of its order."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.utterances: list[CoffeeUtterance] = []
        self.drink = rng.choice(list(DRINKS))
        number = rng.randint(1000, 9999)
        self.item_id = f"{self.drink.lower().replace(' ', '-')}-{number}"
        self.order_id = str(rng.randint(10000, 99999))
        self.order_item_id = str(rng.randint(10000, 99999))
        self.name = rng.choice(NAMES)
        self.attribute = rng.choice(DRINKS[self.drink])
        self.option = rng.choice(OPTIONS[self.attribute])
        self.wished = False
        self._calls = 0

    def say(self, speaker: Literal["user", "assistant"], key: str) -> None:
        values = {
            "drink": self.drink,
            "request": self.option.lower(),
            "option": self.option,
            "name": self.name,
            "order": self.order_id,
            "count": "1",
        }
        composed = compose(self.rng.choice(COFFEE[key]), values)
        segments = [
            CoffeeSegment(**msgspec.structs.asdict(each), annotator_id="GENERATED")
            for each in composed.segments
        ]
        self.utterances.append(
            CoffeeUtterance(
                index=len(self.utterances),
                speaker=speaker,
                text=composed.text,
                segments=segments,
                annotations=[],
            )
        )

    def call(self, name: str, request: dict[str, Any], response: dict[str, Any]) -> None:
        """Adds a call to the latest utterance, in its four parts."""
        call, back = f"api_call_{self._calls}", f"api_response_{self._calls}"
        self._calls += 1
        # The release spaces its JSON in both of these ways.
        tight = (",", ":") if self.rng.random() < 0.5 else (", ", ": ")
        self.utterances[-1].annotations += [
            CallNote(name="api_call", value=name, context=call),
            CallNote(name="request", value=json.dumps(request), context=call),
            CallNote(name="api_response", value=name, context=back),
            CallNote(name="response", value=json.dumps(response, separators=tight), context=back),
        ]

    def choice(self) -> list[dict[str, str]]:
        return [{"attribute_id": self.attribute, "option": self.option}]

    def details(self) -> None:
        wish = {"attributes": self.choice()} if self.wished else {}
        item: dict[str, Any] = {"order_item_id": self.order_item_id, "menu_item_id": self.item_id}
        order = {
            "order_id": self.order_id,
            "attributes": [{"attribute_id": "name", "option": self.name}],
            "menu_items": [item | {"menu_item_name": self.drink} | wish],
        }
        self.call("get_order_details", {"order_id": self.order_id}, order)


def invent_coffee(rng: Random) -> CoffeeDialogue:
    """Invents a dialogue; what the assistant says back stands in the responses."""
    order = _Order(rng)
    scenario = rng.choice(("Plain order", "Order with a wish", "Change of mind", "Menu first"))
    if scenario == "Menu first":
        order.say("user", "menu")
        order.call("show_menu", {}, {"success": True})
        order.say("assistant", "menu_shown")
    _add_item(order, with_wish=scenario == "Order with a wish")
    order.say("assistant", "right")
    if scenario == "Change of mind":
        _change(order)
    _close(order, to_go=rng.random() < 0.3)
    return CoffeeDialogue(
        conversation_id=make_id(rng),
        vertical="Coffee",
        scenario=scenario,
        instructions=f"Order one {order.drink} at a counter. {scenario}.",
        utterances=order.utterances,
    )


def _add_item(order: _Order, *, with_wish: bool) -> None:
    order.say("user", "order_with" if with_wish else "order")
    found = {"menu_items": [{"menu_item_id": order.item_id, "name": order.drink}]}
    order.call("get_menu_items", {"query": order.drink}, found)
    item: dict[str, Any] = {"menu_item_id": order.item_id, "quantity": "1"}
    if with_wish:
        _find_option(order)
        item["attributes"] = order.choice()
    elif order.rng.random() < 0.3:
        item["notes"] = order.name
    ids = {"order_id": order.order_id, "order_item_id": order.order_item_id}
    order.call("add_order_item", item, ids)
    order.details()


def _find_option(order: _Order) -> None:
    order.wished = True
    query = {"query": order.option, "menu_item_id": order.item_id}
    attribute = {"attribute_id": order.attribute, "options": OPTIONS[order.attribute]}
    order.call("get_addons", query, {"attributes": [attribute]})


def _change(order: _Order) -> None:
    options = [each for each in OPTIONS[order.attribute] if each != order.option]
    order.option = order.rng.choice(options)
    order.say("user", "change")
    _find_option(order)
    request = {"order_item_id": order.order_item_id, "attributes": order.choice()}
    order.call("update_order_item", request, {"order_item_id": order.order_item_id})
    order.details()
    order.say("assistant", "changed")


def _close(order: _Order, *, to_go: bool) -> None:
    if order.utterances[-1].text.endswith("Anything else?"):
        order.say("user", "no")
    else:
        order.say("user", "to_go" if to_go else "yes")
        if to_go:
            attributes = [{"attribute_id": "order-type", "option": "To Go"}]
            request = {"order_id": order.order_id, "attributes": attributes}
            order.call("update_order", request, {"order_id": order.order_id})
    order.call("finish_order", {"order_id": order.order_id}, {"success": True})
    order.say("assistant", "done")


def invent_reward(rng: Random) -> RewardExample:
    """Invents an example: what the agent should look up first."""
    drink = rng.choice(list(DRINKS))
    text = compose(rng.choice(COFFEE["order"]), {"drink": drink}).text
    right = rng.random() < 0.8
    query = drink if right else rng.choice([each for each in DRINKS if each != drink])
    context = [
        {"role": "agent", "text": "Welcome to the counter. What would you like?"},
        {"role": "user", "text": text},
    ]
    generation = {"role": "agent", "api": {"get_menu_items": {"query": query}}}
    return RewardExample(
        conversation_id=make_reward_id(rng),
        context=json.dumps(context),
        generation=json.dumps(generation),
        reward=1.0 if right else 0.0,
    )
