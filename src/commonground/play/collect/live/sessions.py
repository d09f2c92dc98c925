"""A session that is being played: its state, its seats, and what each of them is shown."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from commonground.errors import StoreError
from commonground.play.collect import events
from commonground.play.collect.events import Event, is_act
from commonground.play.collect.setup.partners import Decision
from commonground.play.collect.setup.stock import list_texts
from commonground.play.scenario import CHAT, Act, Allowed, Refusal, Scenario


class SeatPage(msgspec.Struct, frozen=True):
    """A page of a game as somebody sees it.

    Attributes:
        round: that it belongs to; None where rounds mean nothing.
        pictures: on it, in their order.
    """

    round: int | None
    pictures: tuple[str, ...]


def find_page(game: dict[str, Any], known: frozenset[str]) -> SeatPage:
    """Finds what page a view of a game shows.

    Args:
        game: the view; what is written in its chat counts for nothing.
        known: pictures of the study's material.
    """
    # Without pictures nothing is looked through: a view may be large, and comes with each act.
    parts = [value for name, value in game.items() if name != "chat" and known]
    pictures = dict.fromkeys(each for each in list_texts(parts) if each in known)
    return SeatPage(game.get("round"), tuple(pictures))


class Before(msgspec.Struct, frozen=True):
    """What a person was before a session, which stands again if it never started."""

    since_us: int
    partners: tuple[str, ...]
    seen: frozenset[str]


class LiveSeat(msgspec.Struct, kw_only=True):
    """A seat of a session and who is in it.

    Attributes:
        number: which of the person's sessions it is, from 1.
        answers: what was answered to each of the browser's messages, so that one that is sent
            again gets the same answer.
        earlier: the same of the person's last session, where this one follows on the same page.
        came: whether the person was ever here.
        ready: whether the person said so, where that is asked.
        before: what the person was before; None for a model, and for somebody who was erased.
        absent: whether the person gave no sign for so long that the partner knows.
        absent_us: when the last sign came of somebody who is absent; None where that is not known.
        silent_us: since when the person could have gone on and did not; None while it is not
            the person's move.
        nudged: whether the person was asked to go on.
        told: whether the partner knows of the silence.
        offered: whether the partner may end without penalty because of it.
        shown: the view that the browser has; None where it has none.
        page: which page of the game the browser shows, with its pictures in their order; None
            where nothing was sent to it yet.
        undrawn: pictures of that page that the browser could not draw.
        done: pieces that the person has completed before; None where nobody is given pieces.
        left: pieces that the person could be given after this one, as things stood.
        model: name of the language model in the seat; empty for a person.
        asked: how often the model was asked.
        decided: what it answered and has not done yet.
    """

    pid: str
    role: str
    number: int = 1
    answers: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    earlier: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    came: bool = False
    ready: bool = False
    before: Before | None = None
    absent: bool = False
    absent_us: int | None = None
    typing: bool = False
    silent_us: int | None = None
    nudged: bool = False
    told: bool = False
    offered: bool = False
    shown: dict[str, Any] | None = None
    page: SeatPage | None = None
    undrawn: frozenset[str] = frozenset()
    done: int | None = None
    left: int = 0
    model: str = ""
    asked: int = 0
    decided: Decision | None = None

    def follow(self, event: Event) -> None:
        """Notes an event of the one who is in the seat."""
        match event.what:
            case events.ActTaken(type=kind) if kind == CHAT:
                self.typing = False  # who has sent a message has typed it
            case events.ParticipantConnected():
                self.came, self.absent = True, False
            case events.ParticipantAccepted():
                self.ready = True
            case events.ParticipantReturned():
                self.came, self.absent, self.undrawn = True, False, frozenset()
                self.stir(event.at_us)
            case events.PageShown() | events.ParticipantSignal(kind="drawn"):
                self.undrawn = frozenset()
            case events.PageUndrawn(picture=picture):
                self.undrawn |= {picture}
            case events.ParticipantDisconnected():
                self.typing = False
            case events.ParticipantAbsent(since_us=since_us):
                self.absent, self.absent_us = True, since_us
            case events.ParticipantNudged(level=level):
                self.nudged = True
                self.told = self.told or level in ("tell", "offer")
                self.offered = self.offered or level == "offer"
            case events.ChatTyping(on=on):
                self.typing = on
                self.stir(event.at_us)
            case events.AgentRequest(number=number):
                self.asked = number
            case events.AgentReply(decided=decided):
                self.decided = decided
        if event.client_msg_id is not None:
            self.answers[event.client_msg_id] = answer_to(event)
            if self.decided is not None and self.decided.msg_id == event.client_msg_id:
                self.decided = None

    def stir(self, at_us: int) -> None:
        """Notes a sign that the person goes on."""
        self.nudged = self.told = self.offered = False
        if self.silent_us is not None:
            self.silent_us = at_us


class LiveSession:
    """A session between its creation and its end; it follows the events that it is given.

    Args:
        at_us: when it was created; the clocks of those who move first start then.
    """

    def __init__(
        self,
        sid: str,
        paired: events.SessionPaired,
        *,
        scenario: Scenario[Any, Any],
        material: Any,
        at_us: int,
    ) -> None:
        self.sid = sid
        self.number = paired.number
        self.scenario = scenario
        self.piece = paired.piece
        self.created_us = at_us
        self.last_us = at_us
        self.asks = paired.asks
        self.started = False
        self.paused = False
        self.condition = paired.condition
        self.asked = tuple(paired.asked)  # roles whose people came for just that seat
        self.notices: list[tuple[events.ModeratorMessage, int]] = []  # with the time
        self.flags = 0
        self.spent = 0.0  # on the models in it
        self.signals: Counter[str] = Counter()
        self.previous: LiveSession | None = None  # of a person who is given one after the other
        self.state: Any = scenario.start(material, paired.seed)
        self.seats = {role: LiveSeat(pid=pid, role=role) for role, pid in paired.seats.items()}
        for role, seated in paired.models.items():
            # A model is there at once.
            self.seats[role].model, self.seats[role].came = seated.model, True
        self._watch_moves(at_us)

    @property
    def models(self) -> dict[str, str]:
        """Names of the language models in it, by role."""
        return {role: seat.model for role, seat in self.seats.items() if seat.model}

    def seat_of(self, pid: str) -> LiveSeat:
        """Returns the seat of a person, who must be in the session."""
        return next(seat for seat in self.seats.values() if seat.pid == pid)

    def others(self, pid: str) -> list[LiveSeat]:
        """Returns the seats of everybody else."""
        return [seat for seat in self.seats.values() if seat.pid != pid]

    def follow(self, event: Event, state: Any = None) -> None:
        """Notes an event of the session; the state after it is worked out where it is not given.

        Raises:
            StoreError: the rules refuse it.
        """
        match event.what:
            case events.ActTaken(type=kind) if is_act(kind, self.scenario):
                self._play(event, state)
            case events.SessionStarted():
                self.started = True
                self.resume(event.at_us)
            case events.ModeratorPause(on=True):
                self.paused = True
            case events.ModeratorPause():
                self.resume(event.at_us)
            case events.ModeratorMessage() as message:
                self.notices.append((message, event.at_us))
            case events.ChatFlagged():
                self.flags += 1
            case events.ParticipantSignal(kind=kind):
                self.signals[kind] += 1
            case events.AgentReply(cost=cost) | events.AgentParseError(cost=cost):
                self.spent += cost
        if event.role is not None:
            self.seats[event.role].follow(event)

    def _play(self, event: Event, state: Any) -> None:
        if state is None:
            state = self.try_act(to_act(event))
            if isinstance(state, Refusal):
                raise StoreError(
                    f"Session {self.sid} does not follow the rules: event {event.seq} "
                    f"({event.type}) is refused for {state.code}.",
                    "Use the version that began it.",
                )
        self.state = state
        self.last_us = event.at_us
        if event.role is not None:
            self.seats[event.role].stir(event.at_us)
        self._watch_moves(event.at_us)

    def try_act(self, act: Act) -> Any | Refusal:
        """Returns the state after an act, or why it is refused; nothing changes."""
        return self.scenario.apply(self.state, act)

    def resume(self, at_us: int) -> None:
        """Ends a pause: nobody was silent in it."""
        self.paused = False
        for seat in self.seats.values():
            seat.stir(at_us)

    def _watch_moves(self, at_us: int) -> None:
        """Starts or stops the clock of everybody whose turn it came to be, or is no more."""
        allowed = {role: self.scenario.allowed(self.state, role) for role in self.seats}
        # Where all may write, nobody need; who alone may write has the floor.
        floor = [role for role, acts in allowed.items() if any(each.type == CHAT for each in acts)]
        for role, seat in self.seats.items():
            must_move = any(_is_due(each, alone=floor == [role]) for each in allowed[role])
            if not must_move:
                seat.stir(at_us)
                seat.silent_us = None
            elif seat.silent_us is None:
                seat.silent_us = at_us

    @property
    def may_start(self) -> bool:
        """Whether everybody is there, and said so where that is asked."""
        return all(
            each.came and (each.ready or each.model or not self.asks)
            for each in self.seats.values()
        )

    def page(self, role: str) -> dict[str, Any]:
        """Returns all that the page of a role shows: nothing of a game that has not begun."""
        if not self.asks or self.started:
            return self.view(role)
        return {"stage": "ready", "ready": self.seats[role].ready, "since_us": self.created_us}

    def view(self, role: str) -> dict[str, Any]:
        """Returns all that the page of a role shows of the game, as plain JSON values."""
        own = self.seats[role]
        partners = self.others(own.pid)
        pieces: dict[str, Any] = {}
        if own.done is not None:
            pieces = {"done": own.done, "left": own.left}
        if self.previous is not None:
            pieces["previous"] = self.scenario.view(self.previous.state, role)
        return {
            **pieces,
            "stage": "playing",
            "role": role,
            "number": own.number,
            "paused": self.paused,
            "started": self.started,
            "nudged": own.nudged,
            "partner_absent": any(seat.absent for seat in partners),
            "partner_absent_us": next((each.absent_us for each in partners if each.absent), None),
            "partner_silent": any(seat.told for seat in partners),
            "partner_typing": any(seat.typing for seat in partners),
            "may_end": any(seat.offered for seat in partners),
            "notices": [
                {"text": message.text, "at_us": at_us}
                for message, at_us in self.notices
                if role in message.roles
            ],
            "allowed": [each.type for each in self.scenario.allowed(self.state, role)],
            "game": self.scenario.view(self.state, role),
        }

    def describe(self) -> dict[str, Any]:
        """Returns what the monitor shows of the session."""
        seats = self.seats.values()
        problems = [
            *("absent" for seat in seats if seat.absent),
            *("silent" for seat in seats if seat.nudged),
            *("undrawn" for seat in seats if seat.undrawn),
        ]
        if self.paused:
            problems.insert(0, "paused")
        if self.flags:
            problems.append("flagged")
        first = next(iter(self.seats), "")
        game = self.scenario.view(self.state, first) if first else {}
        return {
            "session": self.sid,
            "problems": problems,
            "round": game.get("round"),
            "phase": game.get("phase"),
            "messages": len(game.get("chat", ())),
            "created_us": self.created_us,
            "last_us": self.last_us,
            "flags": self.flags,
            "signals": self.signals,
            "seats": {
                seat.role: {
                    "participant": seat.pid,
                    "model": seat.model,
                    "absent": seat.absent,
                    "absent_us": seat.absent_us if seat.absent else None,
                    "typing": seat.typing,
                }
                for seat in seats
            },
        }


def to_act(event: Event) -> Act:
    """Returns the act that an event logs."""
    return Act(event.type, event.role, event.payload, event.at_us, event.round)


def answer_to(event: Event) -> dict[str, Any]:
    """Returns what a browser is answered to the act that an event logs."""
    if isinstance(event.what, events.ActRefused):
        return {
            "type": "reject",
            "client_msg_id": event.client_msg_id,
            "code": event.what.code,
            "parameters": event.what.parameters,
        }
    return {"type": "ack", "client_msg_id": event.client_msg_id, "seq": event.seq}


def _is_due(allowed: Allowed, *, alone: bool) -> bool:
    """Says whether others wait for an act; for a message, if nobody else may write one now."""
    return (allowed.type != CHAT or alone) if allowed.due is None else allowed.due


def find_changes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Says how a view came to be another one, for a browser that has the first.

    Returns:
        ``set`` with new values by path (``paused``, ``game.phase``), and ``append`` with what
        was added to lists; either is missing where nothing of it happened.
    """
    changed: dict[str, Any] = {}
    added: dict[str, Any] = {}
    _compare(old, new, "", changed, added)
    return {name: each for name, each in (("set", changed), ("append", added)) if each}


def _compare(
    old: dict[str, Any],
    new: dict[str, Any],
    prefix: str,
    changed: dict[str, Any],
    added: dict[str, Any],
) -> None:
    for key in old.keys() | new.keys():
        before, after, path = old.get(key), new.get(key), f"{prefix}{key}"
        # Views share what has not changed; `is` spares comparing a long chat with itself.
        if before is after or before == after:
            continue
        # One level deep only, as scripts follow paths: `game.phase`.
        if not prefix and isinstance(before, dict) and isinstance(after, dict):
            _compare(before, after, f"{key}.", changed, added)
        elif (
            isinstance(before, list)
            and isinstance(after, list)
            and len(before) < len(after)
            and after[: len(before)] == before
        ):
            added[path] = after[len(before) :]
        else:
            changed[path] = after
