"""Sentence BLEU-4 of generated answers, averaged.

Official behaviour that is kept: texts are lower-cased and tokenised; an order of n-grams without
a match counts 0.1 matches (smoothing method 1 of Chen and Cherry 2014); no word in common is 0.
The number depends on NLTK's version at about the fifth digit, so a report names the tokenizer. By
the rules of 3.3, 3.4.5 and 3.10.4 (``metrics.words``) it was that of the official script to 1e-15
on each of 13 released outputs of the challenge.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from commonground.bench.metrics.words import Tokenizer, choose_tokenizer
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import ratio, standard_error

MAX_ORDER = 4
# What smoothing 1 counts for an order of n-grams that has no match.
_NO_MATCH = 0.1


def sentence_bleu(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Returns BLEU-4 of one tokenised hypothesis against one reference.

    Source: Papineni et al. 2002; smoothing 1 of Chen and Cherry 2014.
    """
    logs = []
    for order in range(1, MAX_ORDER + 1):
        total = len(hypothesis) - order + 1
        matches = _count_matches(reference, hypothesis, order) if total > 0 else 0
        # NLTK smooths the longer n-grams only: without a word in common the score is 0.
        if order == 1 and not matches:
            return 0.0
        # A text shorter than the order has none of its n-grams; NLTK divides by 1 then.
        logs.append(math.log((matches or _NO_MATCH) / max(1, total)) / MAX_ORDER)
    # The logarithm of the brevity penalty, which only texts shorter than the reference have.
    penalty = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(penalty) * math.exp(math.fsum(logs))


def _count_matches(reference: Sequence[str], hypothesis: Sequence[str], order: int) -> int:
    wanted, given = _count_ngrams(reference, order), _count_ngrams(hypothesis, order)
    return sum([min(count, wanted[gram]) for gram, count in given.items() if gram in wanted])


def _count_ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[first:] for first in range(order)), strict=False))


@cache
def default_tokenizer() -> Tokenizer:
    """Returns the tokenizer that :data:`BLEU` uses here; reports give its name."""
    return choose_tokenizer()


def score_text(
    reference: str, hypothesis: str, split: Callable[[str], Sequence[str]] | None = None
) -> dict[str, float]:
    """Counts one answer.

    Args:
        reference: what was said.
        hypothesis: what was generated.
        split: turns text into tokens; where none is given, :func:`default_tokenizer`.
    """
    split = split or default_tokenizer().split
    value = sentence_bleu(split(reference.lower()), split(hypothesis.lower()))
    return {"n": 1, "bleu": value, "bleu_squared": value * value, "empty": int(not hypothesis)}


def combine(sums: Counts) -> Values:
    """Returns the mean of sentence BLEU."""
    return {"bleu": ratio(sums.get("bleu", 0), sums.get("n", 0))}


def std_err(sums: Counts) -> Values:
    """Returns the standard error of the mean."""
    number, total = sums.get("n", 0), sums.get("bleu", 0)
    return {"bleu": standard_error(number, total, sums.get("bleu_squared", 0))}


BLEU = Metric(
    name="bleu",
    version="2",
    title="Mean sentence BLEU-4 with smoothing method 1 over lower-cased tokens.",
    matches="facebookresearch/simmc@2747421 mm_action_prediction/tools/response_evaluation.py",
    score=score_text,
    combine=combine,
    std_err=std_err,
    best={"bleu": None},  # an answer of fewer than four words cannot reach 1
)

BLEU_ALL_TURNS = Metric(
    name="bleu_all_turns",
    version="2",
    title="As bleu, with missing turns scored 0 and each turn scored once.",
    score=score_text,
    combine=combine,
    std_err=std_err,
    best=BLEU.best,
    counts_missing=True,
)
