"""Small shops to try the rules with: short to write, and every number in them is known."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from commonground.corpora.simmc.native.simmc1 import ApiCalls, Dialogue1, Task
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.simmc.fashion import material as fashion
from commonground.play.scenarios.simmc.fashion import rules as fashion_rules
from commonground.play.scenarios.simmc.furniture import material as furniture
from commonground.play.scenarios.simmc.furniture import rules as furniture_rules
from commonground.play.scenarios.simmc.furniture.rules import FurnitureState
from commonground.play.scenarios.simmc.game.talk import ShopGame, ShopState
from commonground.play.scenarios.simmc.shop.catalogues import COLUMNS
from commonground.play.scenarios.simmc.shop.items import Item, look_of_fashion
from commonground.play.scenarios.simmc.shop.items import look_of_furniture as look_of_row

S = TypeVar("S", bound=ShopState[Any])
GRADE: dict[str, Any] = {"grade": 4, "text": "so quick"}


def make_clothes(number: int, kind: str = "coat", color: str = "red") -> Item:
    facts: dict[str, Any] = {
        "type": kind,
        "price": f"${number}",
        "brand": "Pale Kite",
        "customerRating": "3.50",
        "availableSizes": ["S", "M"],
        "color": [color],
        "pattern": [],
        "size": [],
        "embellishments": ["beaded"],
    }
    pictures = {"front": f"{number}.png"}
    return Item(number, kind, facts, look_of_fashion(facts), pictures, f"u{number}")


def clothes() -> fashion.FashionMaterial:
    """One coat in focus (1), three skirts in memory (2 to 4), six dresses to be found (5 to 10)."""
    kinds = ["coat", *["skirt"] * 3, *["dress"] * 6]
    items = tuple(make_clothes(n, kind) for n, kind in enumerate(kinds, 1))
    task = Task(
        task_id=77,
        image_ids=list(range(1, 11)),
        focus_image=1,
        memory_images=[2, 3, 4],
        database_images=list(range(5, 11)),
    )
    return fashion.FashionMaterial(task, items)


def make_sofa(number: int, price: str, color: str = "White") -> Item:
    facts = dict.fromkeys(COLUMNS, "") | {
        "class_name": "Sofas",
        "sale_price": price,
        "obj": f"{number}.zip",
        "x_dim": "70",
        "y_dim": "30",
        "z_dim": "31",
        "color": f"['{color}']",
        "material": "Oak",
        "decor_style": "['Modern']",
        "intended_room": "['Study']",
    }
    return Item(number, "Sofas", facts, look_of_row(facts), {"front": f"{number}.png"})


def sofas() -> furniture.FurnitureMaterial:
    """Seven sofas, 11 to 17, from $110 to $170; the last two are black."""
    colors = ["White"] * 5 + ["Black"] * 2
    return furniture.FurnitureMaterial(
        tuple(make_sofa(n, f"{n}0.0", color) for n, color in enumerate(colors, 11))
    )


class Course(Generic[S]):
    """A talk under way; each act comes a second after the one before."""

    def __init__(self, game: ShopGame[S, Any], state: S) -> None:
        self.game = game
        self.state = state
        self.now_us = 1_700_000_000_000_000

    def act(self, role: str | None, kind: str, round_nr: int | None = None, **payload: Any) -> str:
        """Tries an act; returns the code of its refusal, or an empty text."""
        self.now_us += 1_000_000
        result = self.game.apply(self.state, Act(kind, role, payload, self.now_us, round_nr))
        if isinstance(result, Refusal):
            return result.code
        self.state = result
        return ""

    def ask(self, text: str = "hello") -> str:
        return self.act("user", "chat.message", text=text)

    def do(self, kind: str, **payload: Any) -> str:
        return self.act("assistant", f"simmc.{kind}", **payload)

    def answer(self, text: str = "sure") -> str:
        return self.act("assistant", "chat.message", text=text)

    def round(self, *gestures: tuple[str, dict[str, Any]], answer: str = "sure") -> None:
        """Holds a round with what the assistant does in it."""
        assert self.ask() == ""
        for kind, payload in gestures:
            assert self.do(kind, **payload) == "", kind
        assert self.answer(answer) == ""

    def end(self) -> None:
        assert self.act("user", "simmc.done") == ""
        for role in self.game.roles:
            assert self.act(role, "simmc.survey", **GRADE) == ""

    def view(self, role: str) -> dict[str, Any]:
        return self.game.view(self.state, role)

    def allowed(self, role: str) -> set[str]:
        return {each.type for each in self.game.allowed(self.state, role)}

    def records(self) -> list[Any]:
        return list(self.game.finish(self.state, Sitting(5, {"user": 8, "assistant": 9})))

    def dialogue(self) -> Dialogue1:
        found: Dialogue1 = next(each for each in self.records() if isinstance(each, Dialogue1))
        return found

    def calls(self) -> ApiCalls:
        found: ApiCalls = next(each for each in self.records() if isinstance(each, ApiCalls))
        return found

    def actions(self) -> list[str]:
        return [each.action for each in self.calls().actions]


def fashion_course() -> Course[fashion_rules.FashionState]:
    game = fashion_rules.SCENARIO
    return Course(game, game.start(clothes(), 1))


def furniture_course() -> Course[FurnitureState]:
    game = furniture_rules.SCENARIO
    return Course(game, game.start(sofas(), 1))
