"""The rules of the fashion game.

The user sees one image, that in focus. The assistant sees it as well, with what the catalogue says
of it, and thumbnails of others: those in memory, which the user has seen on an earlier day, and
those of a database. In its turn the assistant may

- click one of these images, which brings it into focus: the user sees it at once. The first click
  of a round is what it does in that round, so there is no second one;
- press *specify* with the attributes that the user asked for and is told;
- press *cart*, which puts what is in focus into the cart, or, in the same round, out of it again.

What it did is the action of the round: a click is ``SearchMemory`` or ``SearchDatabase`` by where
the image is, else attributes are ``SpecifyInfo``, else the cart is ``AddToCart``, else it is
``None``. No button but these is needed to write API calls as released.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import ApiCall, ApiCalls
from commonground.play.acts import Empty
from commonground.play.scenario import Allowed, Refusal, Sitting, payload_schema
from commonground.play.scenarios.simmc.fashion.material import FashionMaterial, require_sound
from commonground.play.scenarios.simmc.game.graphs import (
    IN_CART,
    UserKnowledge,
    scene_of,
    show,
    tell,
)
from commonground.play.scenarios.simmc.game.talk import ShopGame, ShopState, replace
from commonground.play.scenarios.simmc.release import ShopRound, build_dialogue, build_turn
from commonground.play.scenarios.simmc.shop.items import Item, View
from commonground.play.world import CallError
from commonground.play.worlds.fashion import FUNCTIONS, FashionFacts, facts_of

ATTRIBUTES = (
    *("price", "availableSizes", "brand", "customerRating", "info", "color", "pattern"),
    *("embellishment", "material", "clothingStyle", "size", "hemLength", "hemStyle"),
    *("skirtStyle", "dressStyle", "jacketStyle", "sweaterStyle", "necklineStyle"),
    *("sleeveStyle", "sleeveLength", "waistStyle"),
)
"""What a user may ask of a thing: all that 15 or more released actions specify."""


class Click(msgspec.Struct, frozen=True, gc=False):
    """The assistant clicks an image, which comes into focus."""

    image: int


class Specified(msgspec.Struct, frozen=True, gc=False):
    """Attributes of what is in focus are told; none for taking it back."""

    attributes: list[str]


class FashionRound(ShopRound, frozen=True, kw_only=True):
    """A round under way, or over.

    Attributes:
        focus: the image in focus at its start.
        attributes: that were specified, in order of name.
    """

    focus: int
    clicked: int | None = None
    attributes: tuple[str, ...] = ()


class FashionState(ShopState[FashionRound], frozen=True, kw_only=True):
    """A session between two acts, and the material that it is played with."""

    material: FashionMaterial

    @property
    def focus(self) -> int:
        """The image in focus; there always is one."""
        assert self.view.focus is not None  # noqa: S101 - the task begins with one
        return self.view.focus


def _name_search(material: FashionMaterial, image: int) -> str:
    return "SearchMemory" if image in material.task.memory_images else "SearchDatabase"


def _action_of(each: FashionRound, material: FashionMaterial, turn: int) -> ApiCall:
    """Returns what the assistant did in a round, as API calls have it."""
    attributes = list(each.attributes)
    given: dict[str, Any] | None = None
    if each.clicked is not None:
        name = _name_search(material, each.clicked)
        given = {"focus": each.clicked, "attributes": attributes}
    elif attributes:
        name, given = "SpecifyInfo", {"attributes": attributes}
    else:
        name = "None" if each.carted is None else "AddToCart"
    return ApiCall(turn_idx=turn, action=name, action_supervision=given)


class Fashion(ShopGame[FashionState, FashionMaterial]):
    """How clothes are sold by images: those that the user saw before, and those of the database.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    name = "simmc-fashion"
    version = "1"
    material = FashionMaterial
    functions = FUNCTIONS
    gestures = {  # noqa: RUF012 - nobody changes it
        "simmc.focus": Click,
        "simmc.specify": Specified,
        "simmc.cart": Empty,
    }
    gesture_refusals = frozenset(
        {"no_such_image", "already_clicked", "unknown_attribute", "in_cart"}
    )

    def start(self, material: FashionMaterial, _seed: int) -> FashionState:
        """Shows the image in focus, which both talk about first."""
        require_sound(material)
        facts = FashionFacts(material.items, material.task)
        focus = material.task.focus_image
        known = show(UserKnowledge(), {focus: "focus"}, facts.by_number)
        return FashionState(facts=facts, view=View(focus), material=material, known=known)

    def open_round(self, state: FashionState, text: str) -> FashionState:
        """Notes what the user said."""
        return replace(state, open=FashionRound(focus=state.focus, before=state.known, said=text))

    def _gesture(self, state: FashionState, kind: str, payload: Any) -> FashionState | Refusal:
        now = state.now
        match kind:
            case "simmc.focus":
                search = _name_search(state.material, payload.image)
                try:
                    clicked = self.call(state, search, focus=payload.image)
                except CallError:
                    return Refusal("no_such_image", parameters={"image": payload.image})
                if now.clicked is not None:
                    return Refusal("already_clicked")
                known = show(state.known, {payload.image: "focus"}, state.items)
                return replace(clicked, known=known, open=replace(now, clicked=payload.image))
            case "simmc.specify":
                for each in payload.attributes:
                    if each not in ATTRIBUTES:
                        return Refusal("unknown_attribute", parameters={"attribute": each})
                named = tuple(sorted(set(payload.attributes)))
                return replace(state, open=replace(now, attributes=named))
        if state.focus in state.view.cart:
            return Refusal("in_cart")
        # Pressed twice in a round it is taken back.
        carted = None if now.carted == state.focus else state.focus
        return replace(state, open=replace(now, carted=carted))

    def close_round(self, state: FashionState, text: str) -> FashionState:
        """Notes the answer, and what the user knows by it."""
        now, known = state.now, state.known
        facts = facts_of(state.items[state.focus], now.attributes)
        known = tell(known, state.focus, facts) if facts else known
        if now.carted is not None:
            known = tell(known, now.carted, {IN_CART: True})
            # A click may have brought another image into focus since the button was pressed.
            there = replace(state, view=replace(state.view, focus=now.carted))
            cart = self.call(there, "AddToCart").view.cart
            state = replace(state, view=replace(state.view, cart=cart))
        closed = replace(now, answer=text, after=known)
        return replace(state, known=known, open=None, rounds=(*state.rounds, closed))

    def show(self, state: FashionState, role: str) -> dict[str, Any]:
        """Returns the image in focus; to the assistant all others and the catalogue, too.

        ``basket`` has what is in the cart, ``pressed`` what the assistant did in this round, and
        ``action`` what that is called.
        """
        item = state.items[state.focus]
        basket = [_portray(state.items[each]) for each in state.view.cart]
        if role == "user":
            return {"focus": _portray(item), "basket": basket}
        task, now = state.material.task, state.open
        named = None if now is None else _action_of(now, state.material, 0).action
        return {
            "focus": _describe(item),
            "basket": basket,
            "attributes": list(ATTRIBUTES),
            "memory": [_describe(state.items[each]) for each in task.memory_images],
            "database": [_describe(state.items[each]) for each in task.database_images],
            "pressed": {
                "clicked": None if now is None else now.clicked,
                "attributes": [] if now is None else list(now.attributes),
                "cart": None if now is None else now.carted,
            },
            "action": named,
        }

    def allowed_gestures(self, state: FashionState) -> Iterator[Allowed]:
        """Yields clicks where there was none, and the two buttons."""
        task, now = state.material.task, state.now
        if now.clicked is None:
            images = [*task.memory_images, *task.database_images]
            yield Allowed("simmc.focus", payload_schema(image={"enum": images}))
        names = {"type": "array", "items": {"enum": list(ATTRIBUTES)}, "uniqueItems": True}
        yield Allowed("simmc.specify", payload_schema(attributes=names))
        if state.focus not in state.view.cart:
            yield Allowed("simmc.cart", payload_schema())

    def finish(self, state: FashionState, sitting: Sitting) -> Sequence[Any]:
        """Returns dialogue, API calls, task and opinions; nothing where no round was closed."""
        if not state.rounds:
            return []
        task, number = state.material.task, sitting.number
        turns, actions = [], []
        for place, each in enumerate(state.rounds):
            strokes = [] if each.clicked is None else [{"image_id": each.clicked}]
            turns.append(build_turn("fashion", place, each, _scene(state, place), strokes))
            actions.append(_action_of(each, state.material, place))
        focus_images = [each.focus for each in state.rounds]
        return [
            build_dialogue("fashion", number, turns, state.rounds[-1].after, task.task_id),
            ApiCalls(dialog_id=number, actions=actions, focus_images=focus_images),
            task,
            *self.list_opinions(state, sitting),
        ]


def _portray(item: Item) -> dict[str, Any]:
    return {"image": item.number, **item.portrait()}


def _describe(item: Item) -> dict[str, Any]:
    return {**_portray(item), "facts": item.facts}


def _scene(state: FashionState, place: int) -> dict[str, Any]:
    """Returns what is in view at a round, as released.

    From the third turn on, released scenes are empty where the image is that of the turn before:
    974 of 991 such turns in the public devtest file. What was in view is in the API calls.
    """
    each = state.rounds[place]
    if place > 1 and state.rounds[place - 1].focus == each.focus:
        return {}
    return scene_of(each.before, {each.focus: "focus"}, state.items)


SCENARIO = Fashion()
