"""The official tables by tag of each fold, and their means over the folds."""

from __future__ import annotations

from collections.abc import Mapping

from commonground.metric import Counts, Metric, Values
from commonground.metrics.frames_tracking import FRAMES_TRACKING, combine

_MARK = "|"
_ROWS = ("tag/", "noanno/")


def name_fold(fold: str | None, counts: Counts) -> dict[str, float]:
    """Puts the counts by tag of a turn under the name of its fold; none where it is in none."""
    if fold is None:
        return {}
    return {
        f"{fold}{_MARK}{name}": count for name, count in counts.items() if name.startswith(_ROWS)
    }


def combine_folds(sums: Counts) -> Values:
    """Returns ``fold-<n>:<value>`` for each fold, and ``mean:<value>`` over those that have it."""
    values: Values = {}
    listed: dict[str, list[float]] = {}
    for fold, counts in sorted(_divide(sums).items()):
        for name, value in combine(counts).items():
            values[f"{fold}:{name}"] = value
            if value is not None:
                listed.setdefault(name, []).append(value)
    means = {f"mean:{name}": sum(found) / len(found) for name, found in listed.items()}
    return values | means


def _divide(sums: Counts) -> Mapping[str, dict[str, float]]:
    folds: dict[str, dict[str, float]] = {}
    for name, count in sums.items():
        fold, _, rest = name.partition(_MARK)
        folds.setdefault(fold, {})[rest] = count
    return folds


TRACKING_FOLDS = Metric(
    name="frames_tracking_folds",
    version=FRAMES_TRACKING.version,
    title="The rows by tag of frames_tracking for each fold, and their means over the folds.",
    matches=FRAMES_TRACKING.matches,
    score=name_fold,
    combine=combine_folds,
    best=FRAMES_TRACKING.best,
    neutral=FRAMES_TRACKING.neutral,
)
