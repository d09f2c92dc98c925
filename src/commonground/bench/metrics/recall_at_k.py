"""Recall among the best k and mean reciprocal rank, as MPChat's tasks report them.

The official sort is not stable, so its ranks are left to chance under ties. :data:`RECALL_AT_K`
gives what they are on average, over all orders of the right candidate's equals, and counts the
tied examples; :data:`RECALL_AT_K_OPTIMISTIC` puts it first among them and
:data:`RECALL_AT_K_PESSIMISTIC` last. Without ties all three are the official numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from commonground.errors import TaskError
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import ratio

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
    """Counts one example by the mean over all orders of the right candidate's equals.

    What is not a number comes before all numbers, as in the official order.

    Raises:
        TaskError: no score at position ``gold``, or a number of candidates out of bounds.
    """
    first, last = _find_ranks(scores, gold)
    return _count_ranks(len(scores), first, last, is_tied=last > first)


def score_ranking_optimistic(scores: Sequence[float], gold: int) -> dict[str, float]:
    """Counts one example with ties resolved in favour of the right candidate.

    Raises:
        TaskError: as :func:`score_ranking`.
    """
    first, last = _find_ranks(scores, gold)
    return _count_ranks(len(scores), first, first, is_tied=last > first)


def score_ranking_pessimistic(scores: Sequence[float], gold: int) -> dict[str, float]:
    """Counts one example with ties resolved against the right candidate; NaN is last of all.

    Raises:
        TaskError: as :func:`score_ranking`.
    """
    first, last = _find_ranks(scores, gold)
    odd = sum([score != score for score in scores])
    worst = last - odd if scores[gold] == scores[gold] else len(scores)
    return _count_ranks(len(scores), worst, worst, is_tied=last > first)


def count_unranked(candidates: int) -> dict[str, float]:
    """Counts an example whose candidates nothing ranks: the right one is never found.

    Raises:
        TaskError: a number of candidates out of bounds.
    """
    counts: dict[str, float] = {"n": 1, "reciprocal": 0, "tied": 0}
    for k in list_cutoffs(candidates):
        counts |= {f"n@{k}": 1, f"hits@{k}": 0}
    return counts


def _find_ranks(scores: Sequence[float], gold: int) -> tuple[int, int]:
    """Returns the first and the last rank that the right candidate has in any order of equals."""
    if not 0 <= gold < len(scores):
        raise TaskError(f"The right candidate is number {gold}, and {len(scores)} are scored.")
    own = scores[gold]
    # Only NaN differs from itself.
    odd = sum([score != score for score in scores])
    if own != own:
        # Among scores that are no numbers, any may be the first.
        return 1, odd
    before = odd + sum([score > own for score in scores])
    return before + 1, before + scores.count(own)


def _count_ranks(candidates: int, first: int, last: int, *, is_tied: bool) -> dict[str, float]:
    """Counts the mean over the ranks from the first to the last, each as likely."""
    width = last - first + 1
    reciprocal = sum([1 / rank for rank in range(first, last + 1)]) / width
    counts: dict[str, float] = {"n": 1, "reciprocal": reciprocal, "tied": int(is_tied)}
    for k in list_cutoffs(candidates):
        counts[f"n@{k}"] = 1
        counts[f"hits@{k}"] = min(1.0, max(0.0, (k - first + 1) / width))
    return counts


def combine(sums: Counts) -> Values:
    """Returns ``recall@k`` for every k of the rule, and ``mrr``."""
    cutoffs = sorted(int(name[2:]) for name in sums if name.startswith("n@"))
    values = {f"recall@{k}": ratio(sums.get(f"hits@{k}", 0), sums[f"n@{k}"]) for k in cutoffs}
    return values | {"mrr": ratio(sums.get("reciprocal", 0), sums.get("n", 0))}


RECALL_AT_K = Metric(
    name="recall_at_k",
    version="3",
    title="Recall at k and mean reciprocal rank, averaged over random orders of tied candidates.",
    matches="ahnjaewoo/MPCHAT@e003477 utils/misc.py",
    score=score_ranking,
    combine=combine,
)

RECALL_AT_K_OPTIMISTIC = Metric(
    name="recall_at_k_optimistic",
    version="1",
    title="As recall_at_k, with ties resolved in favour of the right candidate.",
    score=score_ranking_optimistic,
    combine=combine,
)

RECALL_AT_K_PESSIMISTIC = Metric(
    name="recall_at_k_pessimistic",
    version="1",
    title="As recall_at_k, with ties resolved against the right candidate.",
    score=score_ranking_pessimistic,
    combine=combine,
)
