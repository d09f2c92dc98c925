"""Scripted users and assistants of the fashion game."""

from __future__ import annotations

from typing import Any

from commonground.play.player import Move
from commonground.play.scenarios.simmc.fashion.material import FashionMaterial
from commonground.play.scenarios.simmc.players.language import PhraseTemplate, guess, understand
from commonground.play.scenarios.simmc.players.speakers import Assistant, User, make_kinds
from commonground.play.scenarios.simmc.shop.invented import load_words
from commonground.play.scenarios.simmc.shop.items import Item, list_cell

ASKED = ("price", "brand", "customerRating")

_TOPICS = ("ask", "ask", "check", "want", "want", "recall", "taste")
_ABOUT_IT = ("ask", "check", "taste", "compare", "buy")
"""Topics that are about what is in focus."""

_BUYS = 0.8
"""Share of users who buy something."""


class _FashionUser(User):
    def __init__(self, material: FashionMaterial, seed: int) -> None:
        super().__init__(seed)
        self._looks = {each.number: each for each in material.items}
        self._remembered = material.task.memory_images
        self._colors = sorted({each.color for each in material.items} - {""}) or ["plain"]
        self._kinds = sorted({each.kind for each in material.items})
        self._now: Item = material.items[0]
        self._before: Item | None = None
        self._replaced: set[int] = set()

    def make_plan(self) -> list[str]:
        """Draws one to six topics, a comparison, and whether to buy."""
        first = self._rng.choice(("ask", "check", "want"))
        topics = self._rng.sample(_TOPICS, self._rng.randint(0, 5))
        return [first, *topics, "compare", *(["buy"] if self._rng.random() < _BUYS else [])]

    def look(self, view: dict[str, Any]) -> None:
        """Sees which image is in focus, and remembers the one before."""
        seen = self._looks[view["focus"]["image"]]
        if view["round"] > 1 and seen is not self._now:
            self._before = self._now
        self._now = seen

    def speak(self, topic: str) -> str | None:
        """Returns what to say of a topic; of what was rejected, nothing more is said."""
        if topic in _ABOUT_IT and self._now.number in self._rejected:
            if self._now.number in self._replaced:
                return None  # another one was asked for, and none came
            self._replaced.add(self._now.number)
            self.put_off(topic)
            topic = "want"
        it = {"attentionOn": self._rng.choice(("this", "this one", f"this {self._now.kind}"))}
        match topic:
            case "ask":
                return self._phrase(f"ask.{self._rng.choice(ASKED)}", it).text
            case "check":
                sizes = load_words().fashion.sizes
                return self._phrase("check", {**it, "check": self._rng.choice(sizes)}).text
            case "want":
                wish = {
                    "color": self._rng.choice(self._colors),
                    "type": self._rng.choice(self._kinds),
                }
                return self._phrase("want", wish).text
            case "taste":
                return self._judge(self._now.number, it)
            case "buy":
                return self._phrase("buy", it).text
            case "compare":
                return self._compare(it)
        others = [each for each in self._remembered if each != self._now.number]
        if not others:
            return None
        wanted = self._looks[self._rng.choice(others)]
        return self._phrase("recall", {"color": _color(wanted), "type": wanted.kind}).text

    def _compare(self, it: dict[str, str]) -> str | None:
        if self._before is None or self._before.number in self._rejected:
            return None
        return self._phrase("compare", {**it, "other": _color(self._before)}).text


def _color(item: Item) -> str:
    return item.color or "plain"


class _FashionAssistant(Assistant):
    """An assistant who sells clothes; it goes by what its view shows of the catalogue."""

    def __init__(self, material: FashionMaterial, seed: int) -> None:
        super().__init__(seed)
        self._items = {each.number: each for each in material.items}
        self._shown: list[int] = []

    def answer(self, heard: str, view: dict[str, Any]) -> list[Move]:
        focus: int = view["focus"]["image"]
        if focus not in self._shown[-1:]:
            self._shown.append(focus)
        said = understand("user", heard)
        key = said.key if said else guess(heard)
        kind, _, asked = key.partition(".")
        match kind:
            case "ask":
                return self._tell(focus, asked)
            case "check":
                return self._check(focus, said)
            case "want" | "recall":
                images = "memory" if kind == "recall" and view["memory"] else "database"
                return self._bring(kind, [each["image"] for each in view[images]], focus, said)
            case "compare":
                return [self._compare(focus)]
            case "buy":
                there = focus in view["cart"]
                return [*([] if there else [self._do("simmc.cart")]), self._reply("bought")]
        return [self._reply(_REPLIES.get(kind, "lost"))]

    def _tell(self, focus: int, asked: str) -> list[Move]:
        fact = self._items[focus].facts.get(asked)
        if not isinstance(fact, str):
            return [self._reply("lost")]
        pressed = self._do("simmc.specify", attributes=[asked])
        return [pressed, self._reply(f"tell.{asked}", {asked: fact})]

    def _check(self, focus: int, said: PhraseTemplate | None) -> list[Move]:
        sizes = self._items[focus].facts["availableSizes"]
        sizes = sizes if isinstance(sizes, list) else list_cell(sizes)
        wanted = said.words("check") if said else ", ".join(sizes) or "a size"
        there = bool(sizes) and (said is None or wanted.upper() in sizes)
        pressed = self._do("simmc.specify", attributes=["availableSizes"])
        return [pressed, self._reply("check.yes" if there else "check.no", {"check": wanted})]

    def _bring(
        self, kind: str, images: list[int], focus: int, said: PhraseTemplate | None
    ) -> list[Move]:
        """Brings what fits best into focus: the right kind first, then the right colour."""
        others = [self._items[each] for each in images if each != focus]
        if not others:
            return [self._reply("offer.more")]
        wish = (said.words("type"), said.words("color")) if said else ("", "")
        # The kind counts for more than the colour: 3 for both, 2, 1 or 0.
        best = max(others, key=lambda each: (each.kind == wish[0]) * 2 + (each.color == wish[1]))
        fits = said is None or (best.kind, _color(best)) == wish
        reply = "recalled" if kind == "recall" and fits else "offer" if fits else "offer.other"
        words = {"color": _color(best), "type": best.kind}
        return [self._do("simmc.focus", image=best.number), self._reply(reply, words)]

    def _compare(self, focus: int) -> Move:
        before = next((each for each in reversed(self._shown) if each != focus), None)
        if before is None:
            return self._reply("lost")
        prices = {"price": self._items[focus].price, "price2": self._items[before].price}
        return self._reply("compared", prices)


_REPLIES = {"like": "offer.cart", "dislike": "offer.more", "more": "offer.more", "bye": "bye.too"}


PLAYER = make_kinds(
    "fashion",
    "Asks for clothes, or shows and sells them, with ready phrases.",
    _FashionUser,
    _FashionAssistant,
)
