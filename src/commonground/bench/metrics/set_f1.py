"""Choosing some of several candidates: precision, recall, F1, accuracy and reciprocal rank.

For PhotoBook reference: which of the displayed images a stretch of dialogue is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from commonground.errors import TaskError
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import list_f1_parts, precision_recall_f1, ratio


def score_choice(
    gold: Collection[str],
    scores: Mapping[str, float],
    predicted: Collection[str] | None = None,
) -> dict[str, float]:
    """Counts one choice.

    Args:
        scores: of every candidate, by name.
        predicted: the candidates that are said to be meant; where none are given, those whose
            score is at least 0.5.

    Raises:
        TaskError: a gold or predicted candidate has no score.
    """
    wanted = set(gold)
    given = {name for name, score in scores.items() if score >= 0.5}
    if predicted is not None:
        given = set(predicted)
    unknown = (wanted | given) - scores.keys()
    if unknown:
        raise TaskError(f"Without a score: {', '.join(sorted(unknown))}.")
    both = len(wanted & given)
    return {
        "n": 1,
        "candidates": len(scores),
        "gold": len(wanted),
        "predicted": len(given),
        "correct": both,
        "rejected": len(scores) - len(wanted | given),
        "exact": int(wanted == given),
        **_count_rank(wanted, scores),
    }


def _count_rank(wanted: set[str], scores: Mapping[str, float]) -> dict[str, float]:
    """Counts the reciprocal rank of the best gold candidate, after wrong ones that tie."""
    if not wanted:
        return {"ranked": 0, "reciprocal": 0.0, "tied": 0, "first": 0}
    best = max(scores[name] for name in wanted)
    wrong = [score for name, score in scores.items() if name not in wanted]
    # "not <" rather than ">=": a score that is not a number is never a reason to rank first.
    rank = 1 + sum([not score < best for score in wrong])
    tied = int(best in wrong)
    return {"ranked": 1, "reciprocal": 1 / rank, "tied": tied, "first": int(rank == 1)}


def combine(sums: Counts) -> Values:
    """Returns the rates over all candidates of all choices, and the ranks over choices.

    ``accuracy`` is over candidates; ``reject_*`` are the rates of candidates that are not meant.
    """
    candidates, gold = sums.get("candidates", 0), sums.get("gold", 0)
    predicted, correct = sums.get("predicted", 0), sums.get("correct", 0)
    rejected = sums.get("rejected", 0)
    return {
        **precision_recall_f1(correct, predicted, gold),
        **precision_recall_f1(rejected, candidates - predicted, candidates - gold, "reject_"),
        "accuracy": ratio(correct + rejected, candidates),
        "exact": ratio(sums.get("exact", 0), sums.get("n", 0)),
        "first": ratio(sums.get("first", 0), sums.get("ranked", 0)),
        "mrr": ratio(sums.get("reciprocal", 0), sums.get("ranked", 0)),
    }


SET_F1 = Metric(
    name="set_f1",
    version="2",
    title="Precision, recall, F1 and accuracy of chosen candidates, and mean reciprocal rank.",
    score=score_choice,
    combine=combine,
    parts={
        **list_f1_parts("correct", "predicted", "gold"),
        "reject_precision": ("rejected", "candidates", "predicted"),
        "reject_recall": ("rejected", "candidates", "gold"),
        "reject_f1": ("rejected", "candidates", "predicted", "gold"),
        "first": ("first", "ranked"),
        "mrr": ("reciprocal", "ranked"),
    },
)
