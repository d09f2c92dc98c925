"""Simulated fashion dialogues: one image in focus, others in memory or to be found."""

from __future__ import annotations

import random
from typing import Any

from commonground.corpora.simmc.native import ApiCall, ApiCalls, Dialogue1, Task
from commonground.corpora.simmc.staging import Move, Plan, Stage, priced
from commonground.corpora.simmc.wording import say
from commonground.corpora.simmc.world import SIZES, Item, Shop

THING = "CLOTHING"
ASKED = ("price", "brand", "customerRating")


def talk_fashion(rng: random.Random, shop: Shop, number: int) -> tuple[Dialogue1, ApiCalls]:
    """Simulates a dialogue of three to ten turns and its API calls."""
    task = rng.choice(shop.tasks)
    talk = _Talk(rng, shop, task, number)
    moves = [talk.ask, talk.ask, talk.check, talk.search, talk.search, talk.recall, talk.taste]
    for move in rng.sample(moves, rng.randint(1, 6)):
        move()
    talk.compare()
    if rng.random() < 0.8:
        talk.buy()
    talk.part()
    return talk.stage.finish(task.task_id), talk.stage.actions(talk.images)


class _Talk:
    """A dialogue under way."""

    def __init__(self, rng: random.Random, shop: Shop, task: Task, number: int) -> None:
        self.rng = rng
        self.shop = shop
        self.task = task
        self.stage = Stage(shop, number)
        self.images: list[int] = []
        self.focus = task.focus_image
        self.before: int | None = None
        self.stage.show({self.focus: "focus"})
        self._shown = False

    @property
    def item(self) -> Item:
        return self.shop.item(self.focus)

    def _call(self, name: str, given: dict[str, Any] | None = None) -> ApiCall:
        turn = len(self.stage.turns)
        return ApiCall(turn_idx=turn, action=name, action_supervision=given)

    def _write(self, move: Move, focus: int | None = None) -> None:
        self.images.append(self.focus)
        blank = self._shown and self.rng.random() < 0.15
        then = None if focus is None else {focus: "focus"}
        self.stage.write(move, then, blank=blank)
        self._shown = focus is None or focus == self.focus
        if focus is not None and focus != self.focus:
            self.before, self.focus = self.focus, focus

    def _it(self) -> str:
        return self.rng.choice(("this", "this one", f"this {self.item.kind}"))

    def ask(self) -> None:
        """Asks for an attribute of what is in focus."""
        what, rng = self.rng.choice(ASKED), self.rng
        told = str(self.item.facts[what])
        move = Move(
            said=say(rng, f"ask.{what}", {"attentionOn": self._it()}),
            plan=Plan(f"DA:ASK:GET:{THING}.{what}", (self.focus,), ("attentionOn",)),
            answer=say(rng, f"tell.{what}", {what: told}),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}.{what}", (self.focus,), (what,)),
            call=self._call("SpecifyInfo", {"attributes": [what]}),
            told={self.focus: {what: told}},
        )
        self._write(move)

    def check(self) -> None:
        """Asks whether a size is to be had."""
        rng, size = self.rng, self.rng.choice(SIZES)
        answer = "check.yes" if size in self.item.facts["availableSizes"] else "check.no"
        act = f"CHECK:{THING}.availableSizes"
        move = Move(
            said=say(rng, "check", {"attentionOn": self._it(), "check": size}),
            plan=Plan(f"DA:ASK:{act}", (self.focus,), ("attentionOn", "check")),
            answer=say(rng, answer, {"check": size}),
            answer_plan=Plan(f"DA:INFORM:{act}", (self.focus,), ("check",)),
            call=self._call("SpecifyInfo", {"attributes": ["availableSizes"]}),
        )
        self._write(move)

    def search(self) -> None:
        """Asks for something else, which the assistant finds."""
        self._bring("want", "offer", "SearchDatabase", self.task.database_images)

    def recall(self) -> None:
        """Asks for something seen on an earlier visit."""
        self._bring("recall", "recalled", "SearchMemory", self.task.memory_images)

    def _bring(self, wish: str, offer: str, name: str, images: list[int]) -> None:
        others = [image for image in images if image != self.focus]
        if not others:
            return
        found = self.shop.item(self.rng.choice(others))
        words = {"color": found.color, "type": found.kind}
        given = {"focus": found.number, "attributes": []}
        move = Move(
            said=say(self.rng, wish, words),
            plan=Plan(f"DA:REQUEST:GET:{THING}", (), ("color", "type")),
            answer=say(self.rng, offer, words),
            answer_plan=Plan(f"DA:INFORM:GET:{THING}", (), ("color", "type")),
            call=self._call(name, given),
            strokes=[{"image_id": found.number}],
        )
        self._write(move, found.number)

    def taste(self) -> None:
        """Says how what is in focus pleases."""
        likes = self.rng.random() < 0.6
        act = "DA:INFORM:PREFER" if likes else "DA:INFORM:DISPREFER"
        prompt = Plan(f"DA:PROMPT:{'ADD_TO_CART' if likes else 'GET'}:{THING}")
        move = Move(
            said=say(self.rng, "like" if likes else "dislike", {"attentionOn": self._it()}),
            plan=Plan(f"{act}:{THING}", (self.focus,), ("attentionOn",)),
            answer=say(self.rng, "offer.cart" if likes else "offer.more"),
            answer_plan=prompt,
            call=self._call("None"),
            likes=self.focus if likes else None,
        )
        self._write(move)

    def compare(self) -> None:
        """Compares prices with what was in focus before, if anything was."""
        if self.before is None:
            return
        other = self.shop.item(self.before)
        prices = {"price": priced(self.item), "price2": priced(other)}
        items = (self.focus, self.before)
        said = say(self.rng, "compare", {"attentionOn": self._it(), "other": other.color})
        move = Move(
            said=said,
            plan=Plan(f"DA:ASK:COMPARE:{THING}.price", items, ("attentionOn",)),
            answer=say(self.rng, "compared", prices),
            answer_plan=Plan(f"DA:INFORM:COMPARE:{THING}.price", items, ("price", "price2")),
            call=self._call("SpecifyInfo", {"attributes": ["price"]}),
            told={self.focus: {"price": prices["price"]}, self.before: {"price": prices["price2"]}},
        )
        self._write(move)

    def buy(self) -> None:
        """Buys what is in focus."""
        move = Move(
            said=say(self.rng, "buy", {"attentionOn": self._it()}),
            plan=Plan(f"DA:REQUEST:ADD_TO_CART:{THING}", (self.focus,), ("attentionOn",)),
            answer=say(self.rng, "bought"),
            answer_plan=Plan(f"DA:CONFIRM:ADD_TO_CART:{THING}", (self.focus,)),
            call=self._call("AddToCart"),
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
