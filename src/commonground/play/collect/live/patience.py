"""What time does: who is silent or gone is seen to, and timers of scenarios run out."""

from __future__ import annotations

import msgspec

from commonground.play.collect import events
from commonground.play.collect.events import NudgeLevel
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.presence import Presence
from commonground.play.collect.live.seating import SECOND_US, Seating
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.study import Times
from commonground.play.scenario import Refusal


class Patience:
    """Sees to everybody, by the times of a study."""

    def __init__(self, times: Times, out: Outbox, seating: Seating, presence: Presence) -> None:
        self._times = times
        self._ledger = out.ledger
        self._out = out
        self._seating = seating
        self._presence = presence

    def look_after_all(self) -> None:
        """Does what is due by now."""
        # A copy: sessions that end are taken out meanwhile.
        for session in list(self._ledger.sessions.values()):
            self._look_after(session)
        for person in list(self._ledger.people.values()):
            if person.stage not in ("playing", "out"):
                self._look_after_waiting(person)

    def _look_after(self, session: LiveSession) -> None:
        times, now_us = self._times, self._out.now_us
        gone = []
        for seat in session.seats.values():
            if seat.model:
                continue
            person = self._ledger.person(seat.pid)
            unseen_s = (now_us - person.seen_us) / SECOND_US
            if person.connection is not None and unseen_s > times.absent_s:
                self._presence.lose(person, "silent")
            if not seat.absent and unseen_s > times.absent_s:
                absent = events.ParticipantAbsent(person.seen_us)
                self._out.log(absent, session=session, seat=seat)
            if seat.absent and unseen_s > times.absent_s + times.grace_s:
                gone.append(seat.pid)
        late_s = (now_us - session.created_us) / SECOND_US
        if not gone and session.asks and not session.started and late_s > times.ready_s:
            gone = [each.pid for each in session.seats.values() if not each.ready]
        if gone:
            self._seating.end_without(session, "partner_left", gone)
        elif now_us - session.created_us > times.session_s * SECOND_US:
            self._seating.end_for_all(session, "time_over")
        elif session.started and not session.paused:
            self._run_timers(session)
            # A timer may have ended it.
            if session.sid in self._ledger.sessions:
                self._look_after_silence(session)

    def _run_timers(self, session: LiveSession) -> None:
        for timer in session.scenario.timers(session.state):
            if timer.at_us > self._out.now_us:
                continue
            if timer.act.type == "session.ended":
                # How sessions end is the same for all scenarios.
                self._seating.end_for_all(session, "time_over")
                return
            act = msgspec.structs.replace(timer.act, at_us=self._out.tick_us())
            state = session.try_act(act)
            if not isinstance(state, Refusal):
                self._out.log(events.ActTaken(act.type, act.payload), session=session, state=state)
            # At most one timer at a time: its act changes the state that the others were read from.
            break
        if session.scenario.is_over(session.state):
            self._seating.complete(session)

    def _look_after_silence(self, session: LiveSession) -> None:
        times = self._times
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
                    self._out.log(events.ParticipantNudged(level), session=session, seat=seat)
            if silent_s > times.close_s:
                closed.append(seat.pid)
        if closed:
            self._seating.end_without(session, "silence", closed)

    def _look_after_waiting(self, person: Participant) -> None:
        times, now_us = self._times, self._out.now_us
        unseen_s = (now_us - person.seen_us) / SECOND_US
        stayed_s = (now_us - person.since_us) / SECOND_US
        if person.connection is not None and unseen_s > times.absent_s:
            self._presence.lose(person, "silent")
        if person.stage == "waiting":
            if unseen_s > times.absent_s + times.grace_s:
                self._seating.see_out(person, person.way_lost)
            elif self._seating.turn_away(person):
                return
            elif stayed_s > times.wait_s and not person.offered:
                self._out.log(events.ParticipantOffered(), pid=person.pid)
        elif stayed_s > times.lobby_s:
            self._seating.see_out(person, "timed_out")
