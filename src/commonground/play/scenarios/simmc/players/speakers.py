"""What scripted users and assistants of both games have in common: pace, turns and the survey.

They know what their views tell them, each other's phrases, and how the things look that they see.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

from commonground.errors import UsageError
from commonground.play.player import Moment, Move, PlayerKind, Seat, Wait
from commonground.play.scenario import CHAT
from commonground.play.scenarios.simmc.game.talk import Role
from commonground.play.scenarios.simmc.players.language import (
    PhraseTemplate,
    load_phrases,
    say,
    surround,
)
from commonground.play.scenarios.simmc.players.released import ReleasedWords
from commonground.play.scenarios.simmc.shop.items import Domain
from commonground.play.sessions.session_logs import BorrowedWords


class ShopSpeaker(ABC):
    """One side of a talk, the same person for the same seed.

    See :class:`~commonground.play.player.Player`.
    """

    def __init__(self, role: Role, seed: int) -> None:
        self._role: Role = role
        habits = Random(f"{seed}:habits")
        # 36 to 72 words a minute, of five characters each.
        self._characters_per_s = 3.0 + 3.0 * habits.random()
        # Factor of all other times; drawn on the log scale, it is never 0 or less.
        self._pace = math.exp(habits.gauss(-0.1, 0.4))
        self._rng = Random(0)

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Goes on with what it was about to do, waits for its turn, or decides."""
        self._rng, view = rng, moment.view
        if isinstance(moment.pending, Move):
            return moment.pending  # nothing that others do in its turn changes its mind
        if view["phase"] == "survey" and not view["answered"]:
            # Invented: most people are content, and readers of the file must meet every grade.
            grade = self._rng.choices((5, 4, 3, 2, 1), (50, 30, 12, 5, 3))[0]
            text = self._rng.choice(load_phrases().survey["comments"])
            payload = {"grade": grade, "text": text}
            return Move("simmc.survey", payload, self._after(4.0, 6.0) + self._typing(text))
        if not view["yours"]:
            return Wait()
        return self.take_turn(moment)

    @abstractmethod
    def take_turn(self, moment: Moment) -> Move:
        """Returns what to do next in its turn."""

    def _phrase(self, key: str, words: dict[str, str] | None = None) -> PhraseTemplate:
        return say(self._rng, self._role, key, words)

    def _reply(self, key: str, words: dict[str, str] | None = None) -> Move:
        return self._say(self._phrase(key, words).text)

    def _say(self, text: str, act: str = CHAT) -> Move:
        return Move(act, {"text": text}, self._after(1.5, 3.0) + self._typing(text))

    def _do(self, act: str, **payload: Any) -> Move:
        return Move(act, payload, self._after(1.0, 2.5))

    def _typing(self, text: str) -> float:
        return len(text) / self._characters_per_s

    def _after(self, least_s: float, more_s: float) -> float:
        """Draws seconds: a least time, and a time that varies, of this mean."""
        # Times between acts have a long tail, and nobody is to be away for minutes.
        return self._pace * (least_s + min(self._rng.expovariate(1 / more_s), 40.0))


class User(ShopSpeaker):
    """A user who has a plan: topics to speak of, one a turn, the last of them a farewell.

    Attributes:
        words: of a person of a released dialogue, which go before the plan; None to go by that.
    """

    def __init__(self, seed: int) -> None:
        super().__init__("user", seed)
        self.words: ReleasedWords | None = None
        self._plan: list[str] | None = None
        self._is_first = True
        self._used: set[str] = set()
        self._rejected: set[int] = set()
        self._parted = False

    @property
    def borrowed(self) -> BorrowedWords | None:
        """What was said in the words of a person; None where it goes by its plan alone."""
        return None if self.words is None else self.words.borrowed

    @abstractmethod
    def make_plan(self) -> list[str]:
        """Returns the topics to speak of, in order."""

    @abstractmethod
    def look(self, view: dict[str, Any]) -> None:
        """Takes in what is shown at the beginning of a turn."""

    @abstractmethod
    def speak(self, topic: str) -> str | None:
        """Returns what to say of a topic; None where there is nothing to say of it now."""

    def _phrase(self, key: str, words: dict[str, str] | None = None) -> PhraseTemplate:
        plain = super()._phrase(key, words)
        return surround(self._rng, plain, first=self._is_first, used=self._used)

    def _judge(self, item: int, words: dict[str, str]) -> str:
        """Says whether it likes a thing; of one that it does not like it speaks no more."""
        if self._rng.random() < 0.6:
            return self._phrase("like", words).text
        self._rejected.add(item)
        return self._phrase("dislike", words).text

    def put_off(self, topic: str) -> None:
        """Keeps a topic for the next turn."""
        self._plan = [topic, *(self._plan or [])]

    def take_turn(self, moment: Moment) -> Move:
        """Speaks of the next topic that there is something to say of."""
        view = moment.view
        self.look(view)
        self._is_first = view["round"] == 1
        if self.words is not None and (text := self.words.take_next(view)) is not None:
            parts = self.words.is_last and view["cart"]
            return self._say(text, "simmc.goodbye" if parts else CHAT)
        if self.words is not None and self.words.is_through:
            return self._do("simmc.done")
        if self._plan is None:
            self._plan = self.make_plan()
        while self._plan:
            text = self.speak(self._plan.pop(0))
            if text is not None:
                return self._say(text)
        if self._parted and view["round"] > 1:
            return self._do("simmc.done")
        self._parted = True
        text = self._phrase("bye").text
        return self._say(text, "simmc.goodbye" if view["cart"] else CHAT)


class Assistant(ShopSpeaker):
    """An assistant who answers what was said last, with what it does before it speaks."""

    def __init__(self, seed: int) -> None:
        super().__init__("assistant", seed)
        self._round = 0
        self._queue: list[Move] = []

    @abstractmethod
    def answer(self, heard: str, view: dict[str, Any]) -> list[Move]:
        """Returns what to do and, last, what to say to a text of the user."""

    def take_turn(self, moment: Moment) -> Move:
        """Does the next thing of its answer."""
        view = moment.view
        if view["round"] != self._round or not self._queue or moment.refusal is not None:
            self._round = view["round"]
            heard = next(each["text"] for each in reversed(view["chat"]) if each["role"] == "user")
            answer = self.answer(heard, view)
            # What it wanted to do before is refused: then it says only what it has to say.
            self._queue = answer[-1:] if moment.refusal is not None else answer
        return self._queue.pop(0)


def make_kinds(
    domain: Domain,
    title: str,
    user: Callable[[Any, int], User],
    assistant: Callable[[Any, int], Assistant],
) -> tuple[PlayerKind, PlayerKind]:
    """Returns the scripted players of a game, and users who first speak in a person's words.

    Args:
        title: what the scripted players do.
        user: makes one, of the material and a seed; likewise ``assistant``.
    """

    def enter(seat: Seat) -> ShopSpeaker:
        return (user if seat.role == "user" else assistant)(seat.material, seat.seed)

    def enter_released(seat: Seat) -> ShopSpeaker:
        speaker = enter(seat)
        if not isinstance(speaker, User):
            raise UsageError("Only users say what people of released dialogues said.")
        speaker.words = ReleasedWords(domain, seat.material.items, seat.seed)
        return speaker

    released = "Says what a user of your import of SIMMC said, as long as it fits; then: script."
    return PlayerKind("script", title, enter), PlayerKind("released", released, enter_released)
