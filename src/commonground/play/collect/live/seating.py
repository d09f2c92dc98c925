"""Who may play, who plays with whom, and how sessions begin and end.

It is the part of :class:`~commonground.play.collect.live.hall.Hall` that the others stand on: what
people, models, the researcher and the clock do ends in a session begun or ended, or in somebody
seen out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Literal

from commonground.errors import UsageError
from commonground.play.collect.events import (
    LOBBY,
    AgentArrived,
    PairingRefused,
    ParticipantCoded,
    ParticipantConnected,
    ParticipantContinued,
    ParticipantDisconnected,
    ParticipantReady,
    ParticipantReturned,
    SeatedModel,
    SessionCreated,
    SessionEnded,
    SessionPaired,
    SessionStarted,
)
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.pairing import Group, MaterialUse, Pairing, pair_people
from commonground.play.collect.live.sessions import LiveSeat, LiveSession
from commonground.play.collect.people import Exit, Participant, Quota
from commonground.play.collect.setup.partners import draw_condition, draw_partner, name_condition
from commonground.play.collect.setup.study import Settings

SECOND_US = 1_000_000

_PLAY_AGAIN: tuple[Exit, ...] = ("completed", "partner_left", "time_over", "stopped")


class Seating:
    """Where people stand in a study, and the sessions they are in.

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

    def _session(self, sid: str) -> LiveSession:
        session = self.ledger.sessions.get(sid)
        if session is None:
            raise UsageError(f"There is no session {sid!r} under way.")
        return session

    # Who may play at all

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

    # Who plays with whom

    def _draw_partner(self, person: Participant) -> ParticipantReady:
        """Draws whether somebody meets a model; somebody who plays again meets the same kind."""
        models = self.settings.models
        if models is None or person.partner is not None:
            return ParticipantReady()
        roles, drawn = self.ledger.scenario.roles, self.ledger.drawn
        if models.conditions is not None and not models.is_spent(self.ledger.spent):
            number = drawn[person.role or ""]
            seats = draw_condition(models, roles, person.role, self.settings.seed, number)
            return ParticipantReady("model" if seats else "person", seats)
        if person.role in models.seats or models.is_spent(self.ledger.spent):
            return ParticipantReady("person")
        number = drawn.total()
        return ParticipantReady(draw_partner(models, len(roles), self.settings.seed, number))

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
        # By the number of the lobby's last event: the log has all that chance was drawn from.
        rng = Random(f"{self.settings.seed}:{self.ledger.seqs[LOBBY]}")
        pairing = self._seat_some(waiting, roles, rng, {})
        for refused in pairing.refused:
            if (*refused.people, refused.reason) not in self.ledger.refused_pairs:
                self._out.log(PairingRefused(refused.people, refused.reason))

    def _pair_with_models(self, waiting: Sequence[Participant]) -> list[Participant]:
        """Seats those who are to meet a model; returns the others."""
        models = self.settings.models
        if models is None:
            return list(waiting)
        ours: dict[str, list[Participant]] = {}
        for person in waiting:
            if person.partner == "model":
                seats = models.seats if person.models is None else person.models
                ours.setdefault(name_condition(seats), []).append(person)
        for each in ours.values():
            if not models.is_spent(self.ledger.spent):
                seats = models.seats if each[0].models is None else each[0].models
                roles = [role for role in self.ledger.scenario.roles if role not in seats]
                rng = Random(f"{self.settings.seed}:models:{self.ledger.seqs[LOBBY]}")
                self._seat_some(each, roles, rng, seats)
        return [person for person in waiting if person.partner != "model"]

    def _seat_some(
        self,
        waiting: Sequence[Participant],
        roles: Sequence[str],
        rng: Random,
        models: Mapping[str, str],
    ) -> Pairing:
        """Seats whoever can be seated of those who wait, beside models or without.

        Args:
            waiting: who waits for the same.
            roles: the seats that are for people.
            rng: decides what the rules leave open.
            models: in the other seats, by role.
        """
        use = self._use_in(models)
        pairing = pair_people(waiting, roles, use, rng, self._places())
        for group in pairing.groups:
            # The event counts the use, here as after a restart.
            use.uses[group.material] -= 1
        for group in pairing.groups:
            # Asked for each anew: every session that begins counts.
            if not self._is_full(under_way=True):
                self._seat(group, models)
        return pairing

    def _use_in(self, models: Mapping[str, str]) -> MaterialUse:
        """Returns how often material was used: in one condition, where the study has some."""
        whole = self.ledger.material_use
        return whole.within(name_condition(models)) if self._has_conditions else whole

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

    # How sessions begin

    def _seat(
        self, group: Group, models: Mapping[str, str] | None = None, *, same_page: bool = False
    ) -> None:
        """Begins a session.

        Args:
            group: who sits where, and with what.
            models: in the other seats, by role; None for none.
            same_page: whether their pages show a session already, and are to show this one.
        """
        models = models or {}
        agents = {role: self._name_agent(name) for role, name in models.items()}
        roles = self.ledger.scenario.roles
        seats = {role: group.seats.get(role) or agents[role] for role in roles}
        number = self.ledger.created + 1
        sid = f"s{number:04d}"
        seed = self._draw_seed(number, group.material, models)
        scenario = self.ledger.scenario
        made = SessionCreated(
            number=number,
            piece=group.material,
            seed=seed,
            condition=name_condition(models) if self._has_conditions else None,
            scenario=scenario.name,
            version=scenario.version,
        )
        self._out.log(made, sid=sid)
        paired = SessionPaired(
            number=number,
            piece=made.piece,
            seed=seed,
            condition=made.condition,
            seats=seats,
            models={role: SeatedModel(name, self.prompt) for role, name in models.items()},
            # Kept here, since who came for what is not known any more once somebody is erased.
            asked=list(group.asked),
        )
        self._out.log(paired, sid=sid)
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
    def _has_conditions(self) -> bool:
        models = self.settings.models
        return models is not None and models.conditions is not None

    def _draw_seed(self, number: int, piece: int, models: Mapping[str, str]) -> int:
        """Draws the seed of a session.

        Args:
            number: of the session.
            piece: number of what it is played with.
            models: in its seats.
        """
        # Seeded with a text, which gives the same numbers in every process; ``hash`` of one would
        # not.
        drawn_by = f"{self.settings.seed}:session:{number}"
        if self._has_conditions:
            # The same in each condition: the game that people play is the one that models play.
            uses = self._use_in(models).uses[piece]
            drawn_by = f"{self.settings.seed}:schedule:{piece}:{uses}"
        return Random(drawn_by).randrange(2**31)

    def _name_agent(self, model: str) -> str:
        """Returns the pseudonym of a model, which has a number as people have."""
        if model not in self.ledger.agents:
            number = self.ledger.arrivals + 1
            self._out.log(AgentArrived(number, f"model-{number}", model))
        return self.ledger.agents[model]

    def _take_seat(self, session: LiveSession, seat: LiveSeat, last_seq: int) -> None:
        what = ParticipantReturned if seat.came else ParticipantConnected
        self._out.log(what(last_seq), session=session, seat=seat)
        if not session.started and all(each.came for each in session.seats.values()):
            self._out.log(SessionStarted(), session=session)

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
        self._out.log(SessionEnded(reason, again), session=session)
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
        group = self.settings.payment.class_of("completed")
        self._out.log(ParticipantContinued("completed", group, ""), pid=person.pid)
        self._seat(found, same_page=True)
        return True

    def _is_looked_at(self, person: Participant) -> bool:
        assignments = self.ledger.assignments
        return assignments is not None and assignments.is_under_review(person.number)

    def _see_out(self, person: Participant, way_out: Exit, quota: Quota | None = None) -> None:
        payment = self.settings.payment
        code = payment.codes.get(way_out) or self._receipt(person.pid)
        coded = ParticipantCoded(way_out, payment.class_of(way_out), code, quota)
        self._out.log(coded, pid=person.pid)
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
        what = ParticipantDisconnected(reason)
        if session is not None:
            seat = session.seat_of(person.pid)
            seat.shown = None
            self._out.log(what, session=session, seat=seat)
        elif person.stage == "waiting":
            self._out.log(what, pid=person.pid)
