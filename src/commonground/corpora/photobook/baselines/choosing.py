"""From scores to chosen images."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

_STEPS = 50
_LITTLE = 1e-6


class Choice(msgspec.Struct, frozen=True):
    """The score of each image, and the images that are chosen."""

    scores: dict[str, float]
    targets: list[str]


def choose(images: Sequence[str], scores: Sequence[float], bar: float, key: str) -> Choice:
    """Chooses the images whose score is at least a bar; the best one always.

    Equal scores are set a little apart, as only chance and the key decide.
    """
    rng = random.Random(key)
    scores = [score * (1 - _LITTLE) + _LITTLE * rng.random() for score in scores]
    best = max(range(len(images)), key=scores.__getitem__, default=None)
    chosen = [
        image
        for place, (image, score) in enumerate(zip(images, scores, strict=True))
        if score >= bar or place == best
    ]
    return Choice(dict(zip(images, scores, strict=True)), chosen)


def learn_bar(examples: Iterable[tuple[Sequence[float], Sequence[bool]]]) -> float:
    """Finds the bar that gives the best F1 over all images of all examples.

    Args:
        examples: scores from 0 to 1, and which of them are of right images.
    """
    scores: list[float] = []
    right: list[bool] = []
    always: list[bool] = []
    for mine, wanted in examples:
        best = max(range(len(mine)), key=mine.__getitem__, default=None)
        scores += mine
        right += wanted
        always += [place == best for place in range(len(mine))]
    values, gold, sure = np.array(scores), np.array(right, bool), np.array(always, bool)
    bars = np.linspace(1 / _STEPS, 1, _STEPS)
    if not gold.any():
        return 1.0
    return float(max(bars, key=lambda bar: _measure_f1((values >= bar) | sure, gold)))


def _measure_f1(chosen: NDArray[np.bool_], gold: NDArray[np.bool_]) -> float:
    return float(2 * (chosen & gold).sum() / (chosen.sum() + gold.sum()))
