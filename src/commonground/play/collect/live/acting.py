"""What comes of the acts of players: taken or refused, noted, and answered once.

Here, too, is what else a browser tells of somebody at play: typing, and how a text came about.
"""

from __future__ import annotations

from typing import Any

from commonground.play.collect import events
from commonground.play.collect.events import Event, is_act
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.presence import Presence
from commonground.play.collect.live.seating import Seating
from commonground.play.collect.live.sessions import LiveSeat, LiveSession, answer_to
from commonground.play.collect.live.word_checks import FoundWords, WordCheck
from commonground.play.collect.setup.study import WatchedWords
from commonground.play.scenario import Act, Refusal

LONGEST_ID = 64
"""Characters of a browser's name for a message."""

SIGNALS = ("paste", "blur", "focus", "rhythm", "scroll", "drawn")
"""What browsers tell of how a text came about, and of what is seen of a page. It is recorded and
reported, never acted upon: something was pasted, another window came to the front and went again,
how fast the keys came, how far somebody scrolled, when the pictures of a page had loaded."""

UNDRAWN = "undrawn"
"""What browsers tell of a picture that they could not draw, so that the researcher hears of it."""


class Acting:
    """Sessions in which players act, and messages among them are checked for words."""

    def __init__(
        self, words: WatchedWords, out: Outbox, seating: Seating, presence: Presence
    ) -> None:
        self._words = WordCheck(words)
        self._ledger = out.ledger
        self._out = out
        self._seating = seating
        self._presence = presence

    def act(self, connection: int, message: dict[str, Any]) -> None:
        """Takes an act of a browser, and answers it once, however often it is sent.

        Args:
            message: ``client_msg_id``, ``type``, ``payload``, ``round``, ``at_ms``; and ``back``
                where it changes what was made of the piece before, which the number of its session
                among the person's own names.
        """
        person = self._presence.person_at(connection)
        if person is None:
            self._out.close(connection, {"type": "superseded"})
            return
        person.seen_us = self._out.now_us
        msg_id = message.get("client_msg_id")
        # Without a name there is no saying whether an act is sent again.
        if not isinstance(msg_id, str) or not 0 < len(msg_id) <= LONGEST_ID:
            self._out.send(person, reject(None, "malformed"))
            return
        current = self._ledger.sessions.get(person.session or "")
        if current is None:
            self._out.send(person, self._seating.standing(person))
            return
        session = current
        if "back" in message:
            before = self._ledger.find_previous(person)
            # Sent again when the person has gone on, it means no other piece.
            if before is None or before.seat_of(person.pid).number != message["back"]:
                self._out.send(person, reject(msg_id, "over"))
                return
            session = before
        seat = session.seat_of(person.pid)
        # A browser that lost its connection sends the act again, and gets the answer of the first
        # time.
        answer = seat.answers.get(msg_id) or seat.earlier.get(msg_id)
        if answer is not None:
            self._out.send(person, answer)
        else:
            self._take_act(session, seat, msg_id, message)
        if session is current and current.scenario.is_over(current.state):
            self._seating.complete(current)
        self._out.touch(current)

    def _take_act(
        self, session: LiveSession, seat: LiveSeat, msg_id: str, message: dict[str, Any]
    ) -> None:
        person = self._ledger.person(seat.pid)
        act = _read_act(message, seat.role, self._out.tick_us())
        if act is None:
            self._out.send(person, reject(msg_id, "malformed"))
            return
        # Noted for research, never relied on; beyond 2**53 a browser has no exact whole numbers.
        at_ms = message.get("at_ms")
        common: dict[str, Any] = {
            "client_msg_id": msg_id,
            "client_at_ms": at_ms if type(at_ms) is int and abs(at_ms) < 2**53 else None,
        }
        event, words = self.log_act(session, seat, act, **common)
        # Sent when the event is on the disk, so that an answer is never taken back.
        self._out.send(person, answer_to(event))
        if words is not None and words.verdict == "warn":
            self._out.send(person, {"type": "warning", "code": "word_warned"})

    def log_act(
        self, session: LiveSession, seat: LiveSeat, act: Act, **more: Any
    ) -> tuple[Event, FoundWords | None]:
        """Takes an act, or refuses it; returns its event, and the words that were found."""
        result, words = self._judge(session, act)
        common = {"session": session, "seat": seat, "round": act.round, **more}
        if isinstance(result, Refusal):
            refused = events.ActRefused(
                act.type, act.payload, result.code, result.kind, result.parameters
            )
            event = self._out.log(refused, **common)
        else:
            event = self._out.log(events.ActTaken(act.type, act.payload), state=result, **common)
        if words is not None:
            found = events.ChatFlagged(words.verdict, words.words, event.seq)
            self._out.log(found, session=session, seat=seat)
        return event, words

    def _judge(self, session: LiveSession, act: Act) -> tuple[Any, Any]:
        """Returns the state after an act or its refusal, and the words that were found."""
        if not is_act(act.type, session.scenario):
            return Refusal("unknown_type", "protocol", {"type": act.type[:LONGEST_ID]}), None
        if session.paused or not session.started:
            return Refusal("paused" if session.paused else "not_started"), None
        result = session.try_act(act)
        # Messages, and whatever else somebody writes: turns of a self-dialog, answers to questions.
        text = act.payload.get("text")
        if isinstance(result, Refusal) or not isinstance(text, str):
            return result, None
        words = self._words.check(text)
        if words is not None and words.verdict == "block":
            return Refusal("word_blocked"), words
        return result, words

    def accept(self, connection: int) -> None:
        """Notes that somebody who was paired is there and wants to begin."""
        person = self._presence.person_at(connection)
        session = self._ledger.sessions.get(person.session or "") if person is not None else None
        if person is not None and session is not None:
            self._seating.accept(session, session.seat_of(person.pid))

    def type(self, connection: int, on: bool) -> None:
        """Notes that somebody began or ceased to type."""
        person = self._presence.person_at(connection)
        session = self._ledger.sessions.get(person.session or "") if person else None
        if person is not None and session is not None and session.started and not session.paused:
            person.seen_us = self._out.now_us
            seat = session.seat_of(person.pid)
            if seat.typing != on:
                self._out.log(events.ChatTyping(on), session=session, seat=seat)

    def signal(self, connection: int, kind: str, data: dict[str, Any]) -> None:
        """Records a sign of how a text came about.

        Args:
            kind: one of :data:`SIGNALS`, or :data:`UNDRAWN`; others are dropped.
            data: what the page measured; only the first eight entries are kept, if they are
                numbers. Of what was not drawn, the ``picture``.
        """
        person = self._presence.person_at(connection)
        session = self._ledger.sessions.get(person.session or "") if person else None
        if person is None or session is None:
            return
        seat = session.seat_of(person.pid)
        if kind == UNDRAWN:
            picture = data.get("picture")
            if not isinstance(picture, str) or picture not in self._ledger.stock.pictures:
                return
            shown = seat.page.round if seat.page is not None else None
            undrawn = events.PageUndrawn(picture)
            self._out.log(undrawn, session=session, seat=seat, round=shown)
        elif kind in SIGNALS:
            numbers = {
                str(key)[:20]: value
                for key, value in list(data.items())[:8]
                # Larger ones no browser can have meant: its numbers are floats.
                if key != "kind" and type(value) in (int, float) and abs(value) < 2**53
            }
            self._out.log(events.ParticipantSignal(kind, numbers), session=session, seat=seat)


def _read_act(message: dict[str, Any], role: str, at_us: int) -> Act | None:
    """Reads an act of a browser; None where it is none."""
    kind, payload, in_round = (message.get(name) for name in ("type", "payload", "round"))
    if not isinstance(kind, str) or not isinstance(payload, dict):
        return None
    # To ``isinstance``, ``true`` would be an int; what is larger has no place in the log.
    if in_round is not None and (type(in_round) is not int or abs(in_round) >= 2**53):
        return None
    return Act(kind, role, payload, at_us, in_round)


def reject(msg_id: object, code: str) -> dict[str, Any]:
    """Returns what a browser is answered to a message that is no act, or cannot be taken."""
    return {"type": "reject", "client_msg_id": msg_id, "code": code, "parameters": {}}
