"""Baselines of ``simmc/generation``: answers that the assistant gave before, given again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from commonground.bench.learners.nearest import NearestModel, find_nearest, train_nearest
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    WORDS,
    describe_turn,
    domain_of,
    write_entries,
)
from commonground.method import Baseline, Baselines, NothingToLearnError, TrainingSet
from commonground.task import Instance

ACTION = "action"
"""What the assistant does at this turn, which sub-task 2 may see."""


class FrequentModel(msgspec.Struct, frozen=True):
    """The answer given most often."""

    response: str


class AnswerModel(msgspec.Struct, frozen=True):
    """What finds the most similar turn, by features of some kinds, and what was said at each."""

    kinds: list[str]
    turns: NearestModel
    responses: list[str]


def train_frequent(training: TrainingSet) -> FrequentModel:
    """Finds the most frequent answer; of equally frequent ones the first in the alphabet.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    counts = Counter(str(each.gold) for each in training.instances if each.gold)
    if not counts:
        raise NothingToLearnError
    return FrequentModel(min(counts, key=lambda text: (-counts[text], text)))


def predict_frequent(model: FrequentModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the same answer again and again."""
    for _each in instances:
        yield {"response": model.response}


def train(training: TrainingSet, *, kinds: Sequence[str]) -> AnswerModel:
    """Keeps all turns that have an answer.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    known = [each for each in training.instances if each.gold]
    # Nothing is averaged: an answer that was given can be looked up in the data.
    turns = train_nearest([_describe(each.inputs, kinds) for each in known])
    return AnswerModel(list(kinds), turns, [str(each.gold) for each in known])


def _describe(inputs: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, float]:
    features = describe_turn(inputs, kinds)
    if ACTION in kinds and "action" in inputs:
        # Sorted, so that the same attributes are the same feature whatever their order in the file.
        attributes = msgspec.json.encode(inputs.get("action_supervision"), order="sorted").decode()
        features |= {f"now {inputs['action']}": 1.0, f"now {inputs['action']} {attributes}": 1.0}
    return features


def predict(model: AnswerModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the answer that was given at the most similar turn."""
    queries = [_describe(each.inputs, model.kinds) for each in instances]
    for place in find_nearest(model.turns, queries):
        yield {"response": model.responses[place]}


def _method(name: str, title: str, *kinds: str) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=AnswerModel,
        train=partial(train, kinds=kinds),
        predict=predict,
    )


BASELINES = Baselines(
    task="simmc/generation",
    methods=(
        Baseline(
            name="frequent",
            title="The answer that was given most often.",
            model=FrequentModel,
            train=train_frequent,
            predict=predict_frequent,
        ),
        _method("nearest-words", "The answer to the most similar words (TF-IDF).", WORDS),
        _method("nearest-action", "As nearest-words, with the assistant's action.", WORDS, ACTION),
        _method(
            "nearest",
            "The answer at the most similar turn: words, context and action.",
            WORDS,
            CONTEXT,
            ACTION,
        ),
    ),
    write=write_entries,
    train_split="train",
    test_split="devtest",
    part=domain_of,
)
