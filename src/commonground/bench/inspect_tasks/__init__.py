"""Tasks and games as inspect_ai runs them: ``inspect eval commonground/simmc_dst``.

inspect_ai loads this package, and only then, by the entry point that the project declares; loading
it is how inspect_ai wants tasks and scorers to be made known. Providers, retries, limits, caching,
logs and their viewer are inspect_ai's; here stands what is asked, and how it is scored.
"""

from commonground.bench.inspect_tasks.agents import end_state, register_agents
from commonground.bench.inspect_tasks.games import outcome, register_games
from commonground.bench.inspect_tasks.probing import probe, recalled
from commonground.bench.inspect_tasks.scoring.judging import judged
from commonground.bench.inspect_tasks.scoring.official import official
from commonground.bench.inspect_tasks.solvers import baseline, chance, people, predictions
from commonground.bench.inspect_tasks.tasks import register_tasks

TASKS = register_tasks()
"""Every task that can be asked, by the name that inspect_ai knows it by."""

GAMES = register_games()
"""The game of every scenario, by the name that inspect_ai knows it by."""

AGENTS = register_agents()
"""A task for each corpus in whose dialogues a model can serve people, by inspect_ai's name."""

__all__ = [
    "AGENTS",
    "GAMES",
    "TASKS",
    "baseline",
    "chance",
    "end_state",
    "judged",
    "official",
    "outcome",
    "people",
    "predictions",
    "probe",
    "recalled",
]
