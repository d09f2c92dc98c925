"""The tables and figures of Taskmaster 1 to 4, with the numbers that were published of them."""

from __future__ import annotations

from commonground.corpora.taskmaster.figures.calls import CALLS_FIGURES
from commonground.corpora.taskmaster.figures.dialogues import DIALOGUES_FIGURES
from commonground.corpora.taskmaster.figures.entities import ENTITIES_FIGURES
from commonground.corpora.taskmaster.figures.overview import OVERVIEW
from commonground.corpora.taskmaster.figures.rewards import REWARDS
from commonground.corpora.taskmaster.figures.scenarios import SCENARIOS_FIGURES
from commonground.figure import Figure

FIGURES: tuple[Figure, ...] = (
    OVERVIEW,
    *DIALOGUES_FIGURES,
    *ENTITIES_FIGURES,
    *CALLS_FIGURES,
    *SCENARIOS_FIGURES,
    REWARDS,
)
