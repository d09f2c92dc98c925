"""What a game of PhotoBook comes to: the marks that are right."""

from __future__ import annotations

from commonground.corpora.photobook.schedule import ROUNDS
from commonground.play.scenario import Outcome
from commonground.play.scenarios.photobook.rules import PhotobookState

_TARGETS = 3
"""Images that a player marks on a page."""


def count_points(state: PhotobookState) -> float:
    """Returns the points of both players, on all pages so far."""
    numbers = range(1, state.round + 1)
    return float(sum(state.score(number, role) for number in numbers for role in ("A", "B")))


OUTCOME = Outcome("right marks", count_points, 2.0 * _TARGETS * ROUNDS)

FORK_POINTS = {"mark": frozenset({"photobook.mark"})}
