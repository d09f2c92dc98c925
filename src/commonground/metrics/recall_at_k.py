"""Recall among the best k and mean reciprocal rank, as MPChat's tasks report them.

The official sort is not stable, so its ranks are undefined under ties; ours puts equal
candidates in order of position and counts the tied examples.
"""

from __future__ import annotations

from collections.abc import Sequence

from commonground.errors import TaskError
from commonground.metrics.base import Counts, Metric, Values, ratio

MAX_CANDIDATES = 100


def list_cutoffs(candidates: int) -> tuple[int, ...]:
    """Returns the k's for a number of candidates, each once, rounded half to even.

    Up to ten candidates they are 1, a fifth and a half; from there on 1, a tenth and a half.

    Raises:
        TaskError: more than 100 candidates, which the official code refuses, or none.
    """
    if not 1 <= candidates <= MAX_CANDIDATES:
        raise TaskError(
            f"Recall at k is defined for 1 to {MAX_CANDIDATES} candidates, found {candidates}."
        )
    small = 0.2 if candidates <= 10 else 0.1
    cutoffs = (1, max(1, round(candidates * small)), max(1, round(candidates * 0.5)))
    return tuple(dict.fromkeys(cutoffs))


def score_ranking(scores: Sequence[float], gold: int) -> dict[str, float]:
    """Counts one example.

    Raises:
        TaskError: no score at position ``gold``, or a number of candidates out of bounds.
    """
    cutoffs = list_cutoffs(len(scores))
    if not 0 <= gold < len(scores):
        raise TaskError(f"The right candidate is number {gold}, and {len(scores)} are scored.")
    own = scores[gold]
    equal = [j for j, score in enumerate(scores) if score == own and j != gold]
    # The official sort puts NaN first; a NaN of its own is put last here.
    rank = len(scores) - sum([not score > own for score in scores]) + 1
    rank += sum(j < gold for j in equal)
    if own != own:
        rank = len(scores)
    counts: dict[str, float] = {"n": 1, "reciprocal": 1 / rank, "tied": int(bool(equal))}
    for k in cutoffs:
        counts[f"n@{k}"] = 1
        counts[f"hits@{k}"] = int(rank <= k)
    return counts


def combine(sums: Counts) -> Values:
    """Returns ``recall@k`` for every k of the rule, and ``mrr``."""
    cutoffs = sorted(int(name[2:]) for name in sums if name.startswith("n@"))
    values = {f"recall@{k}": ratio(sums.get(f"hits@{k}", 0), sums[f"n@{k}"]) for k in cutoffs}
    return values | {"mrr": ratio(sums.get("reciprocal", 0), sums.get("n", 0))}


RECALL_AT_K = Metric(
    name="recall_at_k",
    version="1",
    title="Recall among the best k candidates and mean reciprocal rank.",
    matches="ahnjaewoo/MPCHAT@e003477 utils/misc.py",
    counts=("n", "reciprocal", "tied", "n@*", "hits@*"),
    score=score_ranking,
    combine=combine,
)
