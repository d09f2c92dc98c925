"""The tables and figures of Frames, with the numbers that were published of it."""

from __future__ import annotations

from commonground.corpora.frames.figures.acts import ACTS_FIGURES
from commonground.corpora.frames.figures.dialogues import DIALOGUES_FIGURES
from commonground.corpora.frames.figures.documented import DOCUMENTED
from commonground.corpora.frames.figures.outcomes import OUTCOMES_FIGURES
from commonground.corpora.frames.figures.overview import OVERVIEW
from commonground.corpora.frames.figures.searches import SEARCHES_FIGURES
from commonground.corpora.frames.figures.tracking import TRACKING_FIGURES
from commonground.figure import Figure

FIGURES: tuple[Figure, ...] = (
    OVERVIEW,
    DOCUMENTED,
    *DIALOGUES_FIGURES,
    *TRACKING_FIGURES,
    *ACTS_FIGURES,
    *SEARCHES_FIGURES,
    *OUTCOMES_FIGURES,
)
