"""How players come to understand each other, page by page, and how far that is the partner's."""

from __future__ import annotations

import msgspec

from commonground.corpora.photobook.measures import MEASURES, measure_games
from commonground.corpora.photobook.native import Game
from commonground.figure import Data, Row
from commonground.measuring import MeasuredGames, list_pages

_LOGS = "SELECT json FROM native WHERE corpus = $corpus AND format = 'log'"


def measure_corpus(data: Data) -> MeasuredGames:
    """Measures all games of a store."""
    decoder = msgspec.json.Decoder(Game)
    return measure_games(decoder.decode(text) for (text,) in data.rows(_LOGS))


def compute_pages(data: Data) -> list[Row]:
    """Gives each measure of each page, with its interval."""
    return list_pages(data.share(measure_corpus), MEASURES)


def compute_coupling(data: Data) -> list[Row]:
    """Gives entrainment of partners, of pairs who never met, and the difference."""
    coupling = data.share(measure_corpus).coupling
    if coupling is None:
        return []
    rows = [
        ("partners", coupling.real),
        ("players who never met", coupling.control),
        ("difference", coupling.difference),
    ]
    return [[name, each.value, each.low, each.high, coupling.games] for name, each in rows]
