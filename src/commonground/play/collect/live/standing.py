"""How a study stands: for the monitor, which asks the hall, and for ``collect status``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Any

from commonground.errors import FormatError
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.log import EventLog
from commonground.play.collect.setup.partners import check_seats, name_condition
from commonground.play.collect.setup.study import SETTINGS, Study
from commonground.play.scenario import Assignments
from commonground.play.scenarios import get_scenario

_WORST_FIRST = ("undrawn", "absent", "silent", "paused", "flagged")
MOST_PEOPLE = 200
"""People whose exits the monitor lists, the latest first."""

MOST_PICTURES = 5
"""Pictures that pages could not draw of which the monitor names so many."""


def restore_hall(study: Study, log: EventLog, receipt: Callable[[str], str]) -> Hall:
    """Reads a study's log, and returns the hall as it was when the log ends.

    Args:
        receipt: makes a participant's own code from the pseudonym.

    Raises:
        StoreError: the log is damaged, or of sessions by other rules.
        UsageError: there is no scenario of the study's name.
        FormatError: a quota, or a model, is of a role that the scenario does not have, or the study
            watches what it does not measure.
    """
    name = study.settings.scenario
    found = get_scenario(name)
    scenario = found.rules
    # Not where settings are read: only the scenario knows its roles.
    strange = sorted(study.settings.quotas.roles.keys() - set(scenario.roles))
    if strange:
        raise FormatError(
            f"{study.folder / SETTINGS}: quotas.roles names {strange[0]!r}, which is not a role.",
            f"The roles of {name} are: {', '.join(scenario.roles)}.",
        )
    if study.settings.models is not None:
        where = study.folder / SETTINGS
        check_seats(where, study.settings.models, name, scenario.roles)
    assigner = found.assigner()
    seed = study.settings.seed
    assignments = assigner.open(study.stock.pieces, seed) if assigner is not None else None
    outcome = found.outcome()
    _check_watch(study, assignments, has_score=outcome is not None)
    watches_score = study.settings.watch is not None and study.settings.watch.measure == "score"
    score = outcome.score if outcome is not None and watches_score else None
    ledger = Ledger(scenario, study.stock, assignments, score)
    ledger.restore(log.read())
    return Hall(study.settings, ledger, receipt)


def read_hall(study: Study) -> Hall:
    """Returns the hall as a study's log has it, without codes of participants.

    These are made with the server's secret.

    Raises:
        CommongroundError: as of :func:`restore_hall`.
    """
    with closing(study.open_log()) as log:
        return restore_hall(study, log, str)


def _check_watch(study: Study, assignments: Assignments | None, *, has_score: bool) -> None:
    """Refuses a measure that the scenario of a study does not have."""
    watch = study.settings.watch
    if watch is None:
        return
    has_alpha = assignments is not None and "alpha" in assignments.measures()
    known = {"score": has_score, "alpha": has_alpha, "words": not has_alpha}
    if not known[watch.measure]:
        name = study.settings.scenario
        raise FormatError(
            f"{study.folder / SETTINGS}: watch.measure is {watch.measure!r}, which {name} does not "
            "have.",
            f"It has: {', '.join(each for each, has in known.items() if has)}.",
        )


def describe_standing(hall: Hall, now_us: int) -> dict[str, Any]:
    """Returns all that the monitor's page shows, problems first."""
    ledger = hall.ledger
    sessions = [session.describe() for session in ledger.sessions.values()]
    for session in sessions:
        for seat in session["seats"].values():
            if seat["model"]:
                # A model has no connection that could be lost.
                seat |= {"seen_us": session["last_us"], "connected": True}
                continue
            person = hall.ledger.person(seat["participant"])
            seat["seen_us"] = person.seen_us
            seat["connected"] = person.connection is not None
    undrawn = {
        "pictures": [name for name, _ in ledger.undrawn.most_common(MOST_PICTURES)],
        "reports": ledger.undrawn.total(),
        "last_us": ledger.undrawn_us,
    }
    people = list(ledger.people.values())
    waiting = [person.describe() for person in people if person.stage == "waiting"]
    out = sorted((each for each in people if each.stage == "out"), key=lambda each: -each.since_us)
    return {
        "study": hall.settings.name,
        "scenario": hall.settings.scenario,
        "now_us": now_us,
        "languages": hall.settings.languages,
        "closed": ledger.closed,
        "wanted": hall.settings.quotas.sessions,
        "wanted_of_roles": hall.settings.quotas.roles,
        "completed_of_roles": ledger.filled,
        "quotas": _describe_quotas(hall),
        "measures": ledger.assignments.measures() if ledger.assignments is not None else {},
        "watch": hall.watcher.describe(),
        "models": _describe_models(hall),
        "completed": ledger.completed,
        "undrawn": undrawn if ledger.undrawn else None,
        "ends": ledger.ends,
        "exits": dict(Counter(each.way_out for each in people if each.way_out)),
        "stages": dict(Counter(each.stage for each in people)),
        "sessions": sorted(sessions, key=_urgency),
        "waiting": sorted(waiting, key=lambda each: each["since_us"]),
        "out": [person.describe() for person in out[:MOST_PEOPLE]],
    }


def _describe_models(hall: Hall) -> dict[str, Any] | None:
    """Says what the language models of a study cost so far; None where there are none."""
    models, ledger = hall.settings.models, hall.ledger
    if models is None:
        return None
    under_way = Counter(name_condition(each.models) for each in ledger.sessions.values())
    return {
        "seats": models.seats,
        "conditions": [
            {"name": name, "completed": ledger.done_in[name], "under_way": under_way[name]}
            for name in dict.fromkeys(map(name_condition, models.conditions or []))
        ],
        "under_way": sum(bool(each.models) for each in ledger.sessions.values()),
        "spent": ledger.spent,
        "limit": models.study_cost,
    }


def _describe_quotas(hall: Hall) -> list[dict[str, Any]]:
    """Says of each quota how far it is filled: of the study, and of those who came for a role.

    A quota is full when no session is wanted any more, not when those under way would fill it:
    they may break off.
    """
    ledger, quotas = hall.ledger, hall.settings.quotas
    sessions = list(ledger.sessions.values())
    waiting = [each for each in ledger.people.values() if each.stage == "waiting"]
    if quotas.sessions is None and not quotas.roles:
        return []
    found = [_quota(None, quotas.sessions, ledger.completed, len(sessions), len(waiting))]
    for role, wanted in quotas.roles.items():
        under_way = sum(role in each.asked for each in sessions)
        come = sum(each.role == role for each in waiting)
        found.append(_quota(role, wanted, ledger.filled[role], under_way, come))
    return found


def _quota(
    role: str | None, wanted: int | None, completed: int, under_way: int, waiting: int
) -> dict[str, Any]:
    return {
        "role": role,
        "wanted": wanted,
        "completed": completed,
        "under_way": under_way,
        "waiting": waiting,
        "full": wanted is not None and completed >= wanted,
    }


def _urgency(session: dict[str, Any]) -> tuple[int, int]:
    ranks = [_WORST_FIRST.index(each) for each in session["problems"]]
    return (min(ranks, default=len(_WORST_FIRST)), session["created_us"])
