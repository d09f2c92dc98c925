"""What people, browsers, moderators and the clock may do, and what comes of it.

The hall knows no socket, file or clock: it is told what happens and when, and gives back
:class:`~commonground.collect.outbox.Effects`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from commonground.collect.ledger import Ledger, answer_to, is_act
from commonground.collect.log import LOBBY, Event
from commonground.collect.outbox import Effects, Outbox
from commonground.collect.pairing import Group, pair_people
from commonground.collect.partners import Decision, draw_partner
from commonground.collect.people import Exit, Participant, Quota
from commonground.collect.sessions import LiveSeat, LiveSession
from commonground.collect.study import Settings
from commonground.collect.word_checks import Found, WordCheck
from commonground.errors import UsageError
from commonground.scenario import Act, Refusal

SECOND_US = 1_000_000
LONGEST_ID = 64
"""Characters of a browser's name for a message."""

LONGEST_NOTICE = 1_000
"""Characters of a message of the researcher."""

SIGNALS = ("paste", "blur", "focus", "rhythm", "scroll", "drawn")
"""What browsers tell of how a text came about, and of what is seen of a page. It is recorded and
reported, never acted upon: something was pasted, another window came to the front and went again,
how fast the keys came, how far somebody scrolled, when the pictures of a page had loaded."""

_PLAY_AGAIN: tuple[Exit, ...] = ("completed", "partner_left", "time_over", "stopped")


class Hall:
    """A study while it is served.

    Args:
        settings: of the study.
        ledger: what the log says.
        receipt: makes a participant's own code from the pseudonym.
    """

    def __init__(self, settings: Settings, ledger: Ledger, receipt: Callable[[str], str]) -> None:
        self.settings = settings
        self.ledger = ledger
        self._receipt = receipt
        self.prompt = ""  # version and hash of what models are told
        self._words = WordCheck(settings.words)
        self._connections: dict[int, str] = {}
        self._out = Outbox(ledger)
        for person in ledger.people.values():
            person.connection = None

    # Where people stand

    def person(self, pid: str) -> Participant:
        """Returns a participant.

        Raises:
            UsageError: there is none of that name, or no more.
        """
        person = self.ledger.people.get(pid)
        if person is None:
            raise UsageError("This link is not in use.", "Ask the person who gave it to you.")
        return person

    def person_at(self, connection: int) -> Participant | None:
        """Returns whose browser a connection is; None when it is nobody's any more."""
        pid = self._connections.get(connection)
        person = self.ledger.people.get(pid or "")
        return person if person is not None and person.connection == connection else None

    def may_play_again(self, person: Participant) -> bool:
        """Says whether somebody who is out may go back to the waiting room."""
        return (
            person.way_out in _PLAY_AGAIN
            and person.sessions < self.settings.quotas.sessions_each
            and self._full_for(person) is None
        )

    def view(self, person: Participant) -> dict[str, Any]:
        """Returns all that a person's page shows."""
        return self._out.view(person)

    # What people do on pages

    def arrive(
        self, pid: str, now_us: int, *, language: str, platform: str, role: str | None = None
    ) -> Effects:
        """Lets somebody in; somebody who was here before stays where they were.

        Args:
            pid: pseudonym.
            now_us: the time.
            language: of the pages.
            platform: ``plain``, ``prolific`` or ``mturk``.
            role: the only seat that the person may take; None for any.
        """
        self._out.begin(now_us)
        if pid not in self.ledger.people:
            payload: dict[str, Any] = {
                "number": self.ledger.arrivals + 1,
                "language": language,
                "platform": platform,
            }
            if role in self.ledger.scenario.roles:
                payload["role"] = role
            self._out.log("participant.arrived", pid=pid, payload=payload)
            self._turn_away(self.person(pid))
        return self._out.finish()

    def consent(self, pid: str, now_us: int, *, version: str, digest: str) -> Effects:
        """Notes that somebody agreed to a consent text of a version and hash.

        Args:
            pid: the person's pseudonym.
            now_us: the time, in Unix microseconds.
            version: of the text, as the researcher numbers it.
            digest: SHA-256 of the text that was shown.
        """
        self._out.begin(now_us)
        person = self.person(pid)
        if person.stage == "arrived":
            payload = {"version": version, "digest": digest, "language": person.language}
            self._out.log("participant.consented", pid=pid, payload=payload)
        return self._out.finish()

    def answer_quiz(self, pid: str, now_us: int, *, answers: Sequence[int], right: bool) -> Effects:
        """Notes the answers to the quiz; who fails too often is screened out.

        Args:
            pid: the person's pseudonym.
            now_us: the time, in Unix microseconds.
            answers: number of the option chosen for each question, in their order.
            right: whether all of them are.
        """
        self._out.begin(now_us)
        person = self.person(pid)
        if person.stage == "consented":
            kind = "participant.instructed" if right else "participant.failed_quiz"
            self._out.log(kind, pid=pid, payload={"answers": list(answers)})
            if person.tries >= self.settings.quotas.quiz_tries:
                self._see_out(person, "screened_out")
        return self._out.finish()

    def get_ready(self, pid: str, now_us: int) -> Effects:
        """Lets somebody into the waiting room: after the warm-up, or to play again."""
        self._out.begin(now_us)
        person = self.person(pid)
        may = person.stage == "instructed" or self.may_play_again(person)
        if may and not self._turn_away(person):
            self._out.log("participant.ready", pid=pid, payload=self._draw_partner(person))
            person.seen_us = now_us
            if self._is_for_one:
                self._pair()  # there is nobody to wait for
        return self._out.finish()

    def _draw_partner(self, person: Participant) -> dict[str, Any]:
        """Draws whether somebody meets a model; somebody who plays again meets the same kind."""
        models = self.settings.models
        if models is None or person.partner is not None:
            return {}
        if person.role in models.seats or models.is_spent(self.ledger.spent):
            return {"partner": "person"}
        seats = len(self.ledger.scenario.roles)
        drawn = draw_partner(models, seats, self.settings.seed, self.ledger.drawn)
        return {"partner": drawn}

    def leave(self, pid: str, now_us: int) -> Effects:
        """Lets somebody go who wants to: the paid exits where they were offered, else withdrawn."""
        self._out.begin(now_us)
        person = self.person(pid)
        session = self.ledger.sessions.get(person.session or "")
        if session is not None:
            own = session.seat_of(pid)
            silent = [seat.pid for seat in session.others(pid) if seat.offered or seat.absent]
            if any(seat.offered for seat in session.others(pid)):
                self._end(session, "partner_left", {**dict.fromkeys(silent, "timed_out")})
            elif self.ledger.assignments is not None and person.completed:
                self._end(session, "stopped", {pid: "stopped"})
            else:
                self._out.log("participant.withdrew", session=session, seat=own)
                self._end(session, "withdrew", {pid: "withdrew"})
        elif person.stage == "waiting" and person.offered:
            self._see_out(person, "waited_out")
        elif person.stage != "out":
            self._out.log("participant.withdrew", pid=pid)
            self._see_out(person, "withdrew")
        return self._out.finish()

    def excuse(self, now_us: int) -> None:
        """Counts nobody as silent or gone for a time in which the server stood still."""
        for person in self.ledger.people.values():
            person.seen_us = max(person.seen_us, now_us)
        for session in self.ledger.sessions.values():
            for seat in session.seats.values():
                seat.stir(now_us)

    def forget(self, pid: str, now_us: int) -> Effects:
        """Takes somebody out of what is going on, before the log is cleared of the person."""
        effects = self.leave(pid, now_us)
        if self.ledger.assignments is not None:
            self.ledger.assignments.forget(self.person(pid).number)
        self._connections = {key: each for key, each in self._connections.items() if each != pid}
        self._out.stop_waiting(pid)
        self.ledger.people.pop(pid, None)
        for other in self.ledger.people.values():
            if pid in other.partners:
                other.partners = tuple(each for each in other.partners if each != pid)
        pairs = self.ledger.refused_pairs
        self.ledger.refused_pairs = {each for each in pairs if pid not in each[:2]}
        return effects

    # What browsers do

    def connect(self, pid: str, connection: int, now_us: int, *, last_seq: int = 0) -> Effects:
        """Takes a tab as the one that a person uses; an older one is told so.

        Args:
            pid: of the person.
            connection: number of the connection, never used before.
            now_us: the time.
            last_seq: of the last event that the tab knows; 0 for a new one.
        """
        self._out.begin(now_us)
        person = self.person(pid)
        if person.connection is not None:
            self._out.close(person.connection, {"type": "superseded"})
            self._connections.pop(person.connection, None)
        self._connections[connection] = pid
        person.connection = connection
        person.seen_us = now_us
        session = self.ledger.sessions.get(person.session or "")
        if session is not None:
            self._take_seat(session, session.seat_of(pid), last_seq)
        elif person.stage == "waiting":
            self._out.log("participant.connected", pid=pid)
        self._out.welcome(person)
        return self._out.finish()

    def _take_seat(self, session: LiveSession, seat: LiveSeat, last_seq: int) -> None:
        kind = "participant.returned" if seat.came else "participant.connected"
        self._out.log(kind, session=session, seat=seat, payload={"last_seq": last_seq})
        if not session.started and all(each.came for each in session.seats.values()):
            self._out.log("session.started", session=session)

    def disconnect(self, connection: int, now_us: int) -> Effects:
        """Notes that a connection is gone; nothing where another took its place."""
        self._out.begin(now_us)
        person = self.person_at(connection)
        self._connections.pop(connection, None)
        if person is not None:
            self._lose(person, "closed")
        return self._out.finish()

    def hear(self, connection: int, now_us: int) -> bool:
        """Notes a sign of life; false where the connection counts no more."""
        person = self.person_at(connection)
        if person is None:
            return False
        person.seen_us = max(person.seen_us, now_us)
        return True

    def act(self, connection: int, message: dict[str, Any], now_us: int) -> Effects:
        """Takes an act of a browser, and answers it once, however often it is sent.

        Args:
            connection: that it came through.
            message: ``client_msg_id``, ``type``, ``payload``, ``round``, ``at_ms``.
            now_us: the time.
        """
        self._out.begin(now_us)
        person = self.person_at(connection)
        if person is None:
            self._out.close(connection, {"type": "superseded"})
            return self._out.finish()
        person.seen_us = now_us
        msg_id = message.get("client_msg_id")
        if not isinstance(msg_id, str) or not 0 < len(msg_id) <= LONGEST_ID:
            self._out.send(person, _reject(None, "malformed"))
            return self._out.finish()
        session = self.ledger.sessions.get(person.session or "")
        if session is None:
            self._out.send(person, self._standing(person))
            return self._out.finish()
        seat = session.seat_of(person.pid)
        # A browser that lost its connection sends the act again, and gets the answer of the first
        # time.
        answer = seat.find_answer(msg_id)
        if answer is not None:
            self._out.send(person, answer)
        else:
            self._take_act(session, seat, msg_id, message)
        return self._out.finish()

    def _take_act(
        self, session: LiveSession, seat: LiveSeat, msg_id: str, message: dict[str, Any]
    ) -> None:
        person = self.person(seat.pid)
        act = _read_act(message, seat.role, self._out.tick_us())
        if act is None:
            self._out.send(person, _reject(msg_id, "malformed"))
            return
        # Noted for research, never relied on. To ``isinstance``, ``true`` would be an int; beyond
        # 2**53 a browser has no exact whole numbers.
        at_ms = message.get("at_ms")
        common: dict[str, Any] = {
            "client_msg_id": msg_id,
            "client_at_ms": at_ms if type(at_ms) is int and abs(at_ms) < 2**53 else None,
        }
        event, words = self._log_act(session, seat, act, **common)
        # Sent when the event is on the disk, so that an answer is never taken back.
        self._out.send(person, answer_to(event))
        if words is not None and words.verdict == "warn":
            self._out.send(person, {"type": "warning", "code": "word_warned"})
        if session.scenario.is_over(session.state):
            self._complete(session)

    def _log_act(
        self, session: LiveSession, seat: LiveSeat, act: Act, **more: Any
    ) -> tuple[Event, Found | None]:
        """Takes an act, or refuses it.

        Args:
            session: that it is made in.
            seat: of whoever makes it.
            act: that is made.
            more: further fields of its event.

        Returns:
            The event, and the words that were found.
        """
        result, words = self._judge(session, act)
        common = {"session": session, "seat": seat, "round": act.round, **more}
        if isinstance(result, Refusal):
            refused = {"type": act.type, "payload": act.payload, "code": result.code}
            refused |= {"kind": result.kind, "parameters": result.parameters}
            event = self._out.log("act.refused", payload=refused, **common)
        else:
            event = self._out.log(act.type, payload=act.payload, state=result, **common)
        if words is not None:
            found = {"verdict": words.verdict, "words": words.words, "of": event.seq}
            self._out.log("chat.flagged", session=session, seat=seat, payload=found)
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

    def type(self, connection: int, on: bool, now_us: int) -> Effects:
        """Notes that somebody began or ceased to type.

        Args:
            connection: number of the connection that it came through.
            on: whether the person types now.
            now_us: the time, in Unix microseconds.
        """
        self._out.begin(now_us)
        person = self.person_at(connection)
        session = self.ledger.sessions.get(person.session or "") if person else None
        if person is not None and session is not None and session.started and not session.paused:
            person.seen_us = now_us
            seat = session.seat_of(person.pid)
            if seat.typing != on:
                self._out.log("chat.typing", session=session, seat=seat, payload={"on": on})
        return self._out.finish()

    def signal(self, connection: int, kind: str, data: dict[str, Any], now_us: int) -> Effects:
        """Records a sign of how a text came about.

        Args:
            connection: number of the connection that it came through.
            kind: one of :data:`SIGNALS`; others are dropped.
            data: what the page measured; only the first eight entries are kept, if they are
                numbers.
            now_us: the time, in Unix microseconds.
        """
        self._out.begin(now_us)
        person = self.person_at(connection)
        session = self.ledger.sessions.get(person.session or "") if person else None
        if person is not None and session is not None and kind in SIGNALS:
            numbers = {
                str(key)[:20]: value
                for key, value in list(data.items())[:8]
                # Larger ones no browser can have meant: its numbers are floats.
                if type(value) in (int, float) and abs(value) < 2**53
            }
            payload = {"kind": kind, **numbers}
            seat = session.seat_of(person.pid)
            self._out.log("participant.signal", session=session, seat=seat, payload=payload)
        return self._out.finish()

    # What language models do

    def may_ask(self, sid: str) -> bool:
        """Says whether a model of a session may be asked again, for all that it has cost."""
        models, session = self.settings.models, self.ledger.sessions.get(sid)
        if models is None or session is None or models.is_spent(self.ledger.spent):
            return False
        return models.session_cost is None or session.spent < models.session_cost

    def ask_model(self, sid: str, role: str, request: dict[str, Any], now_us: int) -> Effects:
        """Notes that a model is about to be asked.

        Args:
            sid: of the session, which must be under way.
            role: of the model.
            request: what it is told and shown.
            now_us: the time.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        seat = session.seats[role]
        payload = {"number": seat.asked + 1, "model": seat.model, "prompt": self.prompt, **request}
        self._out.log("agent.request", session=session, seat=seat, payload=payload)
        return self._out.finish()

    def hear_model(
        self,
        sid: str,
        role: str,
        reply: dict[str, Any],
        cost: float,
        decided: Decision | None,
        now_us: int,
    ) -> Effects:
        """Notes what a model answered; of a session that is over, only what it cost.

        Args:
            sid: of the session.
            role: of the model.
            reply: what it said, and its usage.
            cost: of the answer.
            decided: what it means; None where it cannot be read.
            now_us: the time.
        """
        self._out.begin(now_us)
        session = self.ledger.sessions.get(sid)
        if session is None:
            late = {"of": sid, "usage": reply.get("usage"), "cost": cost}
            self._out.log("agent.late", payload=late)
            return self._out.finish()
        seat = session.seats[role]
        kind = "agent.reply" if decided is not None else "agent.parse_error"
        payload = {"number": seat.asked, "model": seat.model, **reply, "cost": cost}
        if decided is not None:
            payload["decided"] = msgspec.to_builtins(decided)
        self._out.log(kind, session=session, seat=seat, payload=payload)
        return self._out.finish()

    def move_model(self, sid: str, role: str, now_us: int) -> tuple[Effects, Refusal | None]:
        """Does what a model has decided, by the rules that hold for people.

        Args:
            sid: of the session, which must be under way.
            role: of the model, which must have decided on an act.
            now_us: the time.

        Returns:
            What came of it, and why it was refused; None where it was not.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        seat = session.seats[role]
        decided = seat.decided
        assert decided is not None  # noqa: S101 - asked for above
        act = Act(decided.type, role, decided.payload, self._out.tick_us(), decided.round)
        event, _ = self._log_act(session, seat, act, client_msg_id=decided.msg_id)
        if session.scenario.is_over(session.state):
            self._complete(session)
        refused = event.type == "act.refused"
        refusal = Refusal(event.payload["code"], event.payload["kind"]) if refused else None
        return self._out.finish(), refusal

    def type_model(self, sid: str, role: str, now_us: int) -> Effects:
        """Notes that a model types, so that its partner sees that something is coming.

        Args:
            sid: of the session, which must be under way.
            role: of the model.
            now_us: the time, in Unix microseconds.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        if not session.seats[role].typing:
            seat = session.seats[role]
            self._out.log("chat.typing", session=session, seat=seat, payload={"on": True})
        return self._out.finish()

    def dismiss_model(self, sid: str, role: str, reason: str, why: str, now_us: int) -> Effects:
        """Ends a session because its model cannot go on; the people in it lose nothing.

        Args:
            sid: of the session, which must be under way.
            role: of the model.
            reason: ``cost``, ``provider``, ``unreadable``, ``refused`` or ``late``.
            why: the same in words, for the researcher.
            now_us: the time.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        payload = {"reason": reason, "why": why}
        self._out.log("agent.left", session=session, seat=session.seats[role], payload=payload)
        self._end(session, "partner_left", {})
        return self._out.finish()

    # What the researcher does

    def message(self, sid: str, text: str, now_us: int, roles: Sequence[str] = ()) -> Effects:
        """Sends a message of the researcher.

        Args:
            sid: of the session.
            text: its words.
            now_us: the time.
            roles: who is to read it; empty for all.

        Raises:
            UsageError: there is no such session or role, or nothing to say.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        text = text.strip()[:LONGEST_NOTICE]
        unknown = [role for role in roles if role not in session.seats]
        if not text or unknown:
            raise UsageError("A message needs words, and roles of the session.")
        payload = {"text": text, "roles": list(roles or session.seats)}
        self._out.log("moderator.message", session=session, payload=payload)
        return self._out.finish()

    def pause(self, sid: str, on: bool, now_us: int) -> Effects:
        """Pauses a session, or lets it go on.

        Args:
            sid: of the session.
            on: True to pause, False to go on.
            now_us: the time, in Unix microseconds.

        Raises:
            UsageError: there is no such session.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        if session.paused != on:
            self._out.log("moderator.pause", session=session, payload={"on": on})
        return self._out.finish()

    def end(self, sid: str, now_us: int) -> Effects:
        """Ends a session.

        Raises:
            UsageError: there is no such session.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        self._out.log("moderator.end", session=session)
        everybody = {seat.pid: "ended_by_moderator" for seat in session.seats.values()}
        self._end(session, "ended_by_moderator", everybody)
        return self._out.finish()

    def _session(self, sid: str) -> LiveSession:
        session = self.ledger.sessions.get(sid)
        if session is None:
            raise UsageError(f"There is no session {sid!r} under way.")
        return session

    # What time does

    def recover(self, now_us: int) -> Effects:
        """Goes on after a restart: nobody is connected, and everybody has a while to come back."""
        self._out.begin(now_us)
        self.excuse(now_us)
        for session in self.ledger.sessions.values():
            for seat in session.seats.values():
                if seat.came and not seat.model:
                    payload = {"reason": "restart"}
                    kind = "participant.disconnected"
                    self._out.log(kind, session=session, seat=seat, payload=payload)
        return self._out.finish()

    def tick(self, now_us: int) -> Effects:
        """Lets time pass: pairs who waits, and sees to who is silent or gone."""
        self._out.begin(now_us)
        for session in list(self.ledger.sessions.values()):
            self._look_after(session)
        for person in list(self.ledger.people.values()):
            if person.stage not in ("playing", "out"):
                self._look_after_waiting(person)
        self._pair()
        return self._out.finish()

    def _look_after(self, session: LiveSession) -> None:
        times, now_us = self.settings.times, self._out.now_us
        gone = []
        for seat in session.seats.values():
            if seat.model:
                continue
            person = self.person(seat.pid)
            unseen_s = (now_us - person.seen_us) / SECOND_US
            if person.connection is not None and unseen_s > times.absent_s:
                self._lose(person, "silent")
            if not seat.absent and unseen_s > times.absent_s:
                self._out.log("participant.absent", session=session, seat=seat)
            if seat.absent and unseen_s > times.absent_s + times.grace_s:
                gone.append(seat.pid)
        if gone:
            self._end(session, "partner_left", dict.fromkeys(gone, "timed_out"))
        elif now_us - session.created_us > times.session_s * SECOND_US:
            everybody = {seat.pid: "time_over" for seat in session.seats.values()}
            self._end(session, "time_over", everybody)
        elif session.started and not session.paused:
            self._run_timers(session)
            if session.sid in self.ledger.sessions:
                self._look_after_silence(session)

    def _run_timers(self, session: LiveSession) -> None:
        for timer in session.scenario.timers(session.state):
            if timer.at_us > self._out.now_us:
                continue
            if timer.act.type == "session.ended":
                # How sessions end is the same for all scenarios.
                everybody = {seat.pid: "time_over" for seat in session.seats.values()}
                self._end(session, "time_over", everybody)
                return
            act = msgspec.structs.replace(timer.act, at_us=self._out.tick_us())
            state = session.try_act(act)
            if not isinstance(state, Refusal):
                self._out.log(act.type, session=session, payload=act.payload, state=state)
            break
        if session.scenario.is_over(session.state):
            self._complete(session)

    def _look_after_silence(self, session: LiveSession) -> None:
        times = self.settings.times
        closed = []
        for seat in session.seats.values():
            if seat.silent_us is None:
                continue
            silent_s = (self._out.now_us - seat.silent_us) / SECOND_US
            for after_s, level, done in (
                (times.nudge_s, "nudge", seat.nudged),
                (times.tell_s, "tell", seat.told),
                (times.offer_s, "offer", seat.offered),
            ):
                if silent_s > after_s and not done:
                    payload = {"level": level}
                    self._out.log("participant.nudged", session=session, seat=seat, payload=payload)
            if silent_s > times.close_s:
                closed.append(seat.pid)
        if closed:
            self._end(session, "silence", dict.fromkeys(closed, "timed_out"))

    def _look_after_waiting(self, person: Participant) -> None:
        times, now_us = self.settings.times, self._out.now_us
        unseen_s = (now_us - person.seen_us) / SECOND_US
        stayed_s = (now_us - person.since_us) / SECOND_US
        if person.connection is not None and unseen_s > times.absent_s:
            self._lose(person, "silent")
        if person.stage == "waiting":
            if unseen_s > times.absent_s + times.grace_s:
                self._see_out(person, "timed_out")
            elif not self._turn_away(person) and stayed_s > times.wait_s and not person.offered:
                self._out.log("participant.offered", pid=person.pid)
        elif stayed_s > times.lobby_s:
            self._see_out(person, "timed_out")

    def _pair(self) -> None:
        present_us = self._out.now_us - int(self.settings.times.present_s * SECOND_US)
        waiting = [
            person
            for person in self.ledger.people.values()
            if person.stage == "waiting"
            and (person.connection is not None or self._is_for_one)
            and person.seen_us >= present_us
            and person.sessions < self.settings.quotas.sessions_each
        ]
        roles = self.ledger.scenario.roles
        if self.ledger.assignments is not None:
            for person in waiting:
                found = self._find_next(person)
                if found is not None:
                    self._seat(found)
            return
        waiting = self._pair_with_models(waiting)
        if len(waiting) < len(roles):
            return
        rng = Random(f"{self.settings.seed}:{self.ledger.seqs[LOBBY]}")
        pairing = pair_people(waiting, roles, self.ledger.material_use, rng, self._places())
        for group in pairing.groups:
            # The event counts the use, here as after a restart.
            self.ledger.material_use.uses[group.material] -= 1
        for group in pairing.groups:
            if not self._is_full(under_way=True):
                self._seat(group)
        for refused in pairing.refused:
            if (*refused.people, refused.reason) not in self.ledger.refused_pairs:
                payload = {"people": list(refused.people), "reason": refused.reason}
                self._out.log("pairing.refused", payload=payload)

    def _pair_with_models(self, waiting: Sequence[Participant]) -> list[Participant]:
        """Seats those who are to meet a model; returns the others."""
        models = self.settings.models
        if models is None:
            return list(waiting)
        ours = [person for person in waiting if person.partner == "model"]
        if ours and not models.is_spent(self.ledger.spent):
            roles = [role for role in self.ledger.scenario.roles if role not in models.seats]
            rng = Random(f"{self.settings.seed}:models:{self.ledger.seqs[LOBBY]}")
            pairing = pair_people(ours, roles, self.ledger.material_use, rng, self._places())
            for group in pairing.groups:
                self.ledger.material_use.uses[group.material] -= 1  # the event counts the use
            for group in pairing.groups:
                if not self._is_full(under_way=True):
                    self._seat(group)
        return [person for person in waiting if person.partner != "model"]

    def _find_next(self, person: Participant) -> Group | None:
        """Finds what somebody who works alone is given next; None where there is nothing."""
        assignments = self.ledger.assignments
        [role] = self.ledger.scenario.roles
        asked = () if person.role is None else (role,)
        if (
            assignments is None
            or person.sessions >= self.settings.quotas.sessions_each
            or self._is_full(under_way=True)
            or (asked and self._places().get(role, 1) < 1)
        ):
            return None
        piece = assignments.choose(person.number)
        return Group({role: person.pid}, piece, asked) if piece is not None else None

    def _places(self) -> dict[str, int]:
        """Counts how many of the people who came for a role may still be seated."""
        under_way = [role for each in self.ledger.sessions.values() for role in each.asked]
        return {
            role: wanted - self.ledger.filled.get(role, 0) - under_way.count(role)
            for role, wanted in self.settings.quotas.roles.items()
        }

    def _seat(self, group: Group, *, same_page: bool = False) -> None:
        """Begins a session.

        Args:
            group: who sits where, and with what.
            same_page: whether their pages show a session already, and are to show this one.
        """
        models = {role: name for role, name in self._models.items() if role not in group.seats}
        agents = {role: self._name_agent(name) for role, name in models.items()}
        roles = self.ledger.scenario.roles
        seats = {role: group.seats.get(role) or agents[role] for role in roles}
        number = self.ledger.created + 1
        sid = f"s{number:04d}"
        # Seeded with a text, which gives the same numbers in every process; ``hash`` of one would
        # not.
        seed = Random(f"{self.settings.seed}:session:{number}").randrange(2**31)
        scenario = self.ledger.scenario
        made: dict[str, Any] = {"number": number, "piece": group.material, "seed": seed}
        rules = {"scenario": scenario.name, "version": scenario.version}
        self._out.log("session.created", sid=sid, payload={**made, **rules})
        paired: dict[str, Any] = {**made, "seats": seats}
        if models:
            paired["models"] = {
                role: {"model": name, "prompt": self.prompt} for role, name in models.items()
            }
        if group.asked:
            # Kept here, since who came for what is not known any more once somebody is erased.
            paired["asked"] = list(group.asked)
        self._out.log("session.paired", sid=sid, payload=paired)
        for pid in group.seats.values():
            self._out.stop_waiting(pid)
            person = self.person(pid)
            if not same_page:
                self._out.send(person, {"type": "stage", "stage": "playing"})
            elif person.connection is not None:
                session = self._session(sid)
                self._take_seat(session, session.seat_of(pid), 0)
                self._out.welcome(person)

    @property
    def _models(self) -> dict[str, str]:
        return self.settings.models.seats if self.settings.models is not None else {}

    def _name_agent(self, model: str) -> str:
        """Returns the pseudonym of a model, which has a number as people have."""
        if model not in self.ledger.agents:
            number = self.ledger.arrivals + 1
            payload = {"number": number, "agent": f"model-{number}", "model": model}
            self._out.log("agent.arrived", payload=payload)
        return self.ledger.agents[model]

    @property
    def _is_for_one(self) -> bool:
        """Whether people play alone, so that nobody waits."""
        return len(self.ledger.scenario.roles) == 1

    def _full_for(self, person: Participant) -> Quota | None:
        """Says which quota keeps somebody from playing; None for none."""
        models = self.settings.models
        is_spent = models is not None and models.is_spent(self.ledger.spent)
        if self._is_full() or (is_spent and person.partner == "model"):
            return "study"
        wanted = self.settings.quotas.roles.get(person.role or "")
        if wanted is not None and self.ledger.filled.get(person.role or "", 0) >= wanted:
            return "role"
        assignments = self.ledger.assignments
        if assignments is None:
            return None if self.ledger.material_use.has_fresh(person.seen) else "material"
        if self._is_looked_at(person):
            return "review"
        return None if assignments.choose(person.number) is not None else "material"

    def _turn_away(self, person: Participant) -> bool:
        """Sees somebody out for whom a quota is full; says whether one is."""
        quota = self._full_for(person)
        if quota is not None:
            self._see_out(person, "quota_full", quota)
        return quota is not None

    def _is_full(self, *, under_way: bool = False) -> bool:
        """Says whether there are sessions enough; with those under way, if asked."""
        wanted = self.settings.quotas.sessions
        if wanted is None:
            return False
        done = self.ledger.ends.get("completed", 0)
        return done + (len(self.ledger.sessions) if under_way else 0) >= wanted

    # How sessions end, and people leave

    def _complete(self, session: LiveSession) -> None:
        done = session.scenario.is_complete(session.state)
        way_out: Exit = "completed" if done else "time_over"
        exits = {seat.pid: way_out for seat in session.seats.values()}
        goes_on = done and self.ledger.assignments is not None
        self._end(session, way_out, exits, goes_on=goes_on)

    def _end(
        self, session: LiveSession, reason: str, exits: dict[str, Any], *, goes_on: bool = False
    ) -> None:
        """Ends a session; whoever has no exit of their own was left by their partner.

        Who was left before the session began goes back to wait, if still there.

        Args:
            session: that ends.
            reason: why.
            exits: by pseudonym.
            goes_on: whether its people are given the next piece, if there is one for them.
        """
        seats = [seat for seat in session.seats.values() if not seat.model]
        again = [
            seat.pid
            for seat in seats
            if not session.started
            and seat.pid not in exits
            and self.person(seat.pid).connection is not None
        ]
        payload = {"reason": reason, "again": again}
        self._out.log("session.ended", session=session, payload=payload)
        for seat in seats:
            person = self.person(seat.pid)
            if seat.pid in again:
                self._out.send(person, {"type": "stage", "stage": "waiting"})
            elif not goes_on or not self._go_on(person):
                looked_at = goes_on and self._is_looked_at(person)
                quota: Quota | None = "review" if looked_at else None
                self._see_out(person, exits.get(seat.pid, "partner_left"), quota)

    def _go_on(self, person: Participant) -> bool:
        """Gives somebody the next piece on the same page; says whether there was one."""
        found = self._find_next(person)
        if found is None:
            return False
        payload = {"exit": "completed", "class": self.settings.payment.class_of("completed")}
        self._out.log("participant.continued", pid=person.pid, payload={**payload, "code": ""})
        self._seat(found, same_page=True)
        return True

    def _is_looked_at(self, person: Participant) -> bool:
        assignments = self.ledger.assignments
        return assignments is not None and assignments.is_under_review(person.number)

    def _see_out(self, person: Participant, way_out: Exit, quota: Quota | None = None) -> None:
        payment = self.settings.payment
        payload: dict[str, Any] = {
            "exit": way_out,
            "class": payment.class_of(way_out),
            "code": payment.codes.get(way_out) or self._receipt(person.pid),
        }
        if quota is not None:
            payload["quota"] = quota
        self._out.log("participant.coded", pid=person.pid, payload=payload)
        self._out.stop_waiting(person.pid)
        self._out.send(person, self._standing(person))

    def _standing(self, person: Participant) -> dict[str, Any]:
        """Says where a person is who is in no session."""
        if person.stage == "out":
            return {"type": "ended", "reason": person.way_out, "code": person.code}
        return {"type": "stage", "stage": person.stage}

    def _lose(self, person: Participant, reason: Literal["closed", "silent"]) -> None:
        """Notes that a person's browser is not connected any more."""
        connection, person.connection = person.connection, None
        if connection is not None and reason == "silent":
            self._connections.pop(connection, None)
            self._out.close(connection, {"type": "lost"})
        session = self.ledger.sessions.get(person.session or "")
        payload = {"reason": reason}
        if session is not None:
            seat = session.seat_of(person.pid)
            seat.shown = None
            self._out.log("participant.disconnected", session=session, seat=seat, payload=payload)
        elif person.stage == "waiting":
            self._out.log("participant.disconnected", pid=person.pid, payload=payload)


def _read_act(message: dict[str, Any], role: str, at_us: int) -> Act | None:
    """Reads an act of a browser; None where it is none."""
    kind, payload, in_round = (message.get(name) for name in ("type", "payload", "round"))
    if not isinstance(kind, str) or not isinstance(payload, dict):
        return None
    if in_round is not None and type(in_round) is not int:
        return None
    return Act(kind, role, payload, at_us, in_round)


def _reject(msg_id: str | None, code: str) -> dict[str, Any]:
    return {"type": "reject", "client_msg_id": msg_id, "code": code, "parameters": {}}
