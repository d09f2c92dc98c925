"""The tables and figures of MPChat, with the numbers that were published of it."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.grounding import GROUNDING_FIGURES
from commonground.corpora.mpchat.figures.paper import PAPER_FIGURES
from commonground.corpora.mpchat.figures.personas import PERSONAS_FIGURES
from commonground.corpora.mpchat.figures.rankings import CANDIDATES
from commonground.corpora.mpchat.figures.threads import THREADS_FIGURES
from commonground.corpora.mpchat.figures.votes import VOTES_FIGURES
from commonground.figure import Figure

FIGURES: tuple[Figure, ...] = (
    *THREADS_FIGURES,
    *PAPER_FIGURES,
    *PERSONAS_FIGURES,
    *GROUNDING_FIGURES,
    *VOTES_FIGURES,
    CANDIDATES,
)
