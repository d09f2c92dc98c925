"""What each person did in all sessions, over or not: how fast, with what signs, which sessions."""

from __future__ import annotations

from array import array
from collections import defaultdict
from statistics import median
from typing import Any

import msgspec

from commonground.play.collect import events
from commonground.play.collect.events import Event
from commonground.play.scenario import CHAT

SECOND_US = 1_000_000


class Work(msgspec.Struct):
    """What one person did.

    Attributes:
        sessions: ids of the person's sessions, in their order.
        seconds: that each message took since the act before it, of anybody in the session.
        unit_seconds: that each completed session took.
        pastes: texts that were pasted.
        flags: messages in which words were found that the study looks for.
    """

    sessions: list[str] = []
    seconds: Any = msgspec.field(default_factory=lambda: array("f"))
    unit_seconds: Any = msgspec.field(default_factory=lambda: array("f"))
    pastes: int = 0
    flags: int = 0
    _median: tuple[int, float | None] = (0, None)

    def speed(self, *, by_unit: bool) -> float | None:
        """Returns median seconds: of whole sessions, or of messages; None where there are none."""
        seconds = self.unit_seconds if by_unit else self.seconds
        # Asked for again and again, and for one study always of the same ones.
        if len(seconds) != self._median[0]:
            self._median = (len(seconds), median(seconds))
        return self._median[1]


class SessionRecord(msgspec.Struct):
    """A session as a list of sessions has it.

    Attributes:
        last_us: when the last act was done in it, or it started.
        seconds: from its creation to its end; None before.
        ended: why; None before.
    """

    session: str
    created_us: int
    last_us: int
    seconds: float | None = None
    ended: str | None = None
    people: tuple[str, ...] = ()
    messages: int = 0
    words: int = 0


class WorkBook:
    """Follows events, without knowing the rules by which anything is done.

    Args:
        act_types: of the scenario. Where there is a chat, its messages count; else all that is
            written.
    """

    def __init__(self, act_types: frozenset[str]) -> None:
        self._has_chat = CHAT in act_types
        self.sessions: dict[str, SessionRecord] = {}
        self._people: dict[str, Work] = defaultdict(Work)

    def of(self, pid: str) -> Work:
        """Returns what somebody did; nothing for somebody who never was in a session."""
        return self._people.get(pid) or Work()

    def list_sessions(self, pid: str) -> list[SessionRecord]:
        """Returns somebody's sessions, in their order."""
        return [self.sessions[sid] for sid in self.of(pid).sessions]

    def forget(self, pid: str) -> None:
        """Takes out all that a person did whose data are erased."""
        self._people.pop(pid, None)
        for record in self.sessions.values():
            record.people = tuple(each for each in record.people if each != pid)

    def follow(self, event: Event) -> None:
        """Notes what an event says of whose work, also of sessions that are over."""
        if isinstance(event.what, events.SessionPaired):
            models, seats = event.what.models, event.what.seats.items()
            people = tuple(p for role, p in seats if role not in models and p != events.ERASED)
            begun = SessionRecord(event.session, event.at_us, event.at_us, people=people)
            self.sessions[event.session] = begun
            for each in people:
                self._people[each].sessions.append(event.session)
        record = self.sessions.get(event.session)
        if record is None:
            return
        pid = event.participant or ""
        match event.what:
            case events.ActTaken(type=kind, payload={"text": str() as text}) if (
                kind == CHAT or not self._has_chat
            ):
                if pid in record.people:
                    self._people[pid].seconds.append((event.at_us - record.last_us) / SECOND_US)
                record.messages += 1
                record.words += len(text.split())
                record.last_us = event.at_us
            case events.ActTaken() | events.SessionStarted():
                record.last_us = event.at_us
            case events.ParticipantSignal(kind="paste") if pid:
                self._people[pid].pastes += 1
            case events.ChatFlagged() if pid:
                self._people[pid].flags += 1
            case events.SessionEnded(reason=reason):
                record.ended = reason
                record.seconds = (event.at_us - record.created_us) / SECOND_US
                for each in record.people if reason == "completed" else ():
                    self._people[each].unit_seconds.append(record.seconds)
