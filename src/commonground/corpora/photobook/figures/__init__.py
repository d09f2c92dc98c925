"""The tables and figures of PhotoBook, with the numbers that its authors published."""

from __future__ import annotations

from commonground.corpora.photobook.figures.agents import AGENTS_FIGURES
from commonground.corpora.photobook.figures.authors import AUTHORS_ROUNDS
from commonground.corpora.photobook.figures.authors_tables import TABLES_FIGURES
from commonground.corpora.photobook.figures.documented import DOCUMENTED
from commonground.corpora.photobook.figures.games import GAMES_FIGURES
from commonground.corpora.photobook.figures.references import REFERENCES_FIGURES
from commonground.corpora.photobook.figures.rounds import ROUNDS_FIGURES
from commonground.corpora.photobook.figures.selections import SELECTIONS_FIGURES
from commonground.corpora.photobook.figures.vocabulary import VOCABULARY_FIGURES
from commonground.corpora.photobook.figures.words import VOCABULARY
from commonground.figure import Figure

FIGURES: tuple[Figure, ...] = (
    *GAMES_FIGURES,
    DOCUMENTED,
    VOCABULARY,
    *AGENTS_FIGURES,
    *ROUNDS_FIGURES,
    AUTHORS_ROUNDS,
    *TABLES_FIGURES,
    *SELECTIONS_FIGURES,
    *REFERENCES_FIGURES,
    *VOCABULARY_FIGURES,
)
