"""Simulated furniture dialogues: a row of up to three things, or one in focus."""

from __future__ import annotations

import json
import random
from typing import Any

from commonground.corpora.simmc.native import ApiCall, ApiCalls, Carousel, Dialogue1
from commonground.corpora.simmc.staging import Move, Plan, Stage, priced
from commonground.corpora.simmc.wording import say
from commonground.corpora.simmc.world import Shop

THING = "FURNITURE"
PLACES = ("left", "center", "right")
SIDES = {"right": "right", "left": "left", "back": "back", "front": "front", "top": "up"}
SEARCH = {"material": "", "decorStyle": "", "intendedRoom": "", "minPrice": -1, "maxPrice": -1}


def talk_furniture(rng: random.Random, shop: Shop, number: int) -> tuple[Dialogue1, ApiCalls]:
    """Simulates a dialogue of five to twelve turns and its API calls."""
    talk = _Talk(rng, shop, number)
    talk.need()
    talk.refine()
    talk.ask()
    talk.browse()
    for move in rng.sample([talk.focus, talk.rotate, talk.ask, talk.ask, talk.taste], 3):
        move()
    if rng.random() < 0.8:
        talk.focus()
        talk.buy()
    talk.part()
    return talk.stage.finish(None), talk.stage.actions(None)


class _Talk:
    """A dialogue under way."""

    def __init__(self, rng: random.Random, shop: Shop, number: int) -> None:
        self.rng = rng
        self.stage = Stage(shop, number)
        self.shop = shop
        self.wanted = rng.choice(shop.items)
        self.found: list[int] = []
        self.row: list[int] = []
        self.near: int | None = None

    def _state(self) -> Carousel:
        row: list[str | int] = [str(number) for number in self.row]
        return Carousel(focus=None if self.near is None else str(self.near), carousel=row)

    def _view(self) -> dict[int, str]:
        if self.near is not None:
            return {self.near: "focus"}
        return dict(zip(self.row, PLACES, strict=False))

    def _write(self, move: Move, row: list[int] | None = None, near: int | None = None) -> None:
        """Writes a move whose call says what was in view before and is after it."""
        call = move.call
        call.carousel_state = self._state()
        if row is not None or near is not None:
            self.row = self.row if row is None else row
            self.near = near
            call.action_output_state = self._state()
            move.strokes = _strokes(call, self._state())
            self.stage.write(move, self._view())
        else:
            call.action_output_state = None
            self.stage.write(move)
        call.final_carousel_state = self._state()

    def _call(self, name: str, given: dict[str, Any] | None = None) -> ApiCall:
        supervision = {"api": name, "args": given, "previousState": None, "nextState": None}
        turn = len(self.stage.turns)
        return ApiCall(turn_idx=turn, action=name, action_supervision=supervision)

    def _pick(self) -> tuple[int, str, str]:
        """Returns something in view, its place, and what a person calls it."""
        if self.near is not None:
            return self.near, "focus", self.rng.choice(("this", "this one"))
        place = self.rng.randrange(len(self.row))
        return self.row[place], PLACES[place], f"the {PLACES[place]} one"

    def need(self) -> None:
        """Says what is needed; the assistant asks for a colour."""
        words = {"furnitureType": self.wanted.kind.lower()}
        move = Move(
            said=say(self.rng, "need", words),
            plan=Plan(f"DA:REQUEST:GET:{THING}", (), ("furnitureType",)),
            answer=say(self.rng, "which.color"),
            answer_plan=Plan(f"DA:PROMPT:REFINE:{THING}.color"),
            call=self._call("None"),
        )
        self._write(move)

    def refine(self) -> None:
        """Names a colour; the assistant searches and shows a row."""
        kind, color = self.wanted.kind, self.wanted.color
        same = [item for item in self.shop.items if item.kind == kind]
        same.sort(key=lambda item: item.color != color)
        self.found = [item.number for item in same]
        move = Move(
            said=say(self.rng, "refine", {"color": color}),
            plan=Plan(f"DA:INFORM:REFINE:{THING}.color", (), ("color",)),
            answer=say(self.rng, "row", {"furnitureType": kind.lower()}),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}", (), ("furnitureType",)),
            call=self._call("SearchFurniture", {"furnitureType": kind, "color": color, **SEARCH}),
        )
        self._write(move, self.found[:3])

    def browse(self) -> None:
        """Asks for more of the kind."""
        more = self.found[3:6]
        if not more:
            return
        move = Move(
            said=say(self.rng, "more"),
            plan=Plan(f"DA:REQUEST:GET:{THING}"),
            answer=say(self.rng, "moved"),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}"),
            call=self._call("NavigateCarousel", {"navigate_direction": "Next"}),
        )
        self._write(move, more)

    def focus(self) -> None:
        """Asks for a closer look at something in the row."""
        if self.near is not None:
            return
        item, place, words = self._pick()
        move = Move(
            said=say(self.rng, "focus", {"attentionOn": words}),
            plan=Plan(f"DA:REQUEST:GET:{THING}", (item,), ("attentionOn",)),
            answer=say(self.rng, "focused"),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}", (item,)),
            call=self._call("FocusOnFurniture", {"position": place}),
        )
        self._write(move, near=item)

    def rotate(self) -> None:
        """Asks to see another side of what is in focus."""
        if self.near is None:
            return
        side = self.rng.choice(tuple(SIDES))
        said = say(self.rng, "rotate", {"attentionOn": "it", "rotateTo": side})
        move = Move(
            said=said,
            plan=Plan(f"DA:REQUEST:ROTATE:{THING}", (self.near,), ("rotateTo",)),
            answer=say(self.rng, "rotated"),
            answer_plan=Plan(f"DA:CONFIRM:ROTATE:{THING}", (self.near,)),
            call=self._call("Rotate", {"direction": SIDES[side]}),
        )
        self._write(move, near=self.near)

    def ask(self) -> None:
        """Asks for price, material or size of something in view."""
        item, place, words = self._pick()
        what = self.rng.choice(("price", "material", "dimensions"))
        told = self._told(item, what)
        move = Move(
            said=say(self.rng, f"ask.{what}", {"attentionOn": words}),
            plan=Plan(f"DA:ASK:GET:{THING}.{what}", (item,), ("attentionOn",)),
            answer=say(self.rng, f"tell.{what}", told),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}.{what}", (item,), tuple(told)),
            call=self._call("SpecifyInfo", {"furniture_id": place, "matches": what}),
            told={item: told},
        )
        self._write(move)

    def _told(self, number: int, what: str) -> dict[str, str]:
        item = self.shop.item(number)
        if what == "price":
            return {"price": priced(item)}
        if what == "material":
            return {"material": item.facts["material"].lower()}
        sides = zip(("width", "depth", "height"), ("x_dim", "y_dim", "z_dim"), strict=True)
        return {word: f"{item.facts[column]} inches" for word, column in sides}

    def taste(self) -> None:
        """Says how something in view pleases."""
        item, _, words = self._pick()
        likes = self.rng.random() < 0.6
        act = "PREFER" if likes else "DISPREFER"
        move = Move(
            said=say(self.rng, "like" if likes else "dislike", {"attentionOn": words}),
            plan=Plan(f"DA:INFORM:{act}:{THING}", (item,), ("attentionOn",)),
            answer=say(self.rng, "offer.cart" if likes else "offer.more"),
            answer_plan=Plan(f"DA:PROMPT:{'ADD_TO_CART' if likes else 'GET'}:{THING}"),
            call=self._call("None"),
            likes=item if likes else None,
        )
        self._write(move)

    def buy(self) -> None:
        """Buys something in view."""
        item, place, words = self._pick()
        move = Move(
            said=say(self.rng, "buy", {"attentionOn": words}),
            plan=Plan(f"DA:REQUEST:ADD_TO_CART:{THING}", (item,), ("attentionOn",)),
            answer=say(self.rng, "bought"),
            answer_plan=Plan(f"DA:CONFIRM:ADD_TO_CART:{THING}", (item,)),
            call=self._call("AddToCart", {"furniture_id": place}),
        )
        self._write(move)

    def part(self) -> None:
        """Says good-bye."""
        move = Move(
            said=say(self.rng, "bye"),
            plan=Plan("ERR:CHITCHAT"),
            answer=say(self.rng, "bye.too"),
            answer_plan=Plan("ERR:CHITCHAT"),
            call=self._call("None"),
        )
        self._write(move)


def _strokes(call: ApiCall, after: Carousel) -> list[Any]:
    """Returns the raw keystrokes of an action, which are JSON texts, the last one a share."""
    state = {"sharedPrefabInFocus": after.focus or "", "sharedPrefabsInCarousel": after.carousel}
    given = (call.action_supervision or {}).get("args")
    stroke = {"actionName": call.action, "actionMetadata": given, "nextState": state}
    return [json.dumps(stroke), json.dumps({"actionName": "Share", "nextState": state})]
