"""Sentence BLEU-4 of generated answers, averaged.

Official behaviour that is kept: texts are lower-cased and tokenised; an order of n-grams without
a match counts 0.1 matches (smoothing method 1 of Chen and Cherry 2014); no word in common is 0.
The number depends on NLTK's version at about the fifth digit, so a report names the tokenizer. With
3.10.4 it was that of the official script to 1e-15 on each of 13 released outputs of the challenge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from commonground.bench.metrics.words import tokenize
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import ratio, standard_error


def sentence_bleu(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Returns BLEU-4 of one tokenised hypothesis against one reference.

    Source: Papineni et al. 2002; smoothing 1 of Chen and Cherry 2014.
    """
    from nltk.translate import bleu_score

    smooth = bleu_score.SmoothingFunction().method1
    return float(bleu_score.sentence_bleu([reference], hypothesis, smoothing_function=smooth))


def score_text(
    reference: str, hypothesis: str, split: Callable[[str], Sequence[str]] = tokenize
) -> dict[str, float]:
    """Counts one answer, compared without regard to case."""
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

BLEU_ALL_TURNS = replace(
    BLEU,
    name="bleu_all_turns",
    title="As bleu, with missing turns scored 0 and each turn scored once.",
    matches=None,
    counts_missing=True,
)
