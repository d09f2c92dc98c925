"""Whose browsers are connected, and who gives a sign of life."""

from __future__ import annotations

from typing import Literal, TypeAlias

from commonground.play.collect.events import ParticipantConnected, ParticipantDisconnected
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.seating import Seating
from commonground.play.collect.people import Participant

Lost: TypeAlias = Literal["closed", "cut", "silent"]
"""How a page can come to be connected no more; see :class:`ParticipantDisconnected`."""


class Presence:
    """The connections of people's browsers, of which each person has one at a time."""

    def __init__(self, out: Outbox, seating: Seating) -> None:
        self._ledger = out.ledger
        self._out = out
        self._seating = seating
        self._people: dict[int, str] = {}
        # A log that is read again has people who were connected to a server that is no more.
        for person in self._ledger.people.values():
            person.connection = None

    def connect(self, pid: str, connection: int, *, last_seq: int = 0) -> None:
        """Takes a tab as the one that a person uses; an older one is told so.

        Args:
            connection: number of the connection, never used before.
            last_seq: of the last event that the tab knows; 0 for a new one.
        """
        person = self._ledger.person(pid)
        if person.connection is not None:
            self._out.close(person.connection, {"type": "superseded"})
            self._people.pop(person.connection, None)
        self._people[connection] = pid
        person.connection = connection
        person.seen_us = self._out.now_us
        session = self._ledger.sessions.get(person.session or "")
        if session is not None:
            self._seating.take_seat(session, session.seat_of(pid), last_seq)
        elif person.stage == "waiting":
            self._out.log(ParticipantConnected(), pid=pid)
        self._out.welcome(person)

    def disconnect(self, connection: int, reason: Lost = "cut") -> None:
        """Notes that a connection is gone; nothing where another took its place."""
        person = self.person_at(connection)
        self._people.pop(connection, None)
        if person is not None:
            self.lose(person, reason)

    def hear(self, connection: int, now_us: int) -> bool:
        """Notes a sign of life; false where the connection counts no more."""
        person = self.person_at(connection)
        if person is None:
            return False
        person.seen_us = max(person.seen_us, now_us)
        return True

    def excuse(self, now_us: int) -> None:
        """Counts nobody as silent or gone for a time in which the server stood still."""
        for person in self._ledger.people.values():
            person.seen_us = max(person.seen_us, now_us)
        for session in self._ledger.sessions.values():
            for seat in session.seats.values():
                seat.stir(now_us)

    def person_at(self, connection: int) -> Participant | None:
        """Returns whose browser a connection is; None when it is nobody's any more."""
        pid = self._people.get(connection)
        person = self._ledger.people.get(pid or "")
        return person if person is not None and person.connection == connection else None

    def lose(self, person: Participant, reason: Lost) -> None:
        """Notes that a person's browser is not connected any more."""
        connection, person.connection = person.connection, None
        if connection is not None and reason == "silent":
            self._people.pop(connection, None)
            self._out.close(connection, {"type": "lost"})
        session = self._ledger.sessions.get(person.session or "")
        what = ParticipantDisconnected(reason)
        if session is not None:
            seat = session.seat_of(person.pid)
            seat.shown = None
            self._out.log(what, session=session, seat=seat)
        elif person.stage == "waiting":
            self._out.log(what, pid=person.pid)

    def recover(self) -> None:
        """Goes on after a restart: nobody is connected, and everybody has a while to come back."""
        self.excuse(self._out.now_us)
        for session in self._ledger.sessions.values():
            for seat in session.seats.values():
                if seat.came and not seat.model:
                    self._out.log(ParticipantDisconnected("restart"), session=session, seat=seat)

    def forget(self, pid: str) -> None:
        """Takes a person's connections for nobody's."""
        self._people = {key: each for key, each in self._people.items() if each != pid}
