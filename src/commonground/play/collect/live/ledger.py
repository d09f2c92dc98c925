"""What the log says now: its people and the sessions under way.

The same code follows an event as it happens and reads the log again after a restart, so that
there is one truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from commonground.errors import StoreError, UsageError
from commonground.play.collect import events
from commonground.play.collect.events import ERASED, LOBBY, Event, cost_of
from commonground.play.collect.live.pairing import MaterialUse
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.partners import name_condition
from commonground.play.collect.setup.stock import Stock
from commonground.play.scenario import Assignments, Scenario, Sitting


class Ledger:
    """People and sessions, as events tell of them.

    Args:
        scenario: the rules of the sessions.
        stock: what they are played with.
        assignments: who is given what, where that is not drawn; before anything was given.
    """

    def __init__(
        self, scenario: Scenario[Any, Any], stock: Stock, assignments: Assignments | None = None
    ) -> None:
        self.scenario = scenario
        self.stock = stock
        self.assignments = assignments
        self.material_use = MaterialUse(stock.met)
        self.people: dict[str, Participant] = {}
        self._answers: dict[str, dict[str, dict[str, Any]]] = {}  # of a person's last session
        self.sessions: dict[str, LiveSession] = {}
        self.ends: Counter[str] = Counter()  # sessions, by why they ended
        self.filled: Counter[str] = Counter()  # completed sessions of people who came for a role
        self.arrivals = 0
        self.agents: dict[str, str] = {}  # pseudonym by name of the model
        # People for whom it was drawn whether they meet a model, by the role they came for.
        self.drawn: Counter[str] = Counter()
        self.done_in: Counter[str] = Counter()  # completed sessions, by who sat in them
        self.spent = 0.0  # on models
        self.created = 0
        self.last_us = 0
        # Pictures that pages could not draw, as far as is known since the server was started.
        self.undrawn: Counter[str] = Counter()
        self.undrawn_us = 0
        self.refused_pairs: set[tuple[str, str, str]] = set()
        self.seqs: dict[str, int] = {LOBBY: 0}

    def person(self, pid: str) -> Participant:
        """Returns a participant.

        Raises:
            UsageError: there is none of that name, or no more.
        """
        person = self.people.get(pid)
        if person is None:
            raise UsageError("This link is not in use.", "Ask the person who gave it to you.")
        return person

    def session(self, sid: str) -> LiveSession:
        """Returns a session that is under way.

        Raises:
            UsageError: there is none of that id.
        """
        session = self.sessions.get(sid)
        if session is None:
            raise UsageError(f"There is no session {sid!r} under way.")
        return session

    def view(self, person: Participant) -> dict[str, Any]:
        """Returns all that a person's page shows."""
        session = self.sessions.get(person.session or "")
        if session is not None:
            return session.view(session.seat_of(person.pid).role)
        if person.stage == "waiting":
            return {"stage": "waiting", "since_us": person.since_us, "offered": person.offered}
        return {"stage": person.stage, "exit": person.way_out, "code": person.code}

    def forget(self, pid: str) -> None:
        """Takes a person whose data are erased, and is in no session, for one who never came."""
        person = self.people.pop(pid)
        if self.assignments is not None:
            self.assignments.forget(person.number)
        for other in self.people.values():
            if pid in other.partners:
                other.partners = tuple(each for each in other.partners if each != pid)
        pairs = self.refused_pairs
        self.refused_pairs = {each for each in pairs if pid not in each[:2]}

    def restore(self, log: Iterable[Event]) -> None:
        """Follows a whole log.

        Raises:
            StoreError: a session under way was begun by other rules, or does not follow them.
        """
        log = list(log)
        ended = {event.session for event in log if isinstance(event.what, events.SessionEnded)}
        for event in log:
            is_over = event.session in ended and self.assignments is None
            if isinstance(event.what, events.SessionCreated) and not is_over:
                begun, now = event.what.version, self.scenario.version
                if begun != now:
                    raise StoreError(
                        f"Session {event.session} is under way by version {begun} of the rules of "
                        f"{self.scenario.name}; this commonground has version {now}.",
                        "Finish it with the version that began it.",
                    )
            # Of a session that is over, only what its people met counts, and what came of it
            # where that decides who is given what.
            is_met = event.type.startswith(("session.", "participant.", "agent.", ERASED))
            if is_met or not is_over:
                self.follow(event)

    def follow(self, event: Event, state: Any = None) -> None:
        """Notes an event.

        Args:
            event: what happened.
            state: of the scenario after it, where it was found already; None to find it.
        """
        self.last_us = event.at_us
        self.seqs[event.session] = event.seq
        self.spent += cost_of(event.what)
        self._follow_study(event)
        person = self.people.get(event.participant or "")
        if person is not None:
            self._follow_person(person, event)
        session = self.sessions.get(event.session)
        if session is not None:
            session.follow(event, state)

    def _follow_study(self, event: Event) -> None:
        match event.what:
            case events.ParticipantArrived() as arrived:
                pid = event.participant or ""
                self.people[pid] = Participant(
                    pid=pid,
                    number=arrived.number,
                    language=arrived.language,
                    platform=arrived.platform,
                    role=arrived.role,
                    since_us=event.at_us,
                    seen_us=event.at_us,
                )
                # Not counted up: the numbers of people who were erased stay taken.
                self.arrivals = max(self.arrivals, arrived.number)
            case events.AgentArrived(number=number, agent=agent, model=model):
                self.agents[model] = agent
                self.arrivals = max(self.arrivals, number)
            case events.Erased(number=number):
                self.arrivals = max(self.arrivals, number or 0)
            case events.SessionCreated() as made:
                self.created = max(self.created, made.number)
                self.material_use.uses[made.piece] += 1
                if made.condition is not None:
                    self.material_use.within(made.condition).uses[made.piece] += 1
            case events.SessionPaired() as paired:
                self._pair(event, paired)
            case events.SessionEnded() as ended:
                self._end(event, ended)
            case events.PageUndrawn(picture=picture):
                self.undrawn[picture] += 1
                self.undrawn_us = event.at_us
            case events.PairingRefused(people=(one, two), reason=reason):
                self.refused_pairs.add((one, two, reason))

    def _follow_person(self, person: Participant, event: Event) -> None:
        match event.what:
            case events.ParticipantConsented():
                person.move_to("consented", event.at_us)
            case events.ParticipantInstructed():
                person.move_to("instructed", event.at_us)
            case events.ParticipantFailedQuiz():
                person.tries += 1
            case events.ParticipantReady() as ready:
                self._wait(person, event, ready)
            case events.ParticipantOffered():
                person.offered = True
            case events.ParticipantConnected() | events.ParticipantReturned():
                person.seen_us = event.at_us
            case events.ParticipantDisconnected():
                person.connection = None
            case events.ParticipantContinued():
                person.completed += 1
                person.session = None
                person.move_to("waiting", event.at_us)
            case events.ParticipantCoded(way_out=way_out, quota=quota, code=code):
                person.way_out, person.quota, person.code = way_out, quota, code
                person.completed += way_out == "completed"
                person.session = None
                person.move_to("out", event.at_us)

    # People who were erased are in no list any more.

    def _wait(self, person: Participant, event: Event, ready: events.ParticipantReady) -> None:
        person.move_to("waiting", event.at_us)
        if ready.partner is not None:
            # Counted at the first draw: who plays again keeps what was drawn then.
            self.drawn[person.role or ""] += person.partner is None
            person.partner, person.models = ready.partner, ready.models
        person.way_out = person.quota = person.code = None
        person.offered = False

    def _pair(self, event: Event, paired: events.SessionPaired) -> None:
        session = LiveSession(
            event.session,
            paired.number,
            scenario=self.scenario,
            material=self.stock.pieces[paired.piece],
            piece=paired.piece,
            seed=paired.seed,
            at_us=event.at_us,
        )
        session.sit(paired.seats, {role: each.model for role, each in paired.models.items()})
        self._assign(session)
        session.asked = tuple(paired.asked)
        self.sessions[event.session] = session
        here = [self.people[pid] for pid in paired.seats.values() if pid in self.people]
        for person in here:
            person.session = event.session
            person.sessions += 1
            session.seat_of(person.pid).number = person.sessions
            # A model remembers nobody, so meeting it again is meeting nobody twice.
            known = {person.pid, ERASED, *person.partners, *self.agents.values()}
            person.partners += tuple(pid for pid in paired.seats.values() if pid not in known)
            met = self.stock.met[paired.piece]
            person.seen = person.seen | met if person.seen else met
            person.move_to("playing", event.at_us)

    def _assign(self, session: LiveSession) -> None:
        """Notes that somebody was given a piece; people who were erased were given none."""
        if self.assignments is None:
            return
        for seat in session.seats.values():
            person = self.people.get(seat.pid)
            if person is not None:
                self.assignments.begin(person.number, session.piece)
                seat.earlier = self._answers.pop(seat.pid, {})

    def _take_back(self, session: LiveSession, reason: str) -> None:
        """Notes what came of a piece that somebody was given."""
        if self.assignments is None:
            return
        for seat in session.seats.values():
            person = self.people.get(seat.pid)
            if person is not None:
                records: Sequence[Any] = ()
                if reason == "completed":
                    # Sessions are numbered from 1, records from 0.
                    sitting = Sitting(session.number - 1, {seat.role: person.number})
                    records = self.scenario.finish(session.state, sitting)
                self.assignments.end(person.number, session.piece, records)
                self._answers[seat.pid] = seat.answers

    def _end(self, event: Event, ended: events.SessionEnded) -> None:
        session = self.sessions.pop(event.session, None)
        del self.seqs[event.session]  # nothing comes after the end
        self.ends[ended.reason] += 1
        if session is not None:
            if ended.reason == "completed":
                self.filled.update(session.asked)
                self.done_in[name_condition(session.models)] += 1
            self._take_back(session, ended.reason)
        for pid in ended.again:
            person = self.people.get(pid)
            if person is not None:
                person.session = None
                person.sessions -= 1
                person.move_to("waiting", event.at_us)
