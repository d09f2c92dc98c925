"""The tables and figures of SIMMC 1 and 2, with the numbers that were published of them."""

from __future__ import annotations

from commonground.corpora.simmc.figures.actions import ACTIONS_FIGURES
from commonground.corpora.simmc.figures.beliefs import BELIEFS_FIGURES
from commonground.corpora.simmc.figures.documented import DOCUMENTED
from commonground.corpora.simmc.figures.labels import LABELS_FIGURES
from commonground.corpora.simmc.figures.simmc2 import SIMMC2_FIGURES
from commonground.corpora.simmc.figures.splits import SPLITS_FIGURES
from commonground.corpora.simmc.figures.things import THINGS_FIGURES
from commonground.figure import Figure

FIGURES: tuple[Figure, ...] = (
    *SPLITS_FIGURES,
    DOCUMENTED,
    *ACTIONS_FIGURES,
    *BELIEFS_FIGURES,
    *LABELS_FIGURES,
    *THINGS_FIGURES,
    *SIMMC2_FIGURES,
)
