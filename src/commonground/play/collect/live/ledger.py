"""What the log says now: its people and the sessions under way.

The same code follows an event as it happens and reads the log again after a restart, so that
there is one truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from commonground.errors import StoreError
from commonground.play.collect.live.pairing import MaterialUse
from commonground.play.collect.live.sessions import CHAT, LiveSession, Notice
from commonground.play.collect.log import LOBBY, Event
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.partners import Decision, name_condition
from commonground.play.collect.setup.stock import Stock
from commonground.play.scenario import Act, Assignments, Refusal, Scenario, Sitting

ERASED = "erased"
"""Type of the events of people whose data were deleted; stands for their pseudonyms, too."""


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
        self.ends: dict[str, int] = {}
        self.filled: dict[str, int] = {}  # completed sessions of people who came for a role
        self.arrivals = 0
        self.agents: dict[str, str] = {}  # pseudonym by name of the model
        # People for whom it was drawn whether they meet a model, by the role they came for.
        self.drawn: Counter[str] = Counter()
        self.done_in: Counter[str] = Counter()  # completed sessions, by who sat in them
        self.spent = 0.0  # on models
        self.created = 0
        self.last_us = 0
        self.refused_pairs: set[tuple[str, str, str]] = set()
        self.seqs: dict[str, int] = {LOBBY: 0}

    def restore(self, events: Iterable[Event]) -> None:
        """Follows a whole log.

        Raises:
            StoreError: a session under way was begun by other rules, or does not follow them.
        """
        events = list(events)
        ended = {event.session for event in events if event.type == "session.ended"}
        for event in events:
            counts = event.session not in ended or self.assignments is not None
            if event.type == "session.created" and counts:
                self._check_rules(event)
            # Of a session that is over, only what its people met counts, and what came of it
            # where that decides who is given what.
            is_met = event.type.startswith(("session.", "participant.", "agent.", ERASED))
            if event.session not in ended or is_met or self.assignments is not None:
                self.follow(event)

    def _check_rules(self, event: Event) -> None:
        begun, now = event.payload["version"], self.scenario.version
        if begun != now:
            raise StoreError(
                f"Session {event.session} is under way by version {begun} of the rules of "
                f"{self.scenario.name}; this commonground has version {now}.",
                "Finish it with the version that began it.",
            )

    def follow(self, event: Event, state: Any = None) -> None:
        """Notes an event.

        Args:
            event: what happened.
            state: of the scenario after it, where it was found already; None to find it.
        """
        self.last_us = event.at_us
        self.seqs[event.session] = event.seq
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            handler(self, event)
        session = self.sessions.get(event.session)
        if session is None:
            return
        if is_act(event.type, self.scenario):
            self._play(session, event, state)
        if event.client_msg_id is not None and event.role is not None:
            seat = session.seats[event.role]
            seat.answers[event.client_msg_id] = answer_to(event)
            if seat.decided is not None and seat.decided.msg_id == event.client_msg_id:
                seat.decided = None

    def _play(self, session: LiveSession, event: Event, state: Any) -> None:
        if state is None:
            state = session.try_act(to_act(event))
            if isinstance(state, Refusal):
                raise StoreError(
                    f"Session {session.sid} does not follow the rules: event {event.seq} "
                    f"({event.type}) is refused for {state.code}.",
                    "Use the version that began it.",
                )
        session.go_on(state, event.role, event.at_us)
        if event.type == CHAT and event.role is not None:
            session.seats[event.role].typing = False  # who has sent a message has typed it

    # What each type of event means. People who were erased are in no list any more.

    def _arrived(self, event: Event) -> None:
        person = msgspec.convert(
            {"pid": event.participant, "since_us": event.at_us, **event.payload}, Participant
        )
        person.seen_us = event.at_us
        self.people[person.pid] = person
        # Not counted up: the numbers of people who were erased stay taken.
        self.arrivals = max(self.arrivals, person.number)

    def _erased(self, event: Event) -> None:
        self.arrivals = max(self.arrivals, event.payload.get("number", 0))
        self.spent += event.payload.get("cost", 0.0)

    def _agent_arrived(self, event: Event) -> None:
        self.agents[event.payload["model"]] = event.payload["agent"]
        self.arrivals = max(self.arrivals, event.payload["number"])

    def _agent_asked(self, event: Event) -> None:
        session = self.sessions.get(event.session)
        if session is not None and event.role is not None:
            session.seats[event.role].asked = event.payload["number"]

    def _agent_answered(self, event: Event) -> None:
        self.spent += event.payload["cost"]
        session = self.sessions.get(event.session)
        if session is None or event.role is None:
            return
        session.spent += event.payload["cost"]
        decided = event.payload.get("decided")
        if decided is not None:
            session.seats[event.role].decided = msgspec.convert(decided, Decision)

    def _moved(self, event: Event) -> None:
        person = self.people[event.participant or ""]
        if event.type == "participant.consented":
            person.move_to("consented", event.at_us)
        elif event.type == "participant.instructed":
            person.move_to("instructed", event.at_us)
        else:
            person.move_to("waiting", event.at_us)
            if "partner" in event.payload:
                # Counted at the first draw: who plays again keeps what was drawn then.
                self.drawn[person.role or ""] += person.partner is None
                person.partner = event.payload["partner"]
                person.models = event.payload.get("models")
            person.way_out = person.quota = person.code = None
            person.offered = False

    def _failed_quiz(self, event: Event) -> None:
        self.people[event.participant or ""].tries += 1

    def _offered(self, event: Event) -> None:
        self.people[event.participant or ""].offered = True

    def _coded(self, event: Event) -> None:
        person = self.people[event.participant or ""]
        person.way_out = event.payload["exit"]
        person.quota = event.payload.get("quota")
        person.code = event.payload["code"]
        person.completed += person.way_out == "completed"
        person.session = None
        person.move_to("out", event.at_us)

    def _connected(self, event: Event) -> None:
        self.people[event.participant or ""].seen_us = event.at_us
        session = self.sessions.get(event.session)
        if session is not None and event.role is not None:
            seat = session.seats[event.role]
            seat.came = True
            seat.absent = False
            if event.type == "participant.returned":
                seat.stir(event.at_us)

    def _disconnected(self, event: Event) -> None:
        self.people[event.participant or ""].connection = None
        session = self.sessions.get(event.session)
        if session is not None and event.role is not None:
            session.seats[event.role].typing = False

    def _created(self, event: Event) -> None:
        self.created = max(self.created, event.payload["number"])
        piece = event.payload["piece"]
        self.material_use.uses[piece] += 1
        if "condition" in event.payload:
            self.material_use.within(event.payload["condition"]).uses[piece] += 1

    def _paired(self, event: Event) -> None:
        seats: dict[str, str] = event.payload["seats"]
        piece: int = event.payload["piece"]
        session = LiveSession(
            event.session,
            event.payload["number"],
            scenario=self.scenario,
            material=self.stock.pieces[piece],
            piece=piece,
            seed=event.payload["seed"],
            at_us=event.at_us,
        )
        models = event.payload.get("models", {})
        session.sit(seats, {role: each["model"] for role, each in models.items()})
        self._assign(session)
        session.asked = tuple(event.payload.get("asked", ()))
        self.sessions[event.session] = session
        here = [self.people[pid] for pid in seats.values() if pid in self.people]
        for person in here:
            person.session = event.session
            person.sessions += 1
            session.seat_of(person.pid).number = person.sessions
            # A model remembers nobody, so meeting it again is meeting nobody twice.
            known = {person.pid, ERASED, *person.partners, *self.agents.values()}
            person.partners += tuple(pid for pid in seats.values() if pid not in known)
            met = self.stock.met[piece]
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

    def _continued(self, event: Event) -> None:
        person = self.people[event.participant or ""]
        person.completed += 1
        person.session = None
        person.move_to("waiting", event.at_us)

    def _session_changed(self, event: Event) -> None:
        session = self.sessions.get(event.session)
        if session is None:
            return
        seat = session.seats.get(event.role or "")
        if event.type == "session.started":
            session.started = True
            session.resume(event.at_us)
        elif event.type == "moderator.pause" and event.payload["on"]:
            session.paused = True
        elif event.type == "moderator.pause":
            session.resume(event.at_us)
        elif event.type == "moderator.message":
            roles = tuple(event.payload["roles"])
            session.notices.append(Notice(event.payload["text"], roles, event.at_us))
        elif event.type == "chat.flagged":
            session.flags += 1
        elif event.type == "participant.signal":
            kind = event.payload["kind"]
            session.signals[kind] = session.signals.get(kind, 0) + 1
        elif seat is None:
            return
        elif event.type == "chat.typing":
            seat.typing = event.payload["on"]
            seat.stir(event.at_us)
        elif event.type == "participant.absent":
            seat.absent = True
        elif event.type == "participant.nudged":
            level = event.payload["level"]
            seat.nudged = True
            seat.told = seat.told or level in ("tell", "offer")
            seat.offered = seat.offered or level == "offer"

    def _ended(self, event: Event) -> None:
        session = self.sessions.pop(event.session, None)
        del self.seqs[event.session]  # nothing comes after the end
        reason = event.payload["reason"]
        self.ends[reason] = self.ends.get(reason, 0) + 1
        if session is not None and reason == "completed":
            for role in session.asked:
                self.filled[role] = self.filled.get(role, 0) + 1
            self.done_in[name_condition(session.models)] += 1
        if session is not None:
            self._take_back(session, reason)
        for pid in event.payload["again"]:
            person = self.people.get(pid)
            if person is not None:
                person.session = None
                person.sessions -= 1
                person.move_to("waiting", event.at_us)

    def _pair_refused(self, event: Event) -> None:
        one, two = event.payload["people"]
        self.refused_pairs.add((one, two, event.payload["reason"]))


_HANDLERS: dict[str, Callable[[Ledger, Event], None]] = {
    "participant.arrived": Ledger._arrived,
    ERASED: Ledger._erased,
    "participant.consented": Ledger._moved,
    "participant.instructed": Ledger._moved,
    "participant.ready": Ledger._moved,
    "participant.failed_quiz": Ledger._failed_quiz,
    "participant.offered": Ledger._offered,
    "participant.coded": Ledger._coded,
    "participant.continued": Ledger._continued,
    "participant.connected": Ledger._connected,
    "participant.returned": Ledger._connected,
    "participant.disconnected": Ledger._disconnected,
    "session.created": Ledger._created,
    "session.paired": Ledger._paired,
    "session.ended": Ledger._ended,
    "pairing.refused": Ledger._pair_refused,
    "agent.arrived": Ledger._agent_arrived,
    "agent.request": Ledger._agent_asked,
    "agent.reply": Ledger._agent_answered,
    "agent.parse_error": Ledger._agent_answered,
    "agent.late": Ledger._agent_answered,
    **dict.fromkeys(
        (
            "session.started",
            "moderator.pause",
            "moderator.message",
            "chat.flagged",
            "chat.typing",
            "participant.signal",
            "participant.absent",
            "participant.nudged",
        ),
        Ledger._session_changed,
    ),
}


def is_act(kind: str, scenario: Scenario[Any, Any]) -> bool:
    """Says whether a type is one of the scenario's acts; sessions and moderators are ours."""
    return kind in scenario.act_types and not kind.startswith(("session.", "moderator."))


def to_act(event: Event) -> Act:
    """Returns the act that an event logs."""
    return Act(event.type, event.role, event.payload, event.at_us, event.round)


def answer_to(event: Event) -> dict[str, Any]:
    """Returns what a browser is answered to the act that an event logs."""
    if event.type == "act.refused":
        return {
            "type": "reject",
            "client_msg_id": event.client_msg_id,
            "code": event.payload["code"],
            "parameters": event.payload["parameters"],
        }
    return {"type": "ack", "client_msg_id": event.client_msg_id, "seq": event.seq}
