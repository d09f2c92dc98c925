"""A game to try the rules with: short to write, and played to its end where a test needs that."""

from __future__ import annotations

from functools import cache
from typing import Any

from commonground.corpora.photobook.native import Game
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.photobook.material import PhotobookMaterial, invent_material
from commonground.play.scenarios.photobook.rules import SCENARIO, PhotobookState

GRADES: dict[str, Any] = {"col": 5, "partner_u": 4, "self_u": 3, "text": "so much fun"}


@cache
def material() -> PhotobookMaterial:
    """Material of schedule I."""
    return invent_material(1, 3)[0]


class Course:
    """A game under way; each act comes a second after the one before."""

    def __init__(self, seed: int = 1) -> None:
        self.state: PhotobookState = SCENARIO.start(material(), seed)
        self.now_us = 1_700_000_000_000_000
        self.accepted: list[Act] = []

    def act(self, role: str | None, kind: str, round_nr: int | None = None, **payload: Any) -> str:
        """Tries an act; returns the code of its refusal, or an empty text."""
        self.now_us += 1_000_000
        act = Act(kind, role, payload, self.now_us, round_nr)
        result = SCENARIO.apply(self.state, act)
        if isinstance(result, Refusal):
            return result.code
        self.state = result
        self.accepted.append(act)
        return ""

    def say(self, role: str, text: str) -> str:
        return self.act(role, "chat.message", text=text)

    def mark(self, role: str, image: str, label: str) -> str:
        return self.act(role, "photobook.mark", image=image, label=label)

    def mark_all(self, role: str, *, wrong: int = 0) -> None:
        """Marks the three images, so many of them wrongly."""
        other = {"common": "different", "different": "common"}
        for number, (image, label) in enumerate(self.state.goal(role).items()):
            assert self.mark(role, image, other[label] if number < wrong else label) == ""

    def review(self) -> None:
        """Plays a page until both see what was right."""
        self.say("A", f"the dog on page {self.state.round}?")
        self.say("B", "yes, I have it")
        self.say("A", "and that is all")
        for role in "AB":
            self.mark_all(role)
            assert self.act(role, "photobook.submit") == ""

    def turn(self) -> None:
        """Plays a page to its end."""
        self.review()
        for role in "AB":
            assert self.act(role, "photobook.next") == ""

    def play_to_the_end(self) -> Course:
        """Plays all pages and answers, without anything that the reader could remark on."""
        for _ in range(4):
            self.turn()
        self.review()
        for role in "AB":
            assert self.act(role, "photobook.questionnaire", **GRADES) == ""
        return self

    def log(self) -> Game:
        """Returns the released form, as game 0 of agents 1 and 2."""
        (game,) = SCENARIO.finish(self.state, Sitting(0, {"A": 1, "B": 2}))
        return game
