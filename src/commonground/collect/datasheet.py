"""The data sheet of a study: what a publication has to say of it, counted from the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Protocol

from commonground import __version__
from commonground.collect.ledger import ERASED
from commonground.collect.log import Event
from commonground.collect.study import Study


class _Session(Protocol):
    """What is counted of a session; see :class:`exporting.Played`."""

    @property
    def events(self) -> list[Event]: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def erased(self) -> bool: ...


def write_datasheet(study: Study, events: Sequence[Event], sessions: Sequence[_Session]) -> str:
    """Writes a study's data sheet, in Markdown.

    Args:
        study: that was served.
        events: all of its log.
        sessions: the same by session.
    """
    settings = study.settings
    by_type = Counter(event.type for event in events)
    exits = Counter(e.payload["exit"] for e in events if e.type == "participant.coded")
    ends = Counter(each.reason or "under way" for each in sessions)
    erased = sum(
        event.type == ERASED and event.payload.get("was") == "participant.arrived"
        for event in events
    )
    arrived = [event for event in events if event.type == "participant.arrived"]
    consents = Counter(
        (e.payload["version"], e.payload["language"], e.payload["digest"])
        for e in events
        if e.type == "participant.consented"
    )
    times = settings.times
    lines = [
        f"# Data sheet: {settings.name}",
        "",
        f"Dialogues of the scenario `{settings.scenario}`, collected with commonground "
        f"{__version__}; written from the study's log.",
        "",
        "## When and who",
        "",
        *_table(
            [
                ("from", _day(events[0].at_us) if events else "-"),
                ("to", _day(events[-1].at_us) if events else "-"),
                ("people who came", len(arrived) + erased),
                ("people whose data were deleted at their wish", erased),
                *(
                    (f"came from {name}", count)
                    for name, count in _counted(e.payload["platform"] for e in arrived)
                ),
                *(
                    (f"pages in {name}", count)
                    for name, count in _counted(e.payload["language"] for e in arrived)
                ),
            ]
        ),
        "",
        "## Consent",
        "",
        *_table(
            (f"version {version}, {language}, SHA-256 `{digest}`", count)
            for (version, language, digest), count in sorted(consents.items())
        ),
        "",
        f"Partners could be models: {'yes' if settings.model_partners else 'no'}.",
        "",
        "## Ways out",
        "",
        *_table(
            (f"{name} (paid: {settings.payment.class_of(name)})", count)
            for name, count in sorted(exits.items())
        ),
        "",
        "## Sessions",
        "",
        *_table(
            [
                *((name, count) for name, count in sorted(ends.items())),
                ("not released, as data of a person were deleted", sum(s.erased for s in sessions)),
                *_lengths([each for each in sessions if each.reason == "completed"]),
            ]
        ),
        "",
        "## What was noticed",
        "",
        *_table(
            [
                ("messages", by_type["chat.message"]),
                ("acts that the rules refused", by_type["act.refused"]),
                ("messages with words that were looked for", by_type["chat.flagged"]),
                *(
                    (f"signals: {name}", count)
                    for name, count in _counted(
                        e.payload["kind"] for e in events if e.type == "participant.signal"
                    )
                ),
                ("times a connection was lost", by_type["participant.disconnected"]),
                ("messages of the researcher", by_type["moderator.message"]),
                ("pairs that were not allowed", by_type["pairing.refused"]),
            ]
        ),
        "",
        "## Settings",
        "",
        *_table(
            [
                ("sessions wanted", settings.quotas.sessions or "as many as came"),
                *(
                    (f"sessions wanted of people who came for role {role}", wanted)
                    for role, wanted in settings.quotas.roles.items()
                ),
                ("sessions of one person, at most", settings.quotas.sessions_each),
                ("seed of the study", settings.seed),
                *((name, getattr(times, name)) for name in times.__struct_fields__),
            ]
        ),
        "",
        "## Known limits",
        "",
        "- Sessions that broke off, and all typing, reconnects and refused acts, are only in "
        "`extra/`.",
        "- Nobody met a partner or a picture twice; how alike two sets are was not looked at.",
        "- Signals (paste, focus, rhythm) come from browsers, which may not send them; nothing "
        "was decided by them.",
        "- Times are those of the server when an act arrived.",
        "",
    ]
    return "\n".join(lines)


def _table(rows: Iterable[tuple[object, object]]) -> list[str]:
    shown = [f"| {name} | {value} |" for name, value in rows]
    return ["| | |", "|---|---:|", *shown] if shown else ["None."]


def _counted(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items())


def _lengths(sessions: Sequence[_Session]) -> list[tuple[str, object]]:
    if not sessions:
        return []
    seconds = [(each.events[-1].at_us - each.events[0].at_us) / 1e6 for each in sessions]
    texts = [sum(e.type == "chat.message" for e in each.events) for each in sessions]
    return [
        ("seconds of a completed session, median", round(median(seconds))),
        ("messages of a completed session, median", round(median(texts))),
    ]


def _day(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()
