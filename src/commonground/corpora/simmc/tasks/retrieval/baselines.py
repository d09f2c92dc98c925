"""Baselines of ``simmc/retrieval``: candidates that share words with the turn, and a ranker.

No method looks at the place of a candidate: in the released files the first is the right one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Literal

import msgspec

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ranking import (
    ChanceModel,
    Judge,
    Ranker,
    rank_apart,
    train_chance,
    train_ranker,
)
from commonground.corpora.simmc.tasks.features import domain_of, write_entries
from commonground.corpora.simmc.tasks.retrieval import encoded
from commonground.corpora.simmc.tasks.retrieval.candidates import (
    describe_candidates,
    draw_candidates,
    list_texts,
    user_words,
)
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance

_OTHERS = 9  # wrong answers beside each right one, drawn by lot
_LEAST = 5  # candidates that must have a feature for it to be learned
_STRENGTH = 0.3


class WordModel(msgspec.Struct, frozen=True):
    """Frequencies of words, and the seed that decides between equals."""

    seed: int
    terms: TermCounts


class RankerModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        seed: decides between equals.
        with_action: whether the assistant's action is looked at.
        ranker: weights of what candidates and turn have in common.
    """

    seed: int
    with_action: bool
    terms: TermCounts
    ranker: Ranker


def _name(seed: int, instance: Instance) -> str:
    return f"{seed} {instance.instance_id}"


def predict_random(model: ChanceModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields a random order for each turn."""
    for each in instances:
        equal = [0.0] * len(each.inputs["candidates"])
        yield {"scores": rank_apart(equal, _name(model.seed, each))}


def train_words(training: TrainingSet) -> WordModel:
    """Counts in how many candidates and users' turns each word is."""
    return WordModel(training.seed, count_terms(list_texts(training.instances)))


def predict_words(
    model: WordModel, instances: Iterable[Instance], *, measure: Literal["tfidf", "bm25"]
) -> Iterator[Any]:
    """Yields how alike each candidate is to the user's words."""
    matcher = Matcher(model.terms)
    score = matcher.score_tfidf if measure == "tfidf" else matcher.score_bm25
    for each in instances:
        scores = score(user_words(each.inputs), each.inputs["candidates"])
        # Equal scores would let the official script rank the right answer first for nothing.
        yield {"scores": rank_apart(scores, _name(model.seed, each))}


def train_learned(training: TrainingSet, *, with_action: bool) -> RankerModel:
    """Learns from the right candidate of each turn and some of the wrong ones.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    terms = count_terms(list_texts(training.instances))
    matcher, chance = Matcher(terms), random.Random(training.seed)
    known = (each for each in training.instances if each.gold is not None)
    drawn = ((each, draw_candidates(each, _OTHERS, chance)) for each in known)
    choices = (
        (describe_candidates(each.inputs, texts, matcher, with_action), [0])
        for each, texts in drawn
    )
    ranker = train_ranker(choices, single=True, strength=_STRENGTH, least=_LEAST)
    return RankerModel(training.seed, with_action, terms, ranker)


def predict_learned(model: RankerModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the score of each candidate."""
    matcher, judge = Matcher(model.terms), Judge(model.ranker)
    for each in instances:
        candidates = each.inputs["candidates"]
        group = describe_candidates(each.inputs, candidates, matcher, model.with_action)
        yield {"scores": rank_apart(judge.score(group), _name(model.seed, each))}


def _words(measure: Literal["tfidf", "bm25"], title: str) -> Baseline:
    return Baseline(
        name=measure,
        title=title,
        model=WordModel,
        train=train_words,
        predict=partial(predict_words, measure=measure),
    )


def _learned(name: str, title: str, *, with_action: bool) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=RankerModel,
        train=partial(train_learned, with_action=with_action),
        predict=predict_learned,
    )


BASELINES = Baselines(
    task="simmc/retrieval",
    methods=(
        Baseline(
            name="random",
            title="A random order.",
            model=ChanceModel,
            train=train_chance,
            predict=predict_random,
        ),
        _words("tfidf", "Cosine of the user's words and the candidate (TF-IDF)."),
        _words("bm25", "BM25 of the user's words and the candidate."),
        _learned(
            "ranker-words",
            "A linear ranker over pairs of words, of the user and of the candidate.",
            with_action=False,
        ),
        _learned("ranker", "As ranker-words, with the assistant's action.", with_action=True),
        Baseline(
            name="encoder",
            title="As ranker, with how well each candidate suits a predicted vector of the answer.",
            model=encoded.EncodedModel,
            train=encoded.train,
            predict=encoded.predict,
            encodes=True,
        ),
    ),
    write=partial(write_entries, items="candidate_scores"),
    train_split="train",
    test_split="devtest",
    part=domain_of,
)
