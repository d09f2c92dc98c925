"""Logs of games, of agents and of the probe, as lines of a report beside those of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from inspect_ai.log import EvalLog

from commonground.bench.evaluation.reporting import Number, SystemRow, TaskReport
from commonground.bench.inspect_tasks.games import ABORTED, ANSWERS, MODEL
from commonground.bench.inspect_tasks.logs.results import count_used, read_log
from commonground.bench.inspect_tasks.scoring.rates import ENDS
from commonground.errors import TaskError
from commonground.printing import count_of

_PROBED = ("verbatim", "verbatim_more", "run", "run_more", "grams", "grams_more")
_PROBE = "how much of the real next turn a model reproduces, and how much more than of another turn"

_SERVED = "people of released dialogues, served turn by turn"


class SortedLogs(msgspec.Struct):
    """Logs of benchmark tasks, and reports of all others."""

    tasks: list[Path]
    others: list[TaskReport]


def sort_logs(paths: Iterable[Path]) -> SortedLogs:
    """Tells logs of benchmark tasks from those of games, agents and the probe; reports these.

    Raises:
        SourceError: one cannot be read.
        TaskError: one of a game, an agent or the probe has no numbers.
    """
    found = SortedLogs([], [])
    lines: dict[tuple[str, str], list[SystemRow]] = {}
    for path in paths:
        log = read_log(path, header_only=True)
        facts = log.eval.metadata or {}
        # What a log is of is told by the facts that each kind of task of ours keeps.
        if "scenario" in facts:
            title = f"the game of {facts['scenario']}, played by its rules"
            lines.setdefault((log.eval.task, title), []).append(_describe_games(path, log))
        elif "agent" in facts:
            lines.setdefault((log.eval.task, _SERVED), []).append(_describe_agent(path, log))
        elif "probe_version" in facts:
            lines.setdefault((log.eval.task, _PROBE), []).append(_describe_probe(path, log))
        else:
            found.tasks.append(path)
    for (task, title), rows in lines.items():
        names = dict.fromkeys(name for row in rows for name in row.numbers)
        found.others.append(TaskReport(task=task, title=title, names=list(names), rows=rows))
    return found


def _describe_games(path: Path, log: EvalLog) -> SystemRow:
    facts, numbers = log.eval.metadata or {}, _read_numbers(path, log)
    reasons = [name for name in numbers if name.startswith((ANSWERS, ABORTED))]
    counted = {name: numbers.pop(name).value for name in reasons}
    rules = f"rules {facts['version']}"
    prompt = f"prompt {facts['prompt_version']} ({facts['prompt_hash']})"
    return _write_row(
        log,
        system=", ".join(f"{role}: {_name_player(log, role)}" for role in facts["seats"]),
        split="invented games" if facts["invented"] else "given games",
        numbers=numbers,
        outcomes={name: round(value or 0) for name, value in counted.items()},
        source=f"commonground: played on {log.eval.created[:10]}, {rules}, {prompt}",
        comparable="with the same games by the same rules and prompt",
    )


def _name_player(log: EvalLog, role: str) -> str:
    name: str = (log.eval.metadata or {})["seats"][role]
    named = (log.eval.model_roles or {}).get(role.lower())
    if name != MODEL:
        return name
    # inspect_ai takes several models of a role; games are played by the first.
    if isinstance(named, list):
        named = named[0]
    return log.eval.model if named is None else named.model


def _describe_agent(path: Path, log: EvalLog) -> SystemRow:
    facts = log.eval.metadata or {}
    prompt = f"prompt {facts['prompt_version']} ({facts['prompt_hash']})"
    served = f"{count_of(facts['dialogues'], 'dialogue')} served on {log.eval.created[:10]}"
    steps = f"at most {count_of(facts['most_steps'], 'step')} a turn"
    return _write_row(
        log,
        system=log.eval.model,
        split=facts["split"] or "all",
        numbers=_read_numbers(path, log),
        source=f"commonground, {facts['agent']}: {served}, {steps}, {prompt}",
        comparable="with other models on the same dialogues with the same prompt",
    )


def _describe_probe(path: Path, log: EvalLog) -> SystemRow:
    facts = log.eval.metadata or {}
    numbers = _read_numbers(path, log)
    asked = f"commonground, {facts['corpus']}: asked on {log.eval.created[:10]}"
    return _write_row(
        log,
        system=log.eval.model,
        split=facts["split"] or "all",
        numbers={name: numbers[name] for name in _PROBED if name in numbers},
        source=f"{asked}, probe {facts['probe_version']}",
        comparable="with other models on the same dialogues",
    )


def _write_row(
    log: EvalLog,
    *,
    system: str,
    split: str,
    numbers: dict[str, Number],
    source: str,
    comparable: str,
    outcomes: dict[str, int] | None = None,
) -> SystemRow:
    """Returns the row of a run: what is said of it, and what its log says of every run."""
    if log.status != "success":
        comparable = f"no: the run ended with {log.status!r}"
    return SystemRow(
        system=system,
        split=split,
        numbers=numbers,
        n=log.results.completed_samples if log.results else None,
        source=f"{source}, {count_used(log.stats.model_usage.values()).describe()}",
        comparable=comparable,
        is_published=False,
        outcomes=outcomes or {},
    )


def _read_numbers(path: Path, log: EvalLog) -> dict[str, Number]:
    """Returns the numbers of a log by name, each with the interval that stands beside it."""
    scores = log.results.scores if log.results else []
    values = {name: each.value for score in scores for name, each in score.metrics.items()}
    if not values:
        advice = "Continue with `inspect eval-retry`, or score it with `inspect score`."
        raise TaskError(f"{path} has no numbers: it ended with {log.status!r}.", advice)
    return {
        name: Number(value, values.get(f"{name}_low"), values.get(f"{name}_high"))
        for name, value in values.items()
        if not any(name.endswith(end) and name.removesuffix(end) in values for end in ENDS)
    }
