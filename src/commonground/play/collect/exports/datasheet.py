"""The data sheet of a study: what a publication has to say of it, counted from the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import cast

from commonground import __version__
from commonground.play.collect import events
from commonground.play.collect.events import Event, W, cost_of
from commonground.play.collect.exports.paying import Pay, reckon_pay
from commonground.play.collect.exports.replaying import LoggedSession
from commonground.play.collect.people import PaymentClass
from commonground.play.collect.setup.study import Settings, Study
from commonground.play.scenario import CHAT

FILL_IN = "*to be filled in*"
"""Stands where the log cannot know."""


class _Counts:
    """What the parts of the sheet count, each once."""

    def __init__(
        self, study: Study, log: Sequence[Event], sessions: Sequence[LoggedSession]
    ) -> None:
        self.settings = study.settings
        self.log = log
        self.sessions = sessions
        self.pay = reckon_pay(log, study.settings.payment)
        self.released = [each for each in sessions if each.is_released]

    def of(self, kind: type[W]) -> list[W]:
        """Returns what happened of a kind."""
        return [each.what for each in self.log if isinstance(each.what, kind)]

    @property
    def erased(self) -> int:
        """How many people had their data deleted."""
        # What is erased keeps the type that it had, and everybody arrived once.
        return sum(each.was == events.ParticipantArrived.type for each in self.of(events.Erased))


def write_datasheet(study: Study, log: Sequence[Event], sessions: Sequence[LoggedSession]) -> str:
    """Writes a study's data sheet, in Markdown.

    Args:
        study: that was served.
        log: all of its events.
        sessions: the same by session.
    """
    counts = _Counts(study, log, sessions)
    settings = study.settings
    parts = {
        "When and who": _table(_tell_people(counts)),
        "Consent": [
            *_table(_tell_consents(counts)),
            "",
            f"Partners could be models: {'yes' if settings.model_partners else 'no'}.",
        ],
        "Ways out": _table(_tell_exits(counts)),
        "Sessions": _table(_tell_sessions(counts)),
        **({"Language models": _table(_tell_models(counts))} if settings.models else {}),
        "What was noticed": _table(_tell_noticed(counts)),
        "For a publication's checklist": _table(_tell_checklist(counts)),
        "Settings": _table(_tell_settings(settings)),
        "Known limits": list(_LIMITS),
    }
    lines = [
        f"# Data sheet: {settings.name}",
        "",
        f"Dialogues of the scenario `{settings.scenario}`, collected with commonground "
        f"{__version__}; written from the study's log.",
    ]
    for title, rows in parts.items():
        lines += ["", f"## {title}", "", *rows]
    return "\n".join([*lines, ""])


_LIMITS = (
    "- Sessions that broke off, and all typing, reconnects, scrolling, refused acts and which "
    "pictures were shown when, are only in `extra/`.",
    "- Nobody met a partner or a picture twice; how alike two sets are was not checked.",
    "- Signals (paste, focus, rhythm, scrolling) come from browsers, which may not send them; "
    "nothing was decided by them.",
    "- Times are those of the server when an act arrived.",
)

Row = tuple[object, object]


def _tell_people(counts: _Counts) -> Iterator[Row]:
    log, arrived = counts.log, counts.of(events.ParticipantArrived)
    yield "from", _day(log[0].at_us) if log else "-"
    yield "to", _day(log[-1].at_us) if log else "-"
    yield "people who came", len(arrived) + counts.erased
    yield "people whose data were deleted at their wish", counts.erased
    for name, count in _counted(e.platform for e in arrived):
        yield f"came from {name}", count
    for name, count in _counted(e.language for e in arrived):
        yield f"pages in {name}", count


def _tell_consents(counts: _Counts) -> Iterator[Row]:
    consents = Counter(
        (e.version, e.language, e.digest) for e in counts.of(events.ParticipantConsented)
    )
    for (version, language, digest), count in sorted(consents.items()):
        yield f"version {version}, {language}, SHA-256 `{digest}`", count


def _tell_exits(counts: _Counts) -> Iterator[Row]:
    payment = counts.settings.payment
    exits = Counter((e.way_out, e.quota or "study") for e in counts.of(events.ParticipantCoded))
    for (name, quota), count in sorted(exits.items()):
        of = "" if quota == "study" else f" of the {quota}"
        yield f"{name}{of} (paid: {payment.class_of(name)})", count


def _tell_sessions(counts: _Counts) -> Iterator[Row]:
    yield from _counted(each.reason or "under way" for each in counts.sessions)
    yield (
        "not released, as data of a person were deleted",
        sum(each.erased for each in counts.sessions),
    )
    left_out = Counter(each.left_out for each in counts.sessions if each.left_out)
    for why, count in sorted(left_out.items()):
        said = {"excluded": "was excluded", "review": "is under review"}[why]
        yield f"not released, as a person in them {said}", count
    completed = [each.events for each in counts.sessions if each.reason == "completed"]
    if completed:
        seconds = median((each[-1].at_us - each[0].at_us) / 1e6 for each in completed)
        texts = median(sum(e.type == CHAT for e in each) for each in completed)
        yield "seconds of a completed session, median", round(seconds)
        yield "messages of a completed session, median", round(texts)


def _tell_models(counts: _Counts) -> Iterator[Row]:
    yield "sessions with a model", sum(bool(each.models) for each in counts.sessions)
    yield (
        "sessions with a model that are released",
        sum(bool(each.models) for each in counts.released),
    )
    for name, count in _counted(
        f"{role} was {model.model}, prompt {model.prompt}"
        for each in counts.sessions
        for role, model in each.models.items()
    ):
        yield f"sessions in which {name}", count
    unreadable = len(counts.of(events.AgentParseError))
    yield "answers", len(counts.of(events.AgentReply)) + unreadable
    yield "answers that could not be read", unreadable
    for name, count in _counted(e.reason for e in counts.of(events.AgentLeft)):
        yield f"models that could not go on: {name}", count
    spent = sum(cost_of(each.what) for each in counts.log)
    yield "cost, by the prices of the settings", f"{spent:.4f}"


def _tell_noticed(counts: _Counts) -> Iterator[Row]:
    yield "messages", sum(each.type == CHAT for each in counts.log)
    yield "acts that the rules refused", len(counts.of(events.ActRefused))
    yield "messages with words that were looked for", len(counts.of(events.ChatFlagged))
    for name, count in _counted(each.kind for each in counts.of(events.ParticipantSignal)):
        yield f"signals: {name}", count
    yield "pages shown", len(counts.of(events.PageShown))
    yield "times a connection was lost", len(counts.of(events.ParticipantDisconnected))
    yield "messages of the researcher", len(counts.of(events.ModeratorMessage))
    yield "pairs that were not allowed", len(counts.of(events.PairingRefused))


def _tell_checklist(counts: _Counts) -> Iterator[Row]:
    """What conferences and journals ask of data that people made; what we cannot know is said."""
    arrived = counts.of(events.ParticipantArrived)
    completed = [pay for pay in counts.pay.values() if pay.completed]
    texts = sum(e.type == CHAT for each in counts.released for e in each.events)
    yield "participants: came", len(arrived) + counts.erased
    consented = counts.of(events.ParticipantConsented)
    yield "participants: agreed to the consent text", len(consented)
    yield "participants: completed a session", len(completed)
    yield "participants: left of their own accord", _count_out(counts, "withdrew")
    yield "participants: screened out by the questions", _count_out(counts, "screened_out")
    yield "dialogues: released", len(counts.released)
    yield "dialogues: messages in them", texts
    yield "recruitment", _listed(e.platform for e in arrived)
    yield from _tell_pay(counts, completed)
    yield "consent", "asked of all before anything else; versions and hashes above"
    yield "language of the pages", _listed(e.language for e in arrived)
    yield "language of the dialogues", "as the instructions ask; not checked"
    yield "demographics", "not asked"
    yield "native speakers", "not asked"
    yield "personal data", "pseudonyms; platforms' ids kept apart, not released"
    yield "deletion on request", f"offered to all, done for {counts.erased}"
    yield "review board (IRB)", FILL_IN
    yield "who funded it, and who is responsible", counts.settings.contact or FILL_IN


def _tell_pay(counts: _Counts, completed: Sequence[Pay]) -> Iterator[Row]:
    payment = counts.settings.payment
    # Of those who completed: partners who were left, or waited, say nothing of how long it takes.
    minutes = [pay.seconds / 60 for pay in completed]
    if minutes:
        span = f"{min(minutes):.0f} to {max(minutes):.0f}"
        yield (
            "time: minutes of those who completed, median and range",
            f"{median(minutes):.0f}, {span}",
        )
    total = sum(pay.amount for pay in counts.pay.values())
    if not any(payment.amounts.values()):
        yield "pay", f"{FILL_IN}: `study.toml` names no amounts"
        return
    for group, count in _counted(pay.group for pay in counts.pay.values()):
        amount = payment.amounts.get(cast("PaymentClass", group), 0)
        yield (
            f"pay: people whose last exit is paid in class {group}, and its amount",
            (f"{count}, {amount:.2f} {payment.currency}"),
        )
    yield "pay: in all", f"{total:.2f} {payment.currency}"
    # Anyone who took no time at all by the clock has no wage per hour.
    if hourly := [pay.amount / pay.seconds * 3600 for pay in completed if pay.seconds]:
        yield (
            "pay: per hour, of those who completed, median",
            f"{median(hourly):.2f} {payment.currency}",
        )


def _count_out(counts: _Counts, way_out: str) -> int:
    return sum(each.way_out == way_out for each in counts.of(events.ParticipantCoded))


def _tell_settings(settings: Settings) -> Iterator[Row]:
    times, quotas = settings.times, settings.quotas
    yield "sessions wanted", quotas.sessions or "as many as came"
    for role, wanted in quotas.roles.items():
        yield f"sessions wanted of people who came for role {role}", wanted
    yield "sessions of one person, at most", quotas.sessions_each
    yield "seed of the study", settings.seed
    for name in times.__struct_fields__:
        yield name, getattr(times, name)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in _counted(values)) or "-"


def _table(rows: Iterable[Row]) -> list[str]:
    shown = [f"| {name} | {value} |" for name, value in rows]
    return ["| | |", "|---|---:|", *shown] if shown else ["None."]


def _counted(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items())


def _day(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()
