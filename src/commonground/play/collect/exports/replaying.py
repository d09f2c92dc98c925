"""Sessions as the log has them, and what the rules make of one now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from commonground.errors import NEAR, unknown_name
from commonground.play.collect.events import (
    LOBBY,
    Erased,
    Event,
    SeatedModel,
    SessionCreated,
    SessionEnded,
    SessionPaired,
    find_what,
    is_act,
)
from commonground.play.collect.live.sessions import to_act
from commonground.play.collect.setup.study import Study
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.session import replay_acts


class LoggedSession(msgspec.Struct, frozen=True):
    """A session as the log has it.

    Attributes:
        sid: its id.
        events: everything that happened in it.
        reason: why it ended; None where it has not.
        erased: whether data of one of its people were deleted.
    """

    sid: str
    events: list[Event]
    reason: str | None
    erased: bool

    @property
    def is_released(self) -> bool:
        """Whether exports have it in the released format."""
        return self.reason == "completed" and not self.erased

    @property
    def made(self) -> SessionCreated:
        """What was drawn for it."""
        return find_what(self.events, SessionCreated)

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
    return [_gather(sid, each) for sid, each in by_session.items()]


def _gather(sid: str, events: list[Event]) -> LoggedSession:
    last = events[-1].what
    reason = last.reason if isinstance(last, SessionEnded) else None
    return LoggedSession(sid, events, reason, any(isinstance(each.what, Erased) for each in events))


def replay_session(study: Study, session: LoggedSession) -> Any:
    """Returns the state that a session's acts lead to, by the rules.

    Raises:
        StuckError: the rules refuse an act of the log.
    """
    rules, made = get_scenario(study.settings.scenario).rules, session.made
    acts = [to_act(each) for each in session.events if is_act(each.type, rules)]
    return replay_acts(rules, study.stock.pieces[made.piece], made.seed, acts)


class SessionSummary(msgspec.Struct, frozen=True):
    """A session that was played again.

    Attributes:
        session: its id.
        events: all that happened.
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
    """Plays a session of a log again.

    Args:
        study: whose log it is; it may be served meanwhile.
        sid: id of the session.

    Raises:
        UsageError: there is no such session.
        StuckError: the rules refuse an act of the log.
    """
    log = study.open_log()
    try:
        events = list(log.read(sid)) if sid else []
        # For the error only, since this reads the whole log.
        known = [] if events else [each.sid for each in list_played(list(log.read()))]
    finally:
        log.close()
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
