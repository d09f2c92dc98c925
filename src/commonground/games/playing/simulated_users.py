"""Simulated users: what they are called in results, and how often they are at fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from commonground.corpora import ScenarioEntry
from commonground.games.auditing import KINDS, Audit, Fault, FaultKind, find_plain, list_said
from commonground.games.playing.session_logs import SessionLog
from commonground.games.scenario import Act
from commonground.games.session import replay_acts
from commonground.metrics.outcomes import Rate, rate_share

MOST_EXAMPLES = 3
"""Examples of each fault that are kept."""


class FaultCount(msgspec.Struct, frozen=True):
    """How often a fault was found.

    Attributes:
        faults: how often; None where no rule of the scenario decides it.
        sessions: the share of sessions that have one; None likewise.
        examples: the first of them.
    """

    faults: int | None
    sessions: Rate | None
    examples: list[str]


class Audited(msgspec.Struct, frozen=True):
    """What was found of a simulated user.

    Attributes:
        name: of the result: the scenario, and who played; of models with what they were told.
        speaker: whose texts were looked at.
        sessions: how many.
        texts: how many texts.
        faults: by kind.
    """

    name: str
    speaker: str
    sessions: int
    texts: int
    faults: dict[FaultKind, FaultCount]


def audit_sessions(scenario: ScenarioEntry, logs: Iterable[SessionLog]) -> Audited:
    """Counts the faults of the user's side over the sessions of a log.

    Args:
        scenario: what was played.
        logs: the sessions, whether or not they came to their end.

    Raises:
        StuckError: the log was played by other rules.
    """
    audit = scenario.audit() or Audit(speaker=scenario.rules.roles[0])
    found: list[list[Fault]] = []
    names: dict[str, None] = {}
    texts = 0
    for log in logs:
        names.setdefault(name_result(log))
        material = msgspec.convert(log.material, scenario.rules.material)
        state = replay_acts(scenario.rules, material, log.seed, log.acts)
        said = list_said(log.acts) if audit.list_said is None else audit.list_said(state)
        texts += sum(each.speaker == audit.speaker for each in said)
        plain = find_plain(
            audit.speaker,
            said,
            [each for each in log.rejected if _is_own(audit, state, each.act)],
            complete=log.complete,
        )
        # Where the scenario's own rules decide a kind of fault, texts alone do not.
        kept = [each for each in plain if each.kind not in audit.decides]
        found.append([*kept, *audit.find_faults(state, said)])
    undecided = {"unwanted", "contradiction"} - audit.decides
    return Audited(
        name=" | ".join(names),
        speaker=audit.speaker,
        sessions=len(found),
        texts=texts,
        faults={
            kind: FaultCount(None, None, []) if kind in undecided else _count(kind, found)
            for kind in KINDS
        },
    )


def _is_own(audit: Audit, state: Any, act: Act) -> bool:
    return act.role == audit.speaker if audit.is_own is None else audit.is_own(state, act)


def name_result(log: SessionLog) -> str:
    """Returns what a result is called: scenario and players, of models with the hash of prompts."""
    players = (
        f"{role}={name}#{log.prompts[role]}" if role in log.prompts else f"{role}={name}"
        for role, name in log.players.items()
    )
    return " ".join((log.scenario, *players))


def _count(kind: FaultKind, found: Sequence[Sequence[Fault]]) -> FaultCount:
    faults = [each for session in found for each in session if each.kind == kind]
    having = sum(any(each.kind == kind for each in session) for session in found)
    examples = list(dict.fromkeys(each.text for each in faults))[:MOST_EXAMPLES]
    return FaultCount(len(faults), rate_share(having, len(found)), examples)
