"""What a game of PhotoBook comes to: the marks that are right."""

from __future__ import annotations

from commonground.corpora.photobook.scenario.rules import State
from commonground.corpora.photobook.scenario.schedule import ROUNDS
from commonground.games.scenario import Outcome

_TARGETS = 3
"""Images that a player marks on a page."""


def count_points(state: State) -> float:
    """Returns the points of both players, on all pages so far."""
    numbers = range(1, state.round + 1)
    return float(sum(state.score(number, role) for number in numbers for role in ("A", "B")))


OUTCOME = Outcome("right marks", count_points, 2.0 * _TARGETS * ROUNDS)
