"""The data sheet of a study: what a publication has to say of it, counted from the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, cast

import jinja2

from commonground import __version__
from commonground.play.collect import events
from commonground.play.collect.events import Event, W, cost_of
from commonground.play.collect.exports.paying import Pay, reckon_pay
from commonground.play.collect.exports.replaying import LoggedSession
from commonground.play.collect.people import PaymentClass
from commonground.play.collect.setup.study import Payment, Study
from commonground.play.scenario import CHAT

FILL_IN = "*to be filled in*"
"""Stands where the log cannot know."""

Counted = list[tuple[Any, int]]
"""Values in their order, with how often each was there."""


def write_datasheet(study: Study, log: Sequence[Event], sessions: Sequence[LoggedSession]) -> str:
    """Writes a study's data sheet, in Markdown, from all of its events, also by session."""

    def of(kind: type[W]) -> list[W]:
        return [each.what for each in log if isinstance(each.what, kind)]

    arrived, coded = of(events.ParticipantArrived), of(events.ParticipantCoded)
    # What is erased keeps the type that it had, and everybody arrived once.
    erased = sum(each.was == events.ParticipantArrived.type for each in of(events.Erased))
    released = [each for each in sessions if each.is_released]
    times = study.settings.times
    return _ENVIRONMENT.get_template("datasheet.md").render(
        settings=study.settings,
        version=__version__,
        fill_in=FILL_IN,
        days=[_day(each.at_us) for each in (log[0], log[-1])] if log else ["-", "-"],
        types=Counter(each.type for each in log),
        came=len(arrived) + erased,
        erased=erased,
        platforms=_count(each.platform for each in arrived),
        languages=_count(each.language for each in arrived),
        listed=lambda counted: ", ".join(f"{name} {count}" for name, count in counted) or "-",
        consents=_count(
            (each.version, each.language, each.digest) for each in of(events.ParticipantConsented)
        ),
        exits=_count((each.way_out, each.quota or "study") for each in coded),
        left=Counter(each.way_out for each in coded),
        sessions=sessions,
        ends=_count(each.reason or "under way" for each in sessions),
        left_out=_count(each.left_out for each in sessions if each.left_out),
        completed=_describe_completed(sessions),
        released=released,
        released_texts=sum(_count_texts(each) for each in released),
        seated=_count(
            f"{role} was {model.model}, prompt {model.prompt}"
            for each in sessions
            for role, model in each.models.items()
        ),
        models_left=_count(each.reason for each in of(events.AgentLeft)),
        spent=sum(cost_of(each.what) for each in log),
        signals=_count(each.kind for each in of(events.ParticipantSignal)),
        pay=describe_pay(study.settings.payment, reckon_pay(log, study.settings.payment)),
        times=[(name, getattr(times, name)) for name in times.__struct_fields__],
    )


def _describe_completed(sessions: Iterable[LoggedSession]) -> dict[str, int] | None:
    """Returns the medians of completed sessions: seconds and messages; None without any."""
    completed = [each for each in sessions if each.reason == "completed"]
    if not completed:
        return None
    seconds = median((e.events[-1].at_us - e.events[0].at_us) / 1e6 for e in completed)
    return {"seconds": round(seconds), "texts": round(median(map(_count_texts, completed)))}


def describe_pay(payment: Payment, pays: Mapping[str, Pay]) -> dict[str, Any]:
    """Returns what people were paid, as the sheet has it; None for what cannot be said."""
    completed = [pay for pay in pays.values() if pay.completed]
    # Of those who completed: partners who were left, or waited, say nothing of how long it takes.
    minutes = [pay.seconds / 60 for pay in completed]
    span = f"{min(minutes):.0f} to {max(minutes):.0f}" if minutes else ""
    # Anyone who took no time at all by the clock has no wage per hour.
    hourly = [pay.amount / pay.seconds * 3600 for pay in completed if pay.seconds]
    groups = [
        (group, count, f"{payment.amounts.get(cast('PaymentClass', group), 0):.2f}")
        for group, count in _count(pay.group for pay in pays.values())
    ]
    return {
        "completed": len(completed),
        "minutes": f"{median(minutes):.0f}, {span}" if minutes else None,
        "is_named": any(payment.amounts.values()),
        "groups": groups,
        "total": f"{sum(pay.amount for pay in pays.values()):.2f} {payment.currency}",
        "hourly": f"{median(hourly):.2f} {payment.currency}" if hourly else None,
    }


def _count_texts(session: LoggedSession) -> int:
    return sum(each.type == CHAT for each in session.events)


def _count(values: Iterable[Any]) -> Counted:
    return sorted(Counter(values).items())


def _day(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()


_ENVIRONMENT = jinja2.Environment(  # noqa: S701 - Markdown, which nobody shows as HTML
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=jinja2.StrictUndefined,
)
