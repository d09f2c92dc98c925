"""What the log says now: its people and the sessions under way.

The same code follows an event as it happens and reads the log again after a restart, so that
there is one truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from commonground.errors import StoreError, UsageError
from commonground.play.collect import events
from commonground.play.collect.events import ERASED, LOBBY, Event, cost_of
from commonground.play.collect.live.pairing import MaterialUse
from commonground.play.collect.live.sessions import Before, LiveSession
from commonground.play.collect.live.work import WorkBook
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.partners import name_condition
from commonground.play.collect.setup.stock import Stock
from commonground.play.scenario import Assignments, Scenario, Sitting


class DoneSession(msgspec.Struct, frozen=True):
    """A session that was played to its end.

    Attributes:
        people: pseudonyms of those in it.
        asked: roles whose people came for just that seat.
        players: name of the condition that its models make.
        piece: number of what it was played with.
        condition: that it was drawn for; None where the study has none.
        score: points of its end, where the study watches them.
        left_out: whether somebody in it was excluded whose data are erased.
    """

    people: tuple[str, ...]
    asked: tuple[str, ...]
    players: str
    piece: int
    condition: str | None
    score: float | None = None
    left_out: bool = False


class Ledger:
    """People and sessions, as events tell of them.

    Args:
        assignments: who is given what, where that is not drawn; before anything was given.
        score: points of a state, where the study watches them; None elsewhere.
    """

    def __init__(
        self,
        scenario: Scenario[Any, Any],
        stock: Stock,
        assignments: Assignments | None = None,
        score: Callable[[Any], float] | None = None,
    ) -> None:
        self._score = score
        self.scenario = scenario
        self.stock = stock
        self.assignments = assignments
        self.material_use = MaterialUse(stock.met)
        self.work = WorkBook(scenario.act_types)
        self.people: dict[str, Participant] = {}
        self._last: dict[str, LiveSession] = {}  # of a person who is given one after the other
        self.sessions: dict[str, LiveSession] = {}
        self.ends: Counter[str] = Counter()  # sessions, by why they ended
        self.done: dict[str, DoneSession] = {}  # those that were played to their end
        self.completed = 0  # of these, the ones of which nobody is excluded
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
        # What was decided where people differ, by unit and candidate, with the time.
        self.decisions: dict[tuple[int, str], tuple[events.ModeratorDecided, int]] = {}
        self.ended_us: dict[int, int] = {}  # sessions of people who are given pieces, from 0
        self.closed = False  # whether nobody else may begin
        self.reached = False  # whether that was for a target that is watched
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
            return session.page(session.seat_of(person.pid).role)
        if person.stage == "waiting":
            return {"stage": "waiting", "since_us": person.since_us, "offered": person.offered}
        return {"stage": person.stage, "exit": person.way_out, "code": person.code}

    def counts(self, session: DoneSession) -> bool:
        """Says whether a session counts: nobody of it is excluded."""
        return not session.left_out and all(
            pid not in self.people or self.people[pid].excluded is None for pid in session.people
        )

    def forget(self, pid: str) -> None:
        """Takes a person whose data are erased, and is in no session, for one who never came."""
        if self.people[pid].excluded is not None:
            self._leave_out([sid for sid, done in self.done.items() if pid in done.people])
        person = self.people.pop(pid)
        self.work.forget(pid)
        if self.assignments is not None:
            self.assignments.forget(person.number)
            self._last.pop(pid, None)
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
        whole = self._list_scored(log) if self._score is not None else frozenset()
        for event in log:
            is_over = event.session in ended and self.assignments is None
            is_over = is_over and event.session not in whole
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
            else:
                self.work.follow(event)

    def _list_scored(self, log: Sequence[Event]) -> frozenset[str]:
        """Returns the sessions whose states can be found again: by these rules, nothing erased."""
        mine = {
            event.session
            for event in log
            if isinstance(event.what, events.SessionCreated)
            and event.what.version == self.scenario.version
        }
        return frozenset(mine - {e.session for e in log if isinstance(e.what, events.Erased)})

    def follow(self, event: Event, state: Any = None) -> None:
        """Notes an event; the scenario's state after it is worked out where it is not given."""
        self.last_us = event.at_us
        self.seqs[event.session] = event.seq
        self.spent += cost_of(event.what)
        self.work.follow(event)
        self._follow_study(event)
        person = self.people.get(event.participant or "")
        if person is not None:
            self._follow_person(person, event)
        session = self.sessions.get(event.session)
        if session is not None:
            session.follow(event, state)
        elif person is not None and (before := self.find_previous(person)) is not None:
            self._correct(person, before, event, state)

    def find_previous(self, person: Participant) -> LiveSession | None:
        """Returns the session before the one that a person is in, which may be gone back to."""
        session = self.sessions.get(person.session or "")
        return session.previous if session is not None else None

    def _correct(self, person: Participant, before: LiveSession, event: Event, state: Any) -> None:
        """Notes what somebody does who went back to a session that is over."""
        if event.session != before.sid or self.assignments is None:
            return
        before.follow(event, state)
        if not isinstance(event.what, events.ActTaken):
            return
        sitting = Sitting(before.number - 1, dict.fromkeys(before.seats, person.number))
        records = self.scenario.finish(before.state, sitting)
        self.assignments.correct(person.number, before.piece, records)

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
                    browser=arrived.browser,
                    since_us=event.at_us,
                    seen_us=event.at_us,
                )
                # Not counted up: the numbers of people who were erased stay taken.
                self.arrivals = max(self.arrivals, arrived.number)
            case events.AgentArrived(number=number, agent=agent, model=model):
                self.agents[model] = agent
                self.arrivals = max(self.arrivals, number)
            case events.Erased(number=number, left_out=left_out):
                self.arrivals = max(self.arrivals, number or 0)
                self._leave_out(left_out)
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
            case events.ModeratorClosed(on=on, by=by):
                self.closed = on
                self.reached = self.reached or by == "target"
            case events.ModeratorDecided() as decided:
                self.decisions[decided.piece, decided.candidate] = (decided, event.at_us)
            case events.PairingRefused(people=(one, two), reason=reason):
                self.refused_pairs.add((one, two, reason))

    def _follow_person(self, person: Participant, event: Event) -> None:
        match event.what:
            case events.ParticipantConsented(browser=browser):
                person.agreed = True
                person.browser = browser or person.browser
                person.move_to("consented", event.at_us)
            case events.ParticipantChecked(failed=failed):
                person.fit = not failed
            case events.ParticipantAnswered(when=when):
                person.answered += (when,)
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
                person.closed = False
            case events.ParticipantDisconnected(reason=reason):
                person.connection = None
                person.closed = reason == "closed"
            case events.ParticipantContinued(group=group):
                person.completed += 1
                person.earned[group] = person.earned.get(group, 0) + 1
                person.session = None
                person.move_to("waiting", event.at_us)
            case events.ModeratorExcluded(on=on, reason=reason):
                # Its sessions are out of all counts, or back in them.
                own = [sid for sid, done in self.done.items() if person.pid in done.people]
                counted = {sid for sid in own if self.counts(self.done[sid])}
                person.excluded = reason if on else None
                self._recount(own, counted)
                if self.assignments is not None:
                    self.assignments.exclude(person.number, on)
            case events.ModeratorCleared():
                person.cleared = True
                if self.assignments is not None:
                    self.assignments.clear(person.number)
            case events.ModeratorTold(text=text):
                person.told += (text,)
            case events.ModeratorBonus(cents=cents, purpose=purpose):
                person.bonuses[purpose] = cents
            case events.ParticipantCoded(way_out=way_out, group=group, quota=quota, code=code):
                person.earned[group] = person.earned.get(group, 0) + 1
                person.way_out, person.quota, person.code = way_out, quota, code
                person.completed += way_out == "completed"
                person.session = None
                person.move_to("out", event.at_us)

    def _leave_out(self, sids: Iterable[str]) -> None:
        """Takes sessions out of all counts for good: nobody knows any more who was excluded."""
        own = [sid for sid in sids if sid in self.done]
        counted = {sid for sid in own if self.counts(self.done[sid])}
        for sid in own:
            self.done[sid] = msgspec.structs.replace(self.done[sid], left_out=True)
        self._recount(own, counted)

    def _recount(self, sids: Iterable[str], counted: set[str]) -> None:
        """Follows what changed of whether sessions count, of which some did before."""
        for sid in sids:
            session = self.done[sid]
            times = self.counts(session) - (sid in counted)
            self._count(session, times)
            # What does not count is played again, by others.
            self.material_use.uses[session.piece] += times
            if session.condition is not None:
                self.material_use.within(session.condition).uses[session.piece] += times

    def _count(self, session: DoneSession, times: int) -> None:
        self.completed += times
        for role in session.asked:
            self.filled[role] += times
        self.done_in[session.players] += times

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
        material = self.stock.pieces[paired.piece]
        session = self.sessions[event.session] = LiveSession(
            event.session, paired, scenario=self.scenario, material=material, at_us=event.at_us
        )
        self._assign(session)
        here = [self.people[pid] for pid in paired.seats.values() if pid in self.people]
        for person in here:
            before = Before(person.since_us, person.partners, person.seen)
            session.seat_of(person.pid).before = before
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
                seat.done = person.completed
                seat.left = self.assignments.count_left(person.number)
                before = self._last.pop(seat.pid, None)
                if before is not None:
                    seat.earlier = before.seat_of(seat.pid).answers
                    # What was broken off is somebody else's by now.
                    is_done = self.scenario.is_complete(before.state)
                    goes_back = is_done and self.assignments.goes_back
                    session.previous = before if goes_back else None

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
                session.previous = None
                self._last[seat.pid] = session

    def _end(self, event: Event, ended: events.SessionEnded) -> None:
        session = self.sessions.pop(event.session, None)
        if self.assignments is None:
            del self.seqs[event.session]  # nothing comes after the end
        self.ends[ended.reason] += 1
        if session is not None:
            if ended.reason == "completed":
                done = self.done[session.sid] = DoneSession(
                    people=tuple(seat.pid for seat in session.seats.values() if not seat.model),
                    asked=session.asked,
                    players=name_condition(session.models),
                    piece=session.piece,
                    condition=session.condition,
                    score=self._score(session.state) if self._score is not None else None,
                )
                if self.counts(done):
                    self._count(done, 1)
            self._take_back(session, ended.reason)
            if self.assignments is not None:
                self.ended_us[session.number - 1] = event.at_us
        for pid in ended.again:
            person = self.people.get(pid)
            if person is not None:
                person.session = None
                person.sessions -= 1
                person.move_to("waiting", event.at_us)
                if session is not None and session.asks:
                    # Nothing of the game was shown: the partner was not met, and the wait goes on.
                    before = session.seat_of(pid).before or Before(event.at_us, (), frozenset())
                    person.since_us = before.since_us
                    person.partners, person.seen = before.partners, before.seen
