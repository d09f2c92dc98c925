"""Sessions as the log has them, and what the rules make of one now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from commonground.errors import NEAR, UsageError, unknown_name
from commonground.play.collect.events import (
    LOBBY,
    Erased,
    Event,
    ModeratorExcluded,
    SeatedModel,
    SessionCreated,
    SessionEnded,
    SessionPaired,
    find_what,
    is_act,
)
from commonground.play.collect.live.sessions import LiveSession, to_act
from commonground.play.collect.live.standing import read_hall
from commonground.play.collect.setup.study import Study
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.session import replay_acts


class LoggedSession(msgspec.Struct, frozen=True):
    """A session as the log has it.

    Attributes:
        reason: why it ended; None where it has not.
        erased: whether data of one of its people were deleted.
        left_out: why it counts no more: somebody in it is ``excluded`` or under ``review``; empty
            where it counts.
    """

    sid: str
    events: list[Event]
    reason: str | None
    erased: bool
    left_out: Literal["", "excluded", "review"] = ""

    @property
    def is_released(self) -> bool:
        """Whether exports have it in the released format."""
        return self.reason == "completed" and not self.erased and not self.left_out

    @property
    def made(self) -> SessionCreated:
        """What was drawn for it."""
        return find_what(self.events, SessionCreated)

    @property
    def end_us(self) -> int:
        """When it ended, or last was heard of."""
        ends = (each.at_us for each in self.events if isinstance(each.what, SessionEnded))
        return next(ends, self.events[-1].at_us)

    @property
    def seats(self) -> dict[str, str]:
        """Who sat where, by role."""
        return find_what(self.events, SessionPaired).seats

    @property
    def models(self) -> dict[str, SeatedModel]:
        """Which language models sat where, by role."""
        return find_what(self.events, SessionPaired).models


def list_played(events: list[Event]) -> list[LoggedSession]:
    """Groups a log's events by session, in the order in which the sessions were created."""
    by_session: dict[str, list[Event]] = {}
    for event in events:
        if event.session != LOBBY:
            by_session.setdefault(event.session, []).append(event)
    played = []
    for sid, each in by_session.items():
        # Who went back to a unit may have changed an answer after its end.
        ends = (e.what.reason for e in reversed(each) if isinstance(e.what, SessionEnded))
        erased = any(isinstance(e.what, Erased) for e in each)
        played.append(LoggedSession(sid, each, next(ends, None), erased))
    return played


Stopped = Literal["excluded", "review"]
"""Why what somebody did counts for nothing: by the researcher's word, or for its quality."""


def find_stopped(study: Study, log: Iterable[Event]) -> dict[str, Stopped]:
    """Returns who was stopped, and why, by pseudonym.

    Raises:
        StoreError: the log is damaged, or of sessions by other rules.
    """
    excluded: dict[str, Stopped] = {}
    for event in log:
        match event.what:
            case ModeratorExcluded(on=True):
                excluded[event.participant or ""] = "excluded"
            case ModeratorExcluded():
                excluded.pop(event.participant or "", None)
    stopped: dict[str, Stopped] = {}
    if get_scenario(study.settings.scenario).assigner() is not None:
        ledger = read_hall(study).ledger
        numbers = ledger.assignments.list_stopped() if ledger.assignments is not None else ()
        stopped |= {pid: "review" for pid, each in ledger.people.items() if each.number in numbers}
    return stopped | excluded


def leave_out(played: list[LoggedSession], stopped: dict[str, Stopped]) -> list[LoggedSession]:
    """Marks the sessions of people who were stopped."""
    marked = []
    for each in played:
        why = next((stopped[pid] for pid in each.seats.values() if pid in stopped), None)
        marked.append(each if why is None else msgspec.structs.replace(each, left_out=why))
    return marked


def replay_session(study: Study, session: LoggedSession) -> Any:
    """Returns the state that a session's acts lead to, by the rules.

    Raises:
        StuckError: the rules refuse an act of the log.
    """
    rules, made = get_scenario(study.settings.scenario).rules, session.made
    acts = [to_act(each) for each in session.events if is_act(each.type, rules)]
    return replay_acts(rules, study.stock.pieces[made.piece], made.seed, acts)


def read_session(study: Study, sid: str) -> LiveSession:
    """Reads a session from the log, as it stood at its last event, with what everybody is shown.

    Raises:
        UsageError: there is no such session, or data of one of its people were deleted.
        StoreError: the log cannot be read, or the rules refuse an act of it.
    """
    with closing(study.open_log()) as log:
        logged = list(log.read(sid)) if sid else []
    if not logged or any(isinstance(each.what, Erased) for each in logged):
        raise UsageError("There is no such session, or data of its people were deleted.")
    paired = find_what(logged, SessionPaired)
    session = LiveSession(
        logged[0].session,
        paired,
        scenario=get_scenario(study.settings.scenario).rules,
        material=study.stock.pieces[paired.piece],
        at_us=logged[0].at_us,
    )
    for event in logged:
        session.follow(event)
    return session


class SessionSummary(msgspec.Struct, frozen=True):
    """A session that was played again.

    Attributes:
        reason: why it ended; None where it has not.
        erased: whether data of one of its people were deleted, so that it cannot be played again.
        views: what each role sees at its end; empty where it was erased.
        records: its native records; empty where it is not complete.
    """

    session: str
    events: list[Event]
    reason: str | None
    erased: bool
    views: dict[str, dict[str, Any]]
    records: list[Any]

    def to_plain(self) -> dict[str, Any]:
        """Returns it as ``collect replay --json`` prints it."""
        events = [each.to_plain() for each in self.events]
        return {**msgspec.structs.asdict(self), "events": events}

    def lines(self) -> Iterator[str]:
        """Tells it, a line for each event."""
        first = self.events[0].at_us
        yield f"{self.session}, created {datetime.fromtimestamp(first / 1e6, UTC):%F %T} UTC"
        for event in self.events:
            at_s = (event.at_us - first) / 1e6
            said = msgspec.json.encode(event.payload).decode() if event.payload else ""
            page = "" if event.round is None else f" [{event.round}]"
            who = event.role or "-"
            yield f"{event.seq:>5} {at_s:>9.3f} s  {who}  {event.type}{page}  {said}".rstrip()
        yield f"Ended: {self.reason or 'not yet'}."
        if self.erased:
            yield "Data of a person were deleted: it cannot be played again."
        for role, view in self.views.items():
            shown = {key: value for key, value in view.items() if not isinstance(value, list)}
            yield f"{role} sees now: {msgspec.json.encode(shown).decode()}"


def describe_session(study: Study, sid: str) -> SessionSummary:
    """Plays a session of a log again; the study may be served meanwhile.

    Raises:
        UsageError: there is no such session.
        StuckError: the rules refuse an act of the log.
    """
    with closing(study.open_log()) as log:
        events = list(log.read(sid)) if sid else []
        # For the error only, since this reads the whole log.
        known = [] if events else [each.sid for each in list_played(list(log.read()))]
    if not events:
        raise unknown_name("session", sid, known, most=NEAR)
    (played,) = list_played(events)
    if played.erased:
        return SessionSummary(sid, events, played.reason, True, {}, [])
    rules = get_scenario(study.settings.scenario).rules
    state = replay_session(study, played)
    views = {role: rules.view(state, role) for role in rules.roles}
    agents = {role: number for number, role in enumerate(rules.roles)}
    records = rules.finish(state, Sitting(0, agents)) if rules.is_complete(state) else []
    return SessionSummary(sid, events, played.reason, False, views, list(records))
