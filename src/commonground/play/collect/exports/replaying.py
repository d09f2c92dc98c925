"""A session's log, told line by line, and what the rules make of it now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from commonground.errors import NEAR, unknown_name
from commonground.play.collect.events import Event
from commonground.play.collect.exports.exporting import Played, list_played, replay_session
from commonground.play.collect.setup.study import Study
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario


class Told(msgspec.Struct, frozen=True):
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


def describe_session(study: Study, sid: str) -> Told:
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
        return Told(sid, events, played.reason, True, {}, [])
    return _play_again(study, played)


def _play_again(study: Study, played: Played) -> Told:
    scenario = get_scenario(study.settings.scenario).rules
    state = replay_session(study, played)
    views = {role: scenario.view(state, role) for role in scenario.roles}
    agents = {role: number for number, role in enumerate(scenario.roles)}
    records = scenario.finish(state, Sitting(0, agents)) if scenario.is_complete(state) else []
    return Told(played.sid, played.events, played.reason, False, views, list(records))
