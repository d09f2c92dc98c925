"""Recall among the best k and mean reciprocal rank, as MPChat's tasks report them.

The official sort is not stable, so its ranks are undefined under ties; ours puts equal
candidates in order of position and counts the tied examples. As the right candidate is mostly the
first, that helps; :data:`RECALL_AT_K_PESSIMISTIC` puts it last among its equals.
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
    """Counts one example by the official order: what is not a number comes before all numbers.

    Raises:
        TaskError: no score at position ``gold``, or a number of candidates out of bounds.
    """
    return _count_rank(scores, _list_rivals(scores, gold), gold, is_pessimistic=False)


def score_ranking_pessimistic(scores: Sequence[float], gold: int) -> dict[str, float]:
    """Counts one example with the right candidate last among its equals; NaN is last of all.

    Raises:
        TaskError: as :func:`score_ranking`.
    """
    return _count_rank(scores, _list_rivals(scores, gold), gold, is_pessimistic=True)


def _list_rivals(scores: Sequence[float], gold: int) -> list[int]:
    """Returns the positions of the other candidates whose scores equal that of the right one."""
    if not 0 <= gold < len(scores):
        raise TaskError(f"The right candidate is number {gold}, and {len(scores)} are scored.")
    own, is_odd = scores[gold], scores[gold] != scores[gold]
    places = (j for j, score in enumerate(scores) if score == own or (is_odd and score != score))
    return [j for j in places if j != gold]


def _count_rank(
    scores: Sequence[float], rivals: Sequence[int], gold: int, *, is_pessimistic: bool
) -> dict[str, float]:
    cutoffs, own = list_cutoffs(len(scores)), scores[gold]
    larger = sum([score > own for score in scores])
    if is_pessimistic:
        rank = len(scores) if own != own else larger + len(rivals) + 1
    else:
        odd = sum([score != score for score in scores]) if own == own else 0
        rank = larger + odd + sum(j < gold for j in rivals) + 1
    counts: dict[str, float] = {"n": 1, "reciprocal": 1 / rank, "tied": int(bool(rivals))}
    for k in cutoffs:
        counts[f"n@{k}"] = 1
        counts[f"hits@{k}"] = int(rank <= k)
    return counts


def combine(sums: Counts) -> Values:
    """Returns ``recall@k`` for every k of the rule, and ``mrr``."""
    cutoffs = sorted(int(name[2:]) for name in sums if name.startswith("n@"))
    values = {f"recall@{k}": ratio(sums.get(f"hits@{k}", 0), sums[f"n@{k}"]) for k in cutoffs}
    return values | {"mrr": ratio(sums.get("reciprocal", 0), sums.get("n", 0))}


_COUNTS = ("n", "reciprocal", "tied", "n@*", "hits@*")

RECALL_AT_K = Metric(
    name="recall_at_k",
    version="2",
    title="Recall among the best k candidates and mean reciprocal rank; ties are by position.",
    matches="ahnjaewoo/MPCHAT@e003477 utils/misc.py",
    counts=_COUNTS,
    score=score_ranking,
    combine=combine,
)

RECALL_AT_K_PESSIMISTIC = Metric(
    name="recall_at_k_pessimistic",
    version="1",
    title="As recall_at_k, with the right candidate last among its equals.",
    counts=_COUNTS,
    score=score_ranking_pessimistic,
    combine=combine,
)
