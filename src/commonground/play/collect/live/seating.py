"""How sessions begin and end, and how people are seen out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from random import Random
from typing import Any

from commonground.play.collect import events
from commonground.play.collect.live.limits import Limits
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.pairing import Group, MaterialUse
from commonground.play.collect.live.sessions import LiveSeat, LiveSession
from commonground.play.collect.people import Exit, Participant, Quota, Result
from commonground.play.collect.setup.partners import name_condition
from commonground.play.collect.setup.study import Settings
from commonground.play.scenarios import get_scenario

SECOND_US = 1_000_000


def find_result(session: LiveSession, at_us: int) -> Result:
    """Returns what a session came to that was played to its end."""
    outcome = get_scenario(session.scenario.name).outcome()
    # One point says that it went well or not: nothing to tell people.
    counts = outcome is not None and outcome.best > 1
    return Result(
        points=outcome.score(session.state) if outcome is not None and counts else None,
        best=outcome.best if outcome is not None else 0.0,
        seconds=(at_us - session.created_us) / SECOND_US,
    )


class Seating:
    """Begins and ends sessions; anyone who is in none after one is seen out, or waits.

    Attributes:
        prompt: version and hash of what models are told, for the log; empty without models.
    """

    def __init__(
        self, settings: Settings, out: Outbox, limits: Limits, receipt: Callable[[str], str]
    ) -> None:
        self.prompt = ""
        self._settings = settings
        self._ledger = out.ledger
        self._out = out
        self._limits = limits
        self._receipt = receipt

    def begin(
        self, group: Group, models: Mapping[str, str] | None = None, *, same_page: bool = False
    ) -> None:
        """Begins a session.

        Args:
            models: in the other seats, by role; None for none.
            same_page: whether their pages show a session already, and are to show this one.
        """
        models = models or {}
        agents = {role: self._name_agent(name) for role, name in models.items()}
        roles = self._ledger.scenario.roles
        seats = {role: group.seats.get(role) or agents[role] for role in roles}
        number = self._ledger.created + 1
        sid = f"s{number:04d}"
        # Seeded with a text, which gives the same numbers in every process; ``hash`` of one would
        # not.
        drawn_by = f"{self._settings.seed}:session:{number}"
        if self._has_conditions:
            # The same in each condition: the game that people play is the one that models play.
            uses = self.use_in(models).uses[group.material]
            drawn_by = f"{self._settings.seed}:schedule:{group.material}:{uses}"
        seed = Random(drawn_by).randrange(2**31)
        scenario = self._ledger.scenario
        made = events.SessionCreated(
            number=number,
            piece=group.material,
            seed=seed,
            condition=name_condition(models) if self._has_conditions else None,
            scenario=scenario.name,
            version=scenario.version,
        )
        self._out.log(made, sid=sid)
        paired = events.SessionPaired(
            number=number,
            piece=made.piece,
            seed=seed,
            condition=made.condition,
            seats=seats,
            models={role: events.SeatedModel(name, self.prompt) for role, name in models.items()},
            # Kept here, since who came for what is not known any more once somebody is erased.
            asked=list(group.asked),
            asks=self._settings.ready_click and len(group.seats) > 1,
        )
        self._out.log(paired, sid=sid)
        for pid in group.seats.values():
            self._out.stop_waiting(pid)
            person = self._ledger.person(pid)
            if not same_page and not paired.asks:
                self._out.send(person, {"type": "stage", "stage": "playing"})
            elif person.connection is not None:
                session = self._ledger.session(sid)
                self.take_seat(session, session.seat_of(pid), 0)
                self._out.welcome(person)

    def use_in(self, models: Mapping[str, str]) -> MaterialUse:
        """Returns how often material was used: in one condition, where the study has some."""
        whole = self._ledger.material_use
        return whole.within(name_condition(models)) if self._has_conditions else whole

    @property
    def _has_conditions(self) -> bool:
        models = self._settings.models
        return models is not None and models.conditions is not None

    def _name_agent(self, model: str) -> str:
        """Returns the pseudonym of a model, which has a number as people have."""
        if model not in self._ledger.agents:
            number = self._ledger.arrivals + 1
            self._out.log(events.AgentArrived(number, f"model-{number}", model))
        return self._ledger.agents[model]

    def take_seat(self, session: LiveSession, seat: LiveSeat, last_seq: int) -> None:
        """Notes that somebody's browser shows a session, which starts when everybody's does."""
        what = events.ParticipantReturned if seat.came else events.ParticipantConnected
        self._out.log(what(last_seq), session=session, seat=seat)
        self._start(session)

    def accept(self, session: LiveSession, seat: LiveSeat) -> None:
        """Notes that somebody said that they are there; the session starts when all have."""
        if session.asks and not session.started and not seat.ready:
            self._out.log(events.ParticipantAccepted(), session=session, seat=seat)
            self._start(session)

    def _start(self, session: LiveSession) -> None:
        if session.started or not session.may_start:
            return
        self._out.log(events.SessionStarted(), session=session)
        if session.asks:
            for seat in session.seats.values():
                # The page of the game is another one than that of the waiting room.
                seat.shown = None
                person = self._ledger.person(seat.pid)
                self._out.send(person, {"type": "stage", "stage": "playing"})

    def complete(self, session: LiveSession) -> None:
        """Ends a session that is over by its rules."""
        done = session.scenario.is_complete(session.state)
        if done:
            result = find_result(session, self._out.now_us)
            for seat in session.seats.values():
                if not seat.model:
                    self._ledger.person(seat.pid).result = result
        way_out: Exit = "completed" if done else "time_over"
        goes_on = done and self._ledger.assignments is not None
        self.end_for_all(session, way_out, goes_on=goes_on)

    def end_for_all(self, session: LiveSession, way_out: Exit, *, goes_on: bool = False) -> None:
        """Ends a session with one exit for everybody, which is the reason, too; see :meth:`end`."""
        exits = {seat.pid: way_out for seat in session.seats.values()}
        self.end(session, way_out, exits, goes_on=goes_on)

    def end(
        self, session: LiveSession, reason: str, exits: dict[str, Exit], *, goes_on: bool = False
    ) -> None:
        """Ends a session; anyone who has no exit of their own was left by their partner.

        Who was left before the session began goes back to wait, if still there.

        Args:
            exits: by pseudonym.
            goes_on: whether its people are given the next piece, if there is one for them.
        """
        seats = [seat for seat in session.seats.values() if not seat.model]
        again = [
            seat.pid
            for seat in seats
            if not session.started
            and seat.pid not in exits
            and self._ledger.person(seat.pid).connection is not None
        ]
        self._out.log(events.SessionEnded(reason, again), session=session)
        for seat in seats:
            person = self._ledger.person(seat.pid)
            if seat.pid in again and session.asks:
                # On the same page, which may play a sound since somebody clicked there.
                self._out.welcome(person)
            elif seat.pid in again:
                self._out.send(person, {"type": "stage", "stage": "waiting"})
            elif not goes_on or not self._go_on(person):
                looked_at = goes_on and self._limits.is_looked_at(person)
                quota: Quota | None = "review" if looked_at else None
                self.see_out(person, exits.get(seat.pid, "partner_left"), quota)

    def end_without(self, session: LiveSession, reason: str, gone: Collection[str]) -> None:
        """Ends a session because somebody of it is gone, people each by the exit that is theirs.

        Args:
            gone: pseudonyms of who is gone or silent, models among them.
        """
        people = [seat.pid for seat in session.seats.values() if not seat.model]
        exits = {pid: self._ledger.person(pid).way_lost for pid in people if pid in gone}
        self.end(session, reason, exits)

    def _go_on(self, person: Participant) -> bool:
        """Gives somebody the next piece on the same page; says whether there was one."""
        found = self._limits.find_next(person)
        if found is None:
            return False
        group = self._settings.payment.class_of("completed")
        self._out.log(events.ParticipantContinued("completed", group, ""), pid=person.pid)
        self.begin(found, same_page=True)
        return True

    def see_out(self, person: Participant, way_out: Exit, quota: Quota | None = None) -> None:
        """Gives somebody who leaves the code for their pay: the platform's, or their own receipt.

        Args:
            person: who is in no session any more.
            quota: which one is full, where that is why; None otherwise.
        """
        payment = self._settings.payment
        # Only Prolific knows by its code how somebody left. Elsewhere all would have the same code,
        # which shows nothing: a receipt is the person's own.
        codes = payment.codes if person.platform == "prolific" else {}
        code = codes.get(way_out) or self._receipt(person.pid)
        coded = events.ParticipantCoded(way_out, payment.class_of(way_out), code, quota)
        self._out.log(coded, pid=person.pid)
        self._out.stop_waiting(person.pid)
        self._out.send(person, self.standing(person))

    def turn_away(self, person: Participant) -> bool:
        """Sees somebody out for whom a quota is full; says whether one is."""
        quota = self._limits.full_for(person)
        if quota is not None:
            self.see_out(person, "quota_full", quota)
        return quota is not None

    def standing(self, person: Participant) -> dict[str, Any]:
        """Says where a person is who is in no session."""
        if person.stage == "out":
            return {"type": "ended", "reason": person.way_out, "code": person.code}
        return {"type": "stage", "stage": person.stage}
