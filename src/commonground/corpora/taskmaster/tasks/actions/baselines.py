"""Baselines of ``taskmaster3/actions``: what is done next by logistic regression.

If it is a call, its arguments are chosen among known values, the user's words and usual values;
if it is words, those of the most similar place are said again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from commonground.bench.learners.linear import LinearModel, classify_linear, train_linear
from commonground.bench.learners.nearest import NearestModel, find_nearest, train_nearest
from commonground.corpora.taskmaster.tasks.actions.arguments import (
    ArgumentModel,
    Caller,
    CallExample,
    list_known,
    train_arguments,
)
from commonground.corpora.taskmaster.tasks.actions.history import (
    CONTEXT,
    WORDS,
    describe_history,
)
from commonground.corpora.taskmaster.tasks.actions.targets import Target, parse_target
from commonground.corpora.taskmaster.tasks.actions.task import read_target
from commonground.corpora.taskmaster.tasks.predictions import take_sample, write_answers
from commonground.method import Baseline, Baselines, TrainingSet, find_most_frequent
from commonground.task import Instance

# The step of saying something; every other one is the name of an API.
_SAY = ""
_LEAST = 2  # instances that must have a feature for it to be learned
_MOST = 30_000  # instances to learn from, drawn by lot
_STRENGTH = 0.3


class ConstantModel(msgspec.Struct, frozen=True):
    """The target that every instance gets, in the tag language."""

    target: str


class NextModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        kinds: which features are looked at.
        steps: chooses the API, or words ("").
        arguments: chooses arguments.
        places: finds the most similar place where something was said; None if nothing was.
        texts: what was said there.
    """

    kinds: list[str]
    steps: LinearModel
    arguments: ArgumentModel
    places: NearestModel | None
    texts: list[str]


def train_majority(training: TrainingSet) -> ConstantModel:
    """Finds the more frequent kind of target, words or one API, and its most frequent form.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    targets = [
        (each.gold, _step(parse_target(each.gold))) for each in training.instances if each.gold
    ]
    step = find_most_frequent(step for _gold, step in targets)
    return ConstantModel(find_most_frequent(gold for gold, mine in targets if mine == step))


def predict_majority(model: ConstantModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields the same target again and again."""
    for _each in instances:
        yield {"target": model.target}


def _step(target: Target) -> str:
    return target.call.name if target.call else _SAY


def train(training: TrainingSet, *, kinds: Sequence[str]) -> NextModel:
    """Learns the next step, arguments and words; of very many instances a sample is enough.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    known = take_sample([each for each in training.instances if each.gold], _MOST, training.seed)
    targets = [parse_target(each.gold) for each in known]
    features = [describe_history(each.inputs["history"], kinds) for each in known]
    steps = [_step(target) for target in targets]
    examples = [
        CallExample(target.call, each.inputs["history"], list_known(each.inputs["history"]), mine)
        for target, each, mine in zip(targets, known, features, strict=True)
        if target.call
    ]
    said = [(f, t.text) for f, t in zip(features, targets, strict=True) if t.text is not None]
    return NextModel(
        list(kinds),
        train_linear(features, steps, seed=training.seed, strength=_STRENGTH, least=_LEAST),
        train_arguments(examples, training.seed),
        train_nearest([mine for mine, _text in said], least=_LEAST) if said else None,
        [text for _mine, text in said],
    )


def predict(model: NextModel, instances: Iterable[Instance]) -> Iterator[Any]:
    """Yields a call or words for each instance."""
    histories = [each.inputs["history"] for each in instances]
    features = [describe_history(each, model.kinds) for each in histories]
    steps = classify_linear(model.steps, features)
    calls = [place for place, step in enumerate(steps) if step != _SAY]
    words = [place for place, step in enumerate(steps) if step == _SAY]
    made = Caller(model.arguments).make_calls(
        [steps[p] for p in calls], [histories[p] for p in calls], [features[p] for p in calls]
    )
    answers: dict[int, dict[str, Any]] = {
        place: {"call": {"name": call.name, "arguments": call.arguments}}
        for place, call in zip(calls, made, strict=True)
    }
    if words and model.places is not None:
        nearest = find_nearest(model.places, [features[place] for place in words])
        texts = (model.texts[found] for found in nearest)
        answers |= {p: {"text": text} for p, text in zip(words, texts, strict=True)}
    for place in range(len(histories)):
        # Each place has one: where no words were there to learn from, no step is words.
        yield answers[place]


def _linear(name: str, title: str, *kinds: str) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=NextModel,
        train=partial(train, kinds=kinds),
        predict=predict,
    )


BASELINES = Baselines(
    task="taskmaster3/actions",
    methods=(
        Baseline(
            name="majority",
            title="The most frequent target of the most frequent kind.",
            model=ConstantModel,
            train=train_majority,
            predict=predict_majority,
        ),
        _linear("linear-words", "Next step by the user's last words; arguments chosen.", WORDS),
        _linear(
            "linear-context", "Next step by what was said and called; arguments chosen.", CONTEXT
        ),
        _linear("linear", "Next step by words and context; arguments chosen.", WORDS, CONTEXT),
    ),
    write=write_answers,
    take=lambda instance, answer, tally: read_target(answer, instance.instance_id, tally),
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
