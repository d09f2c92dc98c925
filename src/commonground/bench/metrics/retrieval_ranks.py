"""The rank of the right candidate among scored ones.

:data:`RETRIEVAL_RANKS_EXPECTED` gives what a random order of equals gives on average, so that who
ranks a few of a hundred candidates gets nothing for the others. The official rank,
:data:`RETRIEVAL_RANKS`, is 1 + the number of strictly larger scores, so ties help: where all scores
are equal the right candidate is first. It is for files of real scores, which have no ties.
:data:`RETRIEVAL_RANKS_PESSIMISTIC` puts the right candidate last among its equals.

The script leaves the comparison to numpy, which takes texts, truth values and lists, too, and turns
whole numbers into floats where others are. Scores other than plain numbers are compared so here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from commonground.errors import TaskError
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import ratio, standard_error

CUTOFFS = (1, 5, 10)


class CandidateRank(msgspec.Struct, frozen=True, gc=False):
    """Where the right candidate stands.

    Attributes:
        larger: number of candidates with a larger score.
        equal: number of *other* candidates with the same score.
        not_numbers: number of scores that are NaN; they are neither larger nor equal.
        is_nan: whether its own score is NaN.
    """

    larger: int
    equal: int
    not_numbers: int
    is_nan: bool = False


_EXACT = 2**53  # up to here a float has a place for every whole number
_WIDE = 2**63  # from here on numpy has no whole numbers with a sign


def are_plain(scores: Sequence[Any]) -> bool:
    """Says whether scores are numbers that numpy compares by their very values."""
    # By exact type: to ``isinstance``, True is a whole number, and numpy compares it as a truth
    # value.
    kinds = set(map(type, scores))
    if kinds <= {float}:
        return True
    # Where floats are among them, numpy makes all of them floats, which are exact only so far.
    most = _WIDE if kinds == {int} else _EXACT
    return kinds <= {int, float} and all(type(x) is float or -most < x < most for x in scores)


def find_place(scores: Sequence[Any], gold: int) -> CandidateRank:
    """Finds where the candidate at position ``gold`` stands.

    Raises:
        TaskError: there is no score at that position, or the scores cannot be compared.
    """
    if not 0 <= gold < len(scores):
        raise TaskError(f"The right candidate is number {gold}, and {len(scores)} are scored.")
    return _find_among_numbers(scores, gold) if are_plain(scores) else _find_as_numpy(scores, gold)


def _find_among_numbers(scores: Sequence[Any], gold: int) -> CandidateRank:
    own = scores[gold]
    larger = sum([score > own for score in scores])
    same = scores.count(own)
    # A NaN does not equal itself, so a NaN of its own leaves the right candidate first.
    odd = sum(map(math.isnan, scores)) if math.isnan(sum(scores)) else 0
    return CandidateRank(larger, max(0, same - 1), odd, own != own)


def _find_as_numpy(scores: Sequence[Any], gold: int) -> CandidateRank:
    """Compares whatever numpy compares; of lists, element by element, none is the equal."""
    own = scores[gold]
    try:
        values = np.array(scores)
        larger = int(np.sum(values > own))
        same = int(np.sum(values == own)) if values.ndim == 1 else 1
    except (TypeError, ValueError, OverflowError) as error:
        raise TaskError(f"The scores cannot be compared: {error}") from error
    odd = sum(isinstance(each, float) and math.isnan(each) for each in scores)
    return CandidateRank(larger, max(0, same - 1), odd, own != own)


def score_candidates(scores: Sequence[Any], gold: int) -> Counts:
    """Counts one example by the official rank; NaN among the scores is counted as such."""
    place = find_place(scores, gold)
    return _count_rank(place.larger + 1, place)


def score_plain(scores: Sequence[Any], gold: int) -> Counts:
    """Counts as :func:`score_candidates` does, for scores that :func:`are_plain` said yes to."""
    place = _find_among_numbers(scores, gold)
    return _count_rank(place.larger + 1, place)


def score_candidates_pessimistic(scores: Sequence[Any], gold: int) -> Counts:
    """Counts one example with ties resolved against the right candidate; NaN is last of all."""
    place = find_place(scores, gold)
    if place.is_nan:
        return _count_rank(len(scores), place)
    return _count_rank(place.larger + place.equal + 1, place)


def score_candidates_expected(scores: Sequence[Any], gold: int) -> dict[str, float]:
    """Counts one example by the mean over all orders of the right candidate's equals."""
    place = find_place(scores, gold)
    first, last = place.larger + 1, place.larger + place.equal + 1
    if place.is_nan:
        first = last = len(scores)
    width = last - first + 1
    reciprocal = sum(1 / rank for rank in range(first, last + 1)) / width
    hits = {k: min(1.0, max(0.0, (k - first + 1) / width)) for k in CUTOFFS}
    is_odd = place.not_numbers > 0
    return _counts(hits, (first + last) / 2, reciprocal, place.equal > 0, is_odd)


def _count_rank(rank: int, place: CandidateRank) -> Counts:
    return _count_cached(rank, place.equal > 0, place.not_numbers > 0)


# Candidates are a hundred, so that ranks and flags have few combinations; a run asks for them in
# every turn.
@lru_cache(maxsize=1024)
def _count_cached(rank: int, is_tied: bool, has_nan: bool) -> Counts:
    """Examples of the same rank share their counts, which nobody may change."""
    hits = {k: float(rank <= k) for k in CUTOFFS}
    return _counts(hits, rank, 1 / rank, is_tied, has_nan)


def _counts(
    hits: dict[int, float], rank: float, reciprocal: float, is_tied: bool, has_nan: bool
) -> dict[str, float]:
    counts = {"n": 1, "rank": rank, "rank_squared": rank * rank}
    counts |= {"reciprocal": reciprocal, "reciprocal_squared": reciprocal * reciprocal}
    for k, hit in hits.items():
        counts[f"hits@{k}"] = hit
        counts[f"hits@{k}_squared"] = hit * hit
    return counts | {"tied": int(is_tied), "with_nan": int(has_nan)}


_NAMES = {"r1": "hits@1", "r5": "hits@5", "r10": "hits@10", "mean": "rank", "mrr": "reciprocal"}


def combine(sums: Counts) -> Values:
    """Returns recall at 1, 5 and 10, the mean rank and the mean reciprocal rank."""
    return {name: ratio(sums.get(count, 0), sums.get("n", 0)) for name, count in _NAMES.items()}


def std_err(sums: Counts) -> Values:
    """Returns the standard error of each value."""
    return {
        name: standard_error(sums.get("n", 0), sums.get(count, 0), sums.get(f"{count}_squared", 0))
        for name, count in _NAMES.items()
    }


RETRIEVAL_RANKS = Metric(
    name="retrieval_ranks",
    version="1",
    title="As retrieval_ranks_expected, with ties resolved in favour of the right candidate: the "
    "official rule, for files of real scores.",
    matches="facebookresearch/simmc@2747421 mm_action_prediction/tools/retrieval_evaluation.py",
    score=score_candidates,
    combine=combine,
    std_err=std_err,
    lower=("mean",),
)

RETRIEVAL_RANKS_PESSIMISTIC = msgspec.structs.replace(
    RETRIEVAL_RANKS,
    name="retrieval_ranks_pessimistic",
    title="As retrieval_ranks_expected, with ties resolved against the right candidate.",
    matches=None,
    score=score_candidates_pessimistic,
    counts_missing=True,
)

RETRIEVAL_RANKS_EXPECTED = msgspec.structs.replace(
    RETRIEVAL_RANKS_PESSIMISTIC,
    name="retrieval_ranks_expected",
    version="2",
    title="Recall at 1, 5 and 10, mean rank and mean reciprocal rank, averaged over random orders "
    "of tied candidates.",
    score=score_candidates_expected,
)
