"""Baselines of ``simmc/actions``: the action by logistic regression, then its attributes.

An action's attributes are learned as a whole: each value that an attribute had is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from commonground.bench.learners.linear import (
    Features,
    LinearModel,
    classify_linear,
    score_linear,
    train_linear,
)
from commonground.bench.metrics.simmc_actions import IGNORED_ATTRIBUTES, unnest_attributes
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    WORDS,
    describe_turn,
    domain_of,
    write_entries,
)
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance

_LEAST = 2  # turns that must have a feature for it to be learned
_STRENGTH = 0.1
_LEAST_LIKELY = 1e-12  # never 0, whose logarithm would make perplexity infinite


class ActionModel(msgspec.Struct, frozen=True):
    """What was learned of actions.

    ``attributes`` choose the value, as JSON text, of each attribute of each action, by name.
    """

    kinds: list[str]
    actions: LinearModel
    attributes: dict[str, dict[str, LinearModel]]


def train(training: TrainingSet, *, kinds: Sequence[str]) -> ActionModel:
    """Learns actions and attributes.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    known = [each for each in training.instances if each.gold]
    features = [describe_turn(each.inputs, kinds) for each in known]
    actions = [str(each.gold["action"]) for each in known]
    learned = train_linear(features, actions, seed=training.seed, strength=_STRENGTH, least=_LEAST)
    attributes: dict[str, dict[str, LinearModel]] = {}
    for action in learned.labels:
        mine = [place for place, each in enumerate(actions) if each == action]
        # Attributes are chosen once the action is, so each action learns from its own turns only.
        values = [_read_attributes(known[place].gold) for place in mine]
        attributes[action] = _train_attributes([features[p] for p in mine], values, training.seed)
    return ActionModel(list(kinds), learned, attributes)


def _read_attributes(gold: dict[str, Any]) -> dict[str, str]:
    """Returns the scored attributes of an action, each as JSON text."""
    given = unnest_attributes(gold.get("action_supervision"))
    return {name: _write(value) for name, value in given.items() if name not in IGNORED_ATTRIBUTES}


def _write(value: Any) -> str:
    # The metric goes by membership: in one order, lists of the same values are one label.
    ordered = sorted(value, key=str) if isinstance(value, list) else value
    return msgspec.json.encode(ordered).decode()


def _train_attributes(
    features: Sequence[Features], values: Sequence[dict[str, str]], seed: int
) -> dict[str, LinearModel]:
    learned = {}
    for name in sorted({name for each in values for name in each}):
        mine = [place for place, each in enumerate(values) if name in each]
        learned[name] = train_linear(
            [features[place] for place in mine],
            [values[place][name] for place in mine],
            seed=seed,
            strength=_STRENGTH,
            least=_LEAST,
        )
    return learned


def predict(model: ActionModel, instances: Iterable[Instance]) -> Iterator[dict[str, Any]]:
    """Yields the likeliest action, its attributes, and the log probability of every action."""
    features = [describe_turn(each.inputs, model.kinds) for each in instances]
    if not features:
        return
    shares = score_linear(model.actions, features)
    logs = np.log(np.maximum(shares, _LEAST_LIKELY)).tolist()
    labels = model.actions.labels
    actions = [labels[place] for place in shares.argmax(axis=1)]
    attributes = _choose_attributes(model, features, actions)
    for action, mine, row in zip(actions, attributes, logs, strict=True):
        log_probs = dict(zip(labels, row, strict=True))
        yield {"action": action, "action_log_prob": log_probs, "attributes": mine}


def _choose_attributes(
    model: ActionModel, features: Sequence[Features], actions: Sequence[str]
) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = [{} for _action in actions]
    for action, learned in model.attributes.items():
        mine = [place for place, each in enumerate(actions) if each == action]
        for name, values in learned.items():
            found = classify_linear(values, [features[place] for place in mine])
            for place, value in zip(mine, found, strict=True):
                chosen[place][name] = msgspec.json.decode(value)
    return chosen


def _method(name: str, title: str, *kinds: str) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=ActionModel,
        train=partial(train, kinds=kinds),
        predict=predict,
    )


BASELINES = Baselines(
    task="simmc/actions",
    methods=(
        _method("majority", "The most frequent action, with its most frequent attributes."),
        _method(
            "linear-context",
            "Logistic regression over earlier actions, the last answer and what is in view.",
            CONTEXT,
        ),
        _method("linear-words", "Logistic regression over n-grams of the user's words.", WORDS),
        _method("linear", "Logistic regression over words and context.", WORDS, CONTEXT),
    ),
    write=write_entries,
    train_split="train",
    test_split="devtest",
    part=domain_of,
)
