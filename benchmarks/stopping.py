"""How many games a study takes that stops when it knows enough, against a number fixed before.

1,000 studies are simulated for each kind of score; each stops when the interval that holds however
often one looks is narrow enough. Beside it: the games that an interval for one look takes, planned
for the largest deviation that there can be, and for the true one, which nobody knows before.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Line
from commonground.statistics.sequences import Betting, Floats

STUDIES = 1_000
WANTED = 0.05
"""Half of the width of the interval, as a share of the best score."""

MOST = 3_000
"""Games after which a study that is not sure enough is given up."""

_Z = 1.96
_GRID = np.linspace(0, 1, 201)


def run() -> list[Line]:
    rng = np.random.default_rng(1)
    kinds = {
        "won or lost, as often": (rng.random((MOST, STUDIES)) < 0.5).astype(float),
        "won in 90 %": (rng.random((MOST, STUDIES)) < 0.9).astype(float),
        "points, deviation 0.2": rng.beta(2.6, 1.7, (MOST, STUDIES)),
        "points, deviation 0.1": rng.beta(12, 4, (MOST, STUDIES)),
    }
    return [_measure(name, values) for name, values in kinds.items()]


def _measure(name: str, values: Floats) -> Line:
    stops, missed = _stop(values)
    deviation = float(values.std())
    blind, known = ((_Z * each / WANTED) ** 2 for each in (0.5, deviation))
    games = float(np.median(stops))
    return Line(
        job=f"games until ±{WANTED} is known: {name}",
        measured=f"{games:.0f} (median; {missed:.1%} wrong at any look)",
        reference=f"{blind:.0f} planned without the deviation, {known:.0f} with the true one",
        ratio=games / blind,
        bar="at most 5 % wrong",
        holds=missed <= 0.05,
    )


def _stop(values: Floats) -> tuple[Floats, float]:
    """Returns at which game each study stops, and the share in which the truth was ruled out."""
    truth = float(values.mean())
    means = np.append(_GRID, truth)[:, None]
    shape = (len(means), values.shape[1])
    betting = Betting(np.broadcast_to(-means, shape), np.broadcast_to(1 - means, shape))
    stops = np.full(values.shape[1], float(MOST))
    running = np.ones(values.shape[1], dtype=bool)
    wrong = np.zeros(values.shape[1], dtype=bool)
    for number, each in enumerate(values, 1):
        betting.add(each - means, WANTED)
        left = ~betting.ruled_out[:-1]
        low, high = left.argmax(0), len(_GRID) - 1 - left[::-1].argmax(0)
        # As the interval of a study: one step further either way.
        width = _GRID[np.minimum(high + 1, len(_GRID) - 1)] - _GRID[np.maximum(low - 1, 0)]
        wrong |= running & betting.ruled_out[-1]
        stops[running & (width / 2 <= WANTED)] = number
        running &= width / 2 > WANTED
        if not running.any():
            break
    return stops, float(wrong.mean())
