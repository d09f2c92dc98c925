"""Scripted users and assistants of the furniture game."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from commonground.play.player import Move
from commonground.play.scenarios.simmc.furniture.material import FurnitureMaterial
from commonground.play.scenarios.simmc.players.language import guess, understand
from commonground.play.scenarios.simmc.players.speakers import Assistant, User, make_kinds

ASKED = ("price", "material", "dimensions")
SIDES = {"right": "right", "left": "left", "back": "back", "front": "front", "top": "up"}
"""What people call the sides of a thing."""

_BUYS = 0.8
"""Share of users who buy something."""


class _FurnitureUser(User):
    def __init__(self, material: FurnitureMaterial, seed: int) -> None:
        super().__init__(seed)
        self._kinds = sorted({each.kind for each in material.items})
        self._scene: list[dict[str, Any]] = []
        self._colors = sorted({each.color for each in material.items} - {""})

    def make_plan(self) -> list[str]:
        topics = ["focus", "rotate", "ask", "ask", "taste", "back", "more", "refine"]
        some = self._rng.sample(topics, 3)
        buys = ["focus", "buy"] if self._rng.random() < _BUYS else []
        # Others may have spoken in this seat before, and things are in view.
        opens = [] if self._scene else ["need", "refine"]
        return [*opens, "ask", "more", *some, *buys]

    def look(self, view: dict[str, Any]) -> None:
        """Remembers what of the scene may be talked about: not what was rejected."""
        self._scene = [each for each in view["scene"] if each["item"] not in self._rejected]

    def speak(self, topic: str) -> str | None:
        scene, rng = self._scene, self._rng
        match topic:
            case "need":
                return self._phrase("need", {"furnitureType": rng.choice(self._kinds).lower()}).text
            case "refine":
                return self._phrase("refine", {"color": rng.choice(self._colors)}).text
        if not scene:
            return None
        thing = rng.choice(scene)
        in_focus = thing["place"] == "focus"
        words = {"attentionOn": self._name(thing)}
        match topic:
            case "ask":
                return self._phrase(f"ask.{rng.choice(ASKED)}", words).text
            case "taste":
                return self._judge(thing["item"], words)
            case "buy":
                return self._phrase("buy", words).text
            case "focus":
                return None if in_focus else self._phrase("focus", words).text
            case "rotate":
                if not in_focus:  # first it must come nearer
                    self.put_off("rotate")
                    return self._phrase("focus", words).text
                turned = {"attentionOn": "it", "rotateTo": rng.choice(tuple(SIDES))}
                return self._phrase("rotate", turned).text
            case "back":
                return self._phrase("back").text if in_focus else None
        return self._phrase("more", {"furnitureType": thing["kind"].lower()}).text

    def _name(self, thing: dict[str, Any]) -> str:
        """Says which thing is meant: by where it is, and perhaps by what it is and its colour."""
        place, colors = thing["place"], thing["look"].get("color") or [""]
        kind = _singular(thing["kind"].lower())
        named = self._rng.choice(("one", "one", kind, f"{colors[0].lower()} {kind}".strip()))
        if place == "focus":
            return self._rng.choice(("this", f"this {named}"))
        if named == "one" and self._rng.random() < 0.5:
            return f"the {place} one"
        return f"the {named} {_WHERE[place]}"


def _singular(kind: str) -> str:
    """Returns the name of one thing of a kind: ``sofas`` are many."""
    return kind.removesuffix("es") if kind.endswith("ches") else kind.removesuffix("s")


_WHERE = {"left": "on the left", "center": "in the center", "right": "on the right"}


class _FurnitureAssistant(Assistant):
    """An assistant who sells furniture; it goes by its search and the texts that it opens."""

    def __init__(self, material: FurnitureMaterial, seed: int) -> None:
        super().__init__(seed)
        self._items = {each.number: each for each in material.items}
        self._kind = ""

    def answer(self, heard: str, view: dict[str, Any]) -> list[Move]:
        said = understand("user", heard)
        key = said.key if said else guess(heard)
        if said is None and not view["scene"] and _find_kind(heard, view["form"]["types"]):
            key = "need"  # whatever else it sounds like: to buy, or to look at, a sofa
        kind, _, asked = key.partition(".")
        focus = view["screen"]["focus"]
        match kind:
            case "need" | "want":
                before, self._kind = (
                    self._kind,
                    _find_kind(heard, view["form"]["types"]) or self._kind,
                )
                if color := self._wants(heard, view):
                    return self._search(color, view)
                if self._kind != before or not self._kind:
                    return [self._reply("which.color" if self._kind else "lost")]
            case "refine":
                return self._search(said.words("color") if said else "", view)
            case "more":
                return self._go_on(view)
            case "back" if focus:
                return [self._do("simmc.unfocus"), *self._show("row.again")]
            case "rotate" if focus:
                side = SIDES.get(said.words("rotateTo") if said else "back", "back")
                return [self._do("simmc.rotate", direction=side), *self._show("rotated")]
            case "focus" | "ask" | "buy" if view["scene"]:
                return self._serve(kind, asked, _pick(heard, view["scene"]), view)
        if self._wants(heard, view):  # a colour, said in other words
            return self._search(self._wants(heard, view), view)
        if self._kind and not view["results"]["found"] and kind != "bye":
            return self._search("", view)  # whatever was answered, a colour is not what matters
        return [self._reply(_REPLIES.get(kind, "lost"))]

    def _show(self, key: str, words: dict[str, str] | None = None) -> list[Move]:
        return [self._do("simmc.share"), self._reply(key, words)]

    def _wants(self, heard: str, view: dict[str, Any]) -> str:
        colors = view["form"]["colors"] if self._kind else []
        return next((each for each in colors if each.lower() in heard.lower()), "")

    def _search(self, color: str, view: dict[str, Any]) -> list[Move]:
        """Searches for the colour, and for any where the type does not come in it."""
        kind = self._kind or next(iter(view["form"]["types"]))
        there = any(each.kind == kind and _is(each.color, color) for each in self._items.values())
        listed = next((each for each in view["form"]["colors"] if _is(each, color)), None)
        query = {"furnitureType": kind, **({"color": listed} if there and listed else {})}
        found = {"furnitureType": kind.lower()}
        return [self._do("simmc.search", **query), *self._show("row", found)]

    def _go_on(self, view: dict[str, Any]) -> list[Move]:
        """Shows the next three, or the first again where these were the last."""
        found, at = view["results"]["found"], view["results"]["at"]
        if at + 3 < found:
            return [self._do("simmc.next"), *self._show("moved")]
        if not found or not self._kind:
            return [self._reply("lost" if not found else "no.more")]
        kind = {"furnitureType": self._kind}
        if found < 3:  # the colour was too narrow
            words = {"furnitureType": self._kind.lower()}
            return [self._do("simmc.search", **kind), *self._show("row", words)]
        return [self._reply("no.more")]

    def _serve(
        self, kind: str, asked: str, thing: dict[str, Any], view: dict[str, Any]
    ) -> list[Move]:
        """Brings a thing nearer, tells of it, or puts it into the cart."""
        item = thing["item"]
        match kind:
            case "focus":
                if thing["place"] == "focus":
                    return [self._reply("focused")]
                return [self._do("simmc.focus", item=item), *self._show("focused")]
            case "buy":
                there = item in view["cart"]
                put = [] if there else [self._do("simmc.cart", item=item)]
                return [*put, self._reply("bought")]
        facts = self._list_facts(item, asked)
        if facts is None:
            return [self._reply("lost")]
        read = [] if str(item) in view["screen"]["texts"] else [self._do("simmc.click", item=item)]
        pressed = self._do("simmc.specify", item=item, attributes=[asked])
        return [*read, pressed, self._reply(f"tell.{asked}", facts)]

    def _list_facts(self, number: int, what: str) -> dict[str, str] | None:
        item = self._items[number]
        match what:
            case "price":
                return {"price": item.price}
            case "material":
                return {"material": item.facts["material"].lower()}
            case "dimensions":
                sides = zip(("width", "depth", "height"), ("x_dim", "y_dim", "z_dim"), strict=True)
                return {word: f"{item.facts[column]} inches" for word, column in sides}
        return None


def _find_kind(heard: str, kinds: Collection[str]) -> str:
    """Returns the kind that words name: all of it, or its last word; empty for none."""
    words = re.sub(r"\W", "", heard.lower())
    names = {re.sub(r"\W", "", each.lower()).removesuffix("s"): each for each in kinds}
    names |= {each.lower().split()[-1].removesuffix("s"): each for each in reversed([*kinds])}
    return next((kind for name, kind in names.items() if name in words), "")


def _is(color: str, wanted: str) -> bool:
    return color.lower() == wanted.lower()


def _pick(heard: str, scene: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the thing that words point at; the first in view where they do not say."""
    words = [_PLACES.get(each, each) for each in re.findall(r"\w+", heard.lower())]
    return next((each for each in scene if each["place"] in words), scene[0])


_PLACES = {"first": "left", "middle": "center", "second": "center", "third": "right"}
_REPLIES = {"like": "offer.cart", "dislike": "offer.more", "bye": "bye.too"}


PLAYER = make_kinds(
    "furniture",
    "Asks for furniture, or finds, shows and sells it, with ready phrases.",
    _FurnitureUser,
    _FurnitureAssistant,
)
