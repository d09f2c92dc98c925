"""Games in logs of inspect_ai, written as ``commonground play`` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.log import EvalSample

from commonground.bench.inspect_tasks.games import GAME, RESULT, TALLIES
from commonground.bench.inspect_tasks.logs.results import read_log
from commonground.errors import TaskError
from commonground.play.outcomes import GameResult
from commonground.play.scenarios import ScenarioEntry
from commonground.play.session import replay_acts
from commonground.play.sessions import (
    Played,
    PlayedSession,
    close_session,
    find_roles,
    write_sessions,
)
from commonground.play.sessions.session_logs import SessionLog


def write_logged_games(scenario: ScenarioEntry, log: Path, out: Path) -> Played:
    """Plays the games of a log again by its acts, and writes them in the released format.

    Games of a second epoch come after those of the first. A sample that failed has no game; it is
    asked again by ``inspect eval-retry``.

    Args:
        out: an empty folder.

    Raises:
        SourceError: the log cannot be read.
        TaskError: it is of something else, or has no game.
        StuckError: it was played by other rules.
        OSError: the folder cannot be written.
    """
    found = read_log(log)
    facts = found.eval.metadata or {}
    if facts.get("scenario") != scenario.name:
        raise TaskError(f"{log} is a log of {found.eval.task}, not of games of {scenario.name}.")
    samples = [each for each in found.samples or () if each.store.get(RESULT)]
    if not samples:
        raise TaskError(f"{log} has no game: it ended with {found.status!r}.")
    # Only what was invented can be made again from a seed.
    seed = facts["seed"] if facts["invented"] else None
    return write_sessions(scenario, _read_games(scenario, samples, facts), out, seed=seed)


def _read_games(
    scenario: ScenarioEntry, samples: list[EvalSample], facts: Mapping[str, Any]
) -> Iterator[PlayedSession]:
    # Epochs are further games with the same material: they go on counting where the last one ended.
    for sample in sorted(samples, key=lambda each: (each.epoch, each.metadata["number"])):
        before = (sample.epoch - 1) * facts["games"]
        result = msgspec.convert(sample.store[RESULT], GameResult)
        result = msgspec.structs.replace(result, number=result.number + before)
        piece = sample.metadata["piece"]
        # Nobody did anything before the game was given up: it has a result and no log.
        if sample.store.get(GAME) is None:
            yield PlayedSession(None, (), result, piece)
            continue
        log = _read_log(scenario, sample.store[GAME], before)
        state = replay_acts(scenario.rules, log.material, log.seed, log.acts)
        models = find_roles(scenario, sample.store.get(TALLIES) or ())
        made = close_session(scenario, log, state, models, piece=piece)
        yield msgspec.structs.replace(made, result=result)


def _read_log(scenario: ScenarioEntry, stored: Any, before: int) -> SessionLog:
    log = msgspec.convert(stored, SessionLog)
    seats = len(scenario.rules.roles)
    return msgspec.structs.replace(
        log,
        number=log.number + before,
        # Players of later epochs are others than those of the first, whatever their number in a
        # game.
        agents={role: agent + before * seats for role, agent in log.agents.items()},
        material=msgspec.convert(log.material, scenario.rules.material),
    )
