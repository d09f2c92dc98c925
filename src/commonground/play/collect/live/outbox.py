"""What comes of something that happens in a study: events to write down, and frames to send.

All changes of a study are logged through an :class:`Outbox`, which follows each event and works out
at the end what every browser has to know. The events must be on the disk before the frames are
sent; the server sees to that.
"""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.play.collect.events import LOBBY, Event, PageShown, What
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.sessions import LiveSeat, LiveSession, find_changes, find_page
from commonground.play.collect.people import Participant


class OutboxItem(msgspec.Struct, frozen=True):
    """What a browser is to be sent.

    Attributes:
        body: plain JSON values.
        last: whether the connection is to be closed then.
    """

    connection: int
    body: dict[str, Any]
    last: bool = False


class Effects(msgspec.Struct, frozen=True):
    """What came of something: events to keep, and then frames to send."""

    events: list[Event]
    frames: list[OutboxItem]


class Outbox:
    """Collects what came of one thing that happened, at ``now_us``, Unix microseconds."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.now_us = 0
        self._waiting_views: dict[str, dict[str, Any]] = {}
        self._events: list[Event] = []
        self._frames: list[OutboxItem] = []
        # A dict for its order: browsers are told in the order in which things happened.
        self._touched: dict[str, None] = {}

    def begin(self, now_us: int) -> None:
        """Begins to collect what comes of something that happens now."""
        # Clocks of servers are set back now and then. The time of a log never goes back.
        self.now_us = max(now_us, self.ledger.last_us + 1)

    def tick_us(self) -> int:
        """Returns the time that the next event is to have."""
        return max(self.now_us, self.ledger.last_us + 1)

    def log(
        self,
        what: What,
        *,
        session: LiveSession | None = None,
        seat: LiveSeat | None = None,
        sid: str = LOBBY,
        pid: str | None = None,
        state: Any = None,
        **more: Any,
    ) -> Event:
        """Writes an event down and follows it.

        Args:
            seat: of the one who did it; None for the server, or outside of a session.
            sid: id of the session, where there is no live one yet.
            pid: pseudonym of the one who did it outside of a session.
            state: of the scenario after it, where it is known; None to find it.
            more: further fields of the event.
        """
        stream = session.sid if session is not None else sid
        event = Event(
            what=what,
            at_us=self.tick_us(),
            session=stream,
            seq=self.ledger.seqs.get(stream, 0) + 1,
            participant=seat.pid if seat is not None else pid,
            role=seat.role if seat is not None else None,
            **more,
        )
        self.ledger.follow(event, state)
        self._events.append(event)
        if stream != LOBBY:
            self._touched[stream] = None
        elif pid is not None:
            self._touched[pid] = None
        return event

    def touch(self, session: LiveSession) -> None:
        """Has the browsers of a session told what changed on its page."""
        self._touched[session.sid] = None

    def send(self, person: Participant, body: dict[str, Any]) -> None:
        """Has a message sent to a person's browser, if there is one."""
        if person.connection is not None:
            self._frames.append(OutboxItem(person.connection, body))

    def close(self, connection: int, body: dict[str, Any]) -> None:
        """Has a last message sent to a browser, whose connection is closed then."""
        self._frames.append(OutboxItem(connection, body, last=True))

    def welcome(self, person: Participant) -> None:
        """Sends somebody who has just connected all that the page shows."""
        session = self.ledger.sessions.get(person.session or "")
        view = self.ledger.view(person)
        if session is not None:
            seat = session.seat_of(person.pid)
            seat.shown, seat.page = view, None
            self._note_page(session, seat, view)
        else:
            self._waiting_views[person.pid] = view
        # Read only now: noting the page logged an event, and what is sent is the page as of that
        # one.
        seq = self.ledger.seqs[session.sid] if session is not None else 0
        body = {"type": "welcome", "seq": seq, "server_time": self.now_us, "view": view}
        self.send(person, body)

    def stop_waiting(self, pid: str) -> None:
        """Notes that somebody's page is not that of the waiting room any more."""
        self._waiting_views.pop(pid, None)

    def finish(self) -> Effects:
        """Tells browsers what changed, and gives everything back."""
        for name in self._touched:
            session = self.ledger.sessions.get(name)
            if session is not None:
                for seat in session.seats.values():
                    self._show(session, seat)
            elif name in self._waiting_views:
                person = self.ledger.people[name]
                view = self.ledger.view(person)
                changes = find_changes(self._waiting_views[name], view)
                self._waiting_views[name] = view
                if changes:
                    at_us = self.ledger.last_us
                    self.send(person, {"type": "event", "seq": 0, "at_us": at_us, **changes})
        self._touched = {}
        effects = Effects(self._events, self._frames)
        self._events, self._frames = [], []
        return effects

    def _show(self, session: LiveSession, seat: LiveSeat) -> None:
        # A browser that has no page yet gets a whole one when it connects, not changes to nothing;
        # a model never has one.
        if seat.shown is None:
            return
        person = self.ledger.people[seat.pid]
        if person.connection is None:
            return
        view = session.page(seat.role)
        changes = find_changes(seat.shown, view)
        seat.shown = view
        if changes:
            self._note_page(session, seat, view)
            seq, at_us = self.ledger.seqs[session.sid], self.ledger.last_us
            self.send(person, {"type": "event", "seq": seq, "at_us": at_us, **changes})

    def _note_page(self, session: LiveSession, seat: LiveSeat, view: dict[str, Any]) -> None:
        """Writes down which page a browser is about to be sent, where it has another one."""
        if "game" not in view:
            return
        page = find_page(view["game"], self.ledger.stock.pictures)
        if page != seat.page:
            seat.page = page
            shown = PageShown(list(page.pictures))
            self.log(shown, session=session, seat=seat, round=page.round)
