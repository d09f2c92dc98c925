"""A game of PhotoBook without a server: a person, a scripted partner, and the rules.

It runs in the browser, by Pyodide, and takes and gives the messages that the page of a study and
its server exchange (see :mod:`commonground.play.rooms.wire`).
"""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from commonground.play.player import Moment, Move, Seat, Wait
from commonground.play.scenario import CHAT, Act, Refusal, ReleasedFile, Sitting
from commonground.play.scenarios.photobook.material import PhotobookMaterial
from commonground.play.scenarios.photobook.players.script import PLAYER
from commonground.play.scenarios.photobook.rules import SCENARIO

PERSON, PARTNER = "A", "B"
TYPING_US = 4_000_000
"""How long before a message of the partner the page says that the partner is typing."""


class SoloGame:
    """A game that is under way.

    Args:
        material: what is played with.
        seed: decides the order of the pages and who the partner is.
        now_ms: what time it is, in milliseconds since 1970; so in all methods.
    """

    def __init__(self, material: PhotobookMaterial, seed: int, now_ms: float) -> None:
        self.state = SCENARIO.start(material, seed)
        self._partner = PLAYER.enter(Seat(PARTNER, material, seed))
        self._rng = Random(f"{seed}:player:{PARTNER}")
        self._now_us = round(now_ms * 1000)
        self._plan: Move | Wait = Wait()
        self._due_us: int | None = None
        self._seen_round = 1
        self._sent = 0
        self._ask(None)

    def receive(self, text: str, now_ms: float) -> str:
        """Takes a message of the page and returns those that answer it, as a JSON list."""
        ((kind, fields),) = msgspec.json.decode(text).items()
        self._set_clock(now_ms)
        if kind == "hello":
            view = self._view()
            return _write([{"welcome": {"seq": 0, "view": view, "server_time": self._now_us}}])
        if kind != "act":
            return _write([])
        act = Act(fields["type"], PERSON, fields["payload"], self._now_us, fields.get("round"))
        refusal = self._take(act)
        answered = {"client_msg_id": fields["client_msg_id"]}
        if refusal is not None:
            said = {"code": refusal.code, "parameters": refusal.parameters}
            return _write([{"reject": answered | said}])
        return _write([self._event(), {"ack": answered}])

    def wake(self, now_ms: float) -> str:
        """Lets the partner do what is due, and returns what the page is to be told."""
        self._set_clock(now_ms)
        if self._due_us is not None and self._due_us <= self._now_us:
            plan, self._due_us = self._plan, None
            refusal = None
            if isinstance(plan, Move):
                act = Act(plan.type, PARTNER, plan.payload, self._now_us, self._seen_round)
                refusal = self._take(act)
            if refusal is not None or isinstance(plan, Wait):
                self._ask(refusal)
        return _write([self._event()])

    def rest_ms(self) -> float | None:
        """Returns after how many milliseconds :meth:`wake` is to be called; None for never."""
        if self._due_us is None or SCENARIO.is_over(self.state):
            return None
        typing_us = self._due_us - TYPING_US if self._writes() else 0
        at_us = typing_us if typing_us > self._now_us else self._due_us
        return max(at_us - self._now_us, 0) / 1000

    def is_over(self) -> bool:
        """Says whether both have answered the questions at the end."""
        return SCENARIO.is_over(self.state)

    def log(self) -> ReleasedFile:
        """Returns the log of the game as PhotoBook's authors release logs; it may be imported."""
        records = SCENARIO.finish(self.state, Sitting(0, {PERSON: 0, PARTNER: 1}))
        (file,) = SCENARIO.release(records)
        return file

    def _take(self, act: Act) -> Refusal | None:
        result = SCENARIO.apply(self.state, act)
        if isinstance(result, Refusal):
            return result
        self.state = result
        self._ask(None)
        return None

    def _ask(self, refusal: Refusal | None) -> None:
        """Asks the partner what to do next, as a session does after each act."""
        if SCENARIO.is_over(self.state):
            return
        pending = self._plan if self._due_us is not None else None
        view = SCENARIO.view(self.state, PARTNER)
        allowed = SCENARIO.allowed(self.state, PARTNER)
        moment = Moment(PARTNER, view, allowed, self._now_us, pending, refusal)
        plan = self._partner.next_move(moment, self._rng)
        if plan is pending:
            return
        self._plan, self._seen_round = plan, view["round"]
        delay_s = plan.delay_s
        self._due_us = None if delay_s is None else self._now_us + round(delay_s * 1_000_000)

    def _set_clock(self, now_ms: float) -> None:
        # Each act has a time of its own, whatever the clock of the machine does.
        self._now_us = max(round(now_ms * 1000), self._now_us + 1)

    def _writes(self) -> bool:
        return isinstance(self._plan, Move) and self._plan.type == CHAT

    def _event(self) -> dict[str, Any]:
        self._sent += 1
        return {"event": {"seq": self._sent, "set": self._view()}}

    def _view(self) -> dict[str, Any]:
        """Returns what a study's page shows beside the game, too: nobody is away or paused here."""
        due_us = self._due_us
        return {
            "stage": "playing",
            "role": PERSON,
            "number": 1,
            "paused": False,
            "started": True,
            "nudged": False,
            "partner_absent": False,
            "partner_absent_us": None,
            "partner_silent": False,
            "partner_typing": (
                due_us is not None and self._writes() and due_us - self._now_us <= TYPING_US
            ),
            "may_end": False,
            "notices": [],
            "allowed": [each.type for each in SCENARIO.allowed(self.state, PERSON)],
            "game": SCENARIO.view(self.state, PERSON),
        }


def begin(materials: str, seed: int, now_ms: float) -> SoloGame:
    """Begins a game with one of several materials, a JSON list."""
    known = msgspec.json.decode(materials, type=list[PhotobookMaterial])
    return SoloGame(known[seed % len(known)], seed, now_ms)


def _write(messages: list[dict[str, Any]]) -> str:
    return msgspec.json.encode(messages).decode()
