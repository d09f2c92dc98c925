"""The course of a study: what people, moderators and the clock may do, and what comes of it.

The hall knows no socket, file or clock: :meth:`Hall.do` is told what happens and when, and gives
back :class:`~commonground.play.collect.live.outbox.Effects`. It is made of parts, each of which
knows those above it only:

- ``limits``: who may play, by the quotas;
- ``seating``: how sessions begin and end, and how people are seen out;
- ``waiting``: who is seated of those who wait;
- ``presence``: whose browsers are connected;
- ``patience``: what becomes of who is silent or gone;
- ``acting``: what players do;
- ``models``: what language models do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec

from commonground.errors import UsageError
from commonground.play.collect import events
from commonground.play.collect.live.acting import Acting
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.limits import Limits
from commonground.play.collect.live.model_turns import ModelTurns
from commonground.play.collect.live.outbox import Effects, Outbox
from commonground.play.collect.live.patience import Patience
from commonground.play.collect.live.presence import Presence
from commonground.play.collect.live.seating import Seating
from commonground.play.collect.live.waiting import WaitingRoom
from commonground.play.collect.live.watching import Watcher
from commonground.play.collect.setup.questions import Answers, When
from commonground.play.collect.setup.study import Settings
from commonground.play.scenarios import get_scenario

P = ParamSpec("P")

LONGEST_NOTICE = 1_000
"""Characters of a message of the researcher."""


class Hall:
    """A study while it is served; ``receipt`` makes a participant's own code from the pseudonym."""

    def __init__(self, settings: Settings, ledger: Ledger, receipt: Callable[[str], str]) -> None:
        outcome = get_scenario(settings.scenario).outcome()
        best = outcome.best if outcome is not None else 0.0
        self.watcher = Watcher(settings.watch, ledger, best)
        self.settings = settings
        self.ledger = ledger
        self._out = out = Outbox(ledger)
        self.limits = Limits(settings, ledger)
        self.seating = Seating(settings, out, self.limits, receipt)
        self.waiting = WaitingRoom(settings, out, self.limits, self.seating)
        self.presence = Presence(out, self.seating)
        self.patience = Patience(settings.times, out, self.seating, self.presence)
        self.acting = Acting(settings.words, out, self.seating, self.presence)
        self.models = ModelTurns(settings.models, out, self.seating, self.acting)

    def do(
        self, now_us: int, act: Callable[P, object], *args: P.args, **options: P.kwargs
    ) -> Effects:
        """Has something happen, and returns what came of it.

        Args:
            now_us: Unix microseconds.
            act: what happens: a method of the hall, or of its parts, that returns nothing.

        Raises:
            UsageError: it cannot happen.
        """
        self._out.begin(now_us)
        act(*args, **options)
        return self._out.finish()

    # What people do on pages

    def arrive(
        self,
        pid: str,
        *,
        language: str,
        platform: str,
        role: str | None = None,
        browser: str | None = None,
    ) -> None:
        """Lets somebody in; somebody who was here before stays where they were.

        Args:
            platform: ``plain``, ``prolific``, ``sona`` or ``mturk``.
            role: the only seat that the person may take; None for any.
            browser: by what the study knows the person's browser; None where it does not.
        """
        if pid not in self.ledger.people:
            # Whatever else an address says is no role, and the person may take any seat.
            seat = role if role in self.ledger.scenario.roles else None
            number = self.ledger.arrivals + 1
            arrived = events.ParticipantArrived(number, language, platform, seat, browser)
            self._out.log(arrived, pid=pid)
            self.seating.turn_away(self.ledger.person(pid))

    def consent(self, pid: str, *, version: str, digest: str, browser: str | None = None) -> None:
        """Notes that somebody agreed to a consent text of a version and hash.

        Args:
            digest: SHA-256 of the text that was shown.
            browser: None where it is not known.
        """
        person = self.ledger.person(pid)
        if person.stage == "arrived":
            agreed = events.ParticipantConsented(version, digest, person.language, browser)
            self._out.log(agreed, pid=pid)

    def answer_questions(self, pid: str, *, when: When, answers: Answers) -> None:
        """Notes what somebody answered to the researcher's own questions, once."""
        if when not in self.ledger.person(pid).answered:
            self._out.log(events.ParticipantAnswered(when, answers), pid=pid)

    def check_device(
        self, pid: str, *, failed: Sequence[str], measured: Mapping[str, float]
    ) -> None:
        """Notes what somebody's browser could do of what the study needs."""
        if self.ledger.person(pid).stage == "consented":
            self._out.log(events.ParticipantChecked(list(failed), dict(measured)), pid=pid)

    def answer_quiz(self, pid: str, *, answers: Sequence[int], right: bool) -> None:
        """Notes the answers to the quiz; who fails too often is screened out.

        Args:
            answers: number of the option chosen for each question, in their order.
            right: whether all of them are.
        """
        person = self.ledger.person(pid)
        if person.stage == "consented":
            what = events.ParticipantInstructed if right else events.ParticipantFailedQuiz
            self._out.log(what(list(answers)), pid=pid)
            if person.tries >= self.settings.quotas.quiz_tries:
                self.seating.see_out(person, "screened_out")

    def get_ready(self, pid: str) -> None:
        """Lets somebody into the waiting room: after the warm-up, or to play again."""
        person = self.ledger.person(pid)
        may = person.stage == "instructed" or self.limits.may_play_again(person)
        if may and not self.seating.turn_away(person):
            self.waiting.enter(person)

    def leave(self, pid: str) -> None:
        """Lets somebody go who wants to: the paid exits where they were offered, else withdrawn."""
        person = self.ledger.person(pid)
        session = self.ledger.sessions.get(person.session or "")
        if session is not None:
            others = session.others(pid)
            if any(seat.offered for seat in others):
                silent = [seat.pid for seat in others if seat.offered or seat.absent]
                self.seating.end_without(session, "partner_left", silent)
            elif self.ledger.assignments is not None and person.completed:
                self.seating.end(session, "stopped", {pid: "stopped"})
            else:
                self._out.log(
                    events.ParticipantWithdrew(), session=session, seat=session.seat_of(pid)
                )
                self.seating.end(session, "withdrew", {pid: "withdrew"})
        elif person.stage == "waiting" and person.offered:
            self.seating.see_out(person, "waited_out")
        elif person.stage == "consented" and person.fit is False:
            self.seating.see_out(person, "unfit")
        elif person.stage != "out":
            self._out.log(events.ParticipantWithdrew(), pid=pid)
            self.seating.see_out(person, "withdrew")

    def forget(self, pid: str) -> None:
        """Takes somebody out of what is going on, before the log is cleared of the person."""
        self.leave(pid)
        self.presence.forget(pid)
        self._out.stop_waiting(pid)
        self.ledger.forget(pid)

    # What the researcher does

    def message(self, sid: str, text: str, roles: Sequence[str] = ()) -> None:
        """Sends a message of the researcher to some roles; to all where none is named.

        Raises:
            UsageError: there is no such session or role, or nothing to say.
        """
        session = self.ledger.session(sid)
        text = text.strip()[:LONGEST_NOTICE]
        unknown = [role for role in roles if role not in session.seats]
        if not text or unknown:
            raise UsageError("A message needs words, and roles of the session.")
        self._out.log(events.ModeratorMessage(text, list(roles or session.seats)), session=session)

    def pause(self, sid: str, on: bool) -> None:
        """Pauses a session, or lets it go on.

        Raises:
            UsageError: there is no such session.
        """
        session = self.ledger.session(sid)
        if session.paused != on:
            self._out.log(events.ModeratorPause(on), session=session)

    def close(self, on: bool) -> None:
        """Lets nobody else begin, or lets people begin again; games under way go on."""
        if self.ledger.closed != on:
            self._out.log(events.ModeratorClosed(on))

    def exclude(self, pid: str, reason: str, *, on: bool = True) -> None:
        """Takes all that somebody did for not done, or takes that back; pay stays as it is.

        What the person is in the middle of ends, as if the researcher had ended it. What counts no
        more is given to others.

        Args:
            reason: in words; needed to exclude.
            on: False to take it back.

        Raises:
            UsageError: there is no such person, or no reason.
        """
        person, reason = self.ledger.person(pid), reason.strip()[:LONGEST_NOTICE]
        if on and not reason:
            raise UsageError("Say why: people who read the study later will ask.")
        if on == (person.excluded is not None):
            return
        self._out.log(events.ModeratorExcluded(on, reason), pid=pid)
        session = self.ledger.sessions.get(person.session or "")
        if on and session is not None:
            self.seating.end_for_all(session, "ended_by_moderator")
        elif on and person.stage != "out":
            self.seating.see_out(person, "ended_by_moderator")

    def clear(self, pid: str) -> None:
        """Lets somebody go on who was stopped because their work should be looked at first.

        Raises:
            UsageError: there is no such person.
        """
        if not self.ledger.person(pid).cleared:
            self._out.log(events.ModeratorCleared(), pid=pid)

    def tell(self, pid: str, text: str) -> None:
        """Writes to one person, whose page shows it wherever the person is.

        Raises:
            UsageError: there is no such person, or nothing to say.
        """
        person, text = self.ledger.person(pid), text.strip()[:LONGEST_NOTICE]
        if not text:
            raise UsageError("A message needs words.")
        session = self.ledger.sessions.get(person.session or "")
        self._out.log(events.ModeratorTold(text), pid=pid)
        if session is not None:
            seat = session.seat_of(pid)
            self._out.log(events.ModeratorMessage(text, [seat.role]), session=session)
        elif person.stage == "waiting":
            # Its page is loaded anew, and shows what was written.
            self._out.send(person, self.seating.standing(person))

    def give_bonus(self, pid: str, cents: int, purpose: str) -> None:
        """Notes a bonus in the payment table, one for each purpose.

        Raises:
            UsageError: there is no such person, or another amount was noted for this purpose.
        """
        before = self.ledger.person(pid).bonuses.get(purpose)
        if before not in (None, cents):
            raise UsageError(
                f"A bonus of {before / 100:.2f} was noted for {purpose!r}.",
                "One is noted for each purpose: name another one.",
            )
        if before is None:
            self._out.log(events.ModeratorBonus(cents, purpose), pid=pid)

    def decide(self, decided: events.ModeratorDecided) -> None:
        """Notes what somebody decided where people differ.

        Raises:
            UsageError: there is no such unit, candidate or answer; or nobody says who decides.
        """
        pieces = self.ledger.stock.pieces
        unit = pieces[decided.piece] if 0 <= decided.piece < len(pieces) else None
        if self.ledger.assignments is None or unit is None:
            raise UsageError(f"There is no unit {decided.piece} to decide on.")
        if decided.candidate not in {each.id for each in unit.candidates}:
            raise UsageError(f"The unit {unit.id} has no {decided.candidate!r}.")
        if decided.answer not in unit.answers:
            raise UsageError(f"{decided.answer!r} is none of {', '.join(unit.answers)}.")
        if not decided.by.strip():
            raise UsageError("Say who decides: exports name that person.")
        self._out.log(decided)

    def end(self, sid: str) -> None:
        """Ends a session.

        Raises:
            UsageError: there is no such session.
        """
        session = self.ledger.session(sid)
        self._out.log(events.ModeratorEnd(), session=session)
        self.seating.end_for_all(session, "ended_by_moderator")

    # What time does

    def tick(self) -> None:
        """Lets time pass: pairs who waits, and sees to who is silent or gone."""
        self.patience.look_after_all()
        if self.watcher.is_due and not self.ledger.closed:
            self._out.log(events.ModeratorClosed(on=True, by="target"))
        self.waiting.pair()
