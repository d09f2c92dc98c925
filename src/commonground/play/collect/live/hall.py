"""What people, browsers, moderators and the clock may do, and what comes of it.

The hall knows no socket, file or clock: it is told what happens and when, and gives back
:class:`~commonground.play.collect.live.outbox.Effects`. It stands on three modules, each on the one
before: :mod:`~commonground.play.collect.live.seating` begins and ends sessions,
:mod:`~commonground.play.collect.live.acting` takes the acts of players, and
:mod:`~commonground.play.collect.live.model_turns` those of language models.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.errors import UsageError
from commonground.play.collect.events import (
    ActTaken,
    ModeratorEnd,
    ModeratorMessage,
    ModeratorPause,
    NudgeLevel,
    ParticipantAbsent,
    ParticipantArrived,
    ParticipantConnected,
    ParticipantConsented,
    ParticipantDisconnected,
    ParticipantFailedQuiz,
    ParticipantInstructed,
    ParticipantNudged,
    ParticipantOffered,
    ParticipantWithdrew,
)
from commonground.play.collect.live.model_turns import ModelTurns
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.live.seating import SECOND_US
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.collect.people import Participant
from commonground.play.scenario import Refusal

LONGEST_NOTICE = 1_000
"""Characters of a message of the researcher."""


class Hall(ModelTurns):
    """A study while it is served.

    Args:
        settings: of the study.
        ledger: what the log says.
        receipt: makes a participant's own code from the pseudonym.
    """

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
            # Whatever else an address says is no role, and the person may take any seat.
            seat = role if role in self.ledger.scenario.roles else None
            number = self.ledger.arrivals + 1
            self._out.log(ParticipantArrived(number, language, platform, seat), pid=pid)
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
            self._out.log(ParticipantConsented(version, digest, person.language), pid=pid)
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
            what = ParticipantInstructed if right else ParticipantFailedQuiz
            self._out.log(what(list(answers)), pid=pid)
            if person.tries >= self.settings.quotas.quiz_tries:
                self._see_out(person, "screened_out")
        return self._out.finish()

    def get_ready(self, pid: str, now_us: int) -> Effects:
        """Lets somebody into the waiting room: after the warm-up, or to play again."""
        self._out.begin(now_us)
        person = self.person(pid)
        may = person.stage == "instructed" or self.may_play_again(person)
        if may and not self._turn_away(person):
            self._out.log(self._draw_partner(person), pid=pid)
            person.seen_us = now_us
            if self._is_for_one:
                self._pair()  # there is nobody to wait for
        return self._out.finish()

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
                self._out.log(ParticipantWithdrew(), session=session, seat=own)
                self._end(session, "withdrew", {pid: "withdrew"})
        elif person.stage == "waiting" and person.offered:
            self._see_out(person, "waited_out")
        elif person.stage != "out":
            self._out.log(ParticipantWithdrew(), pid=pid)
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
            self._out.log(ParticipantConnected(), pid=pid)
        self._out.welcome(person)
        return self._out.finish()

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
        self._out.log(ModeratorMessage(text, list(roles or session.seats)), session=session)
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
            self._out.log(ModeratorPause(on), session=session)
        return self._out.finish()

    def end(self, sid: str, now_us: int) -> Effects:
        """Ends a session.

        Raises:
            UsageError: there is no such session.
        """
        self._out.begin(now_us)
        session = self._session(sid)
        self._out.log(ModeratorEnd(), session=session)
        everybody = {seat.pid: "ended_by_moderator" for seat in session.seats.values()}
        self._end(session, "ended_by_moderator", everybody)
        return self._out.finish()

    # What time does

    def recover(self, now_us: int) -> Effects:
        """Goes on after a restart: nobody is connected, and everybody has a while to come back."""
        self._out.begin(now_us)
        self.excuse(now_us)
        for session in self.ledger.sessions.values():
            for seat in session.seats.values():
                if seat.came and not seat.model:
                    self._out.log(ParticipantDisconnected("restart"), session=session, seat=seat)
        return self._out.finish()

    def tick(self, now_us: int) -> Effects:
        """Lets time pass: pairs who waits, and sees to who is silent or gone."""
        self._out.begin(now_us)
        # A copy: sessions that end are taken out meanwhile.
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
                self._out.log(ParticipantAbsent(), session=session, seat=seat)
            if seat.absent and unseen_s > times.absent_s + times.grace_s:
                gone.append(seat.pid)
        if gone:
            self._end(session, "partner_left", dict.fromkeys(gone, "timed_out"))
        elif now_us - session.created_us > times.session_s * SECOND_US:
            everybody = {seat.pid: "time_over" for seat in session.seats.values()}
            self._end(session, "time_over", everybody)
        elif session.started and not session.paused:
            self._run_timers(session)
            # A timer may have ended it.
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
                self._out.log(ActTaken(act.type, act.payload), session=session, state=state)
            # At most one timer at a time: its act changes the state that the others were read from.
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
            steps: tuple[tuple[float, NudgeLevel, bool], ...] = (
                (times.nudge_s, "nudge", seat.nudged),
                (times.tell_s, "tell", seat.told),
                (times.offer_s, "offer", seat.offered),
            )
            for after_s, level, done in steps:
                if silent_s > after_s and not done:
                    self._out.log(ParticipantNudged(level), session=session, seat=seat)
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
                self._out.log(ParticipantOffered(), pid=person.pid)
        elif stayed_s > times.lobby_s:
            self._see_out(person, "timed_out")
