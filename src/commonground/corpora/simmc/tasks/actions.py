"""Task ``simmc/actions``: the assistant's next API call and its attributes (sub-task 1)."""

from __future__ import annotations

import math
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
from commonground.bench.metrics.simmc_actions import (
    IGNORED_ATTRIBUTES,
    SIMMC_ACTIONS,
    SIMMC_ACTIONS_ALL_TURNS,
    GoldAction,
    PredictedAction,
    score_action,
    score_action_once,
    unnest_attributes,
)
from commonground.corpora.simmc.tasks.answers import MODES, Format, read_pairs
from commonground.corpora.simmc.tasks.features import (
    CONTEXT,
    WORDS,
    describe_turn,
    domain_of,
    write_entries,
)
from commonground.corpora.simmc.tasks.inputs import (
    ALLOWED,
    TurnView,
    list_instances,
    list_pictures,
)
from commonground.corpora.simmc.tasks.released import ReleasedDialogue
from commonground.method import Baseline, Baselines, Prompt, Reply, TrainingSet, write_signatures
from commonground.replies import read_number, read_object
from commonground.statistics.counts import to_float
from commonground.task import Instance, Scored, Tally, Task

_NOTHING = PredictedAction("", {}, {})
_ANSWER = ("action", "action_log_prob", "attributes")
_PROBLEMS = {
    "not a number": "includes it in the mean, and perplexity is NaN; so is ours, "
    "shown as undefined",
    "probability of 0": "includes it in the mean, and perplexity is infinite",
    "whole numbers beyond a float's": "stops with a TypeError; here they are infinite",
    "log probability missing": "stops with a KeyError; here such a turn has no part in perplexity",
    "log probability above 0": "takes it as it is",
    "attribute missing": "stops with a KeyError or TypeError, or an AssertionError "
    "where it is not a list; here the attribute counts as wrong",
    "empty attribute missing": "stops with a KeyError, although it scores nothing where the right "
    "value is empty; nor do we",
}


def _read_actions(dialogue: ReleasedDialogue) -> list[GoldAction]:
    return [_read_action(each) for each in dialogue.fields["actions"]]


def _read_action(call: dict[str, Any]) -> GoldAction:
    return GoldAction(str(call.get("action")), call.get("action_supervision"))


def _check(gold: GoldAction, item: dict[str, Any]) -> str | None:
    # A missing one is no malformed entry; `_note_probability` counts it.
    log_prob = item["action_log_prob"].get(gold.action, 0)
    return None if isinstance(log_prob, int | float) else "malformed entries"


_FORM = Format(
    items="predictions",
    fields={"action": str, "action_log_prob": dict},
    example='[{"dialog_id": 1, "predictions": [{"turn_id": 0, "action": "None", "attributes": '
    '{}, "action_log_prob": {"None": -0.1}}]}]',
    official=_PROBLEMS,
    whole={"api_calls": _read_actions},
    lines=_read_actions,
    check=_check,
)


def score(instance: Instance, item: dict[str, Any] | None, tally: Tally) -> Scored:
    """Scores a predicted API call; None where it cannot be read.

    It has an empty ``action_log_prob`` where nobody said how likely it is.
    """
    gold: GoldAction = instance.right
    predicted = None if item is None else _read_item(item)
    official = score_action(gold, predicted or _NOTHING)
    if item is not None and predicted is not None:
        if item["action_log_prob"]:
            _note_probability(instance, predicted, tally)
        add, name = tally.add, instance.instance_id
        add("attribute missing", name, count=int(official.get("attributes_missing", 0)))
        add("empty attribute missing", name, count=int(official.get("empty_attributes_missing", 0)))
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={
            SIMMC_ACTIONS.name: official,
            SIMMC_ACTIONS_ALL_TURNS.name: score_action_once(
                gold, None if item is None else predicted
            ),
        },
        gold=gold,
        predicted=None if item is None else {k: item.get(k) for k in ("action", "attributes")},
        answer=None if item is None else {k: item.get(k) for k in _ANSWER},
    )


def _read_item(item: dict[str, Any]) -> PredictedAction:
    attributes = item.get("attributes")
    # The script stops at anything else; here each of its attributes is wrong.
    given = attributes if isinstance(attributes, dict) else {}
    return PredictedAction(item["action"], given, item["action_log_prob"])


def _note_probability(instance: Instance, predicted: PredictedAction, tally: Tally) -> None:
    log_prob = predicted.log_probs.get(instance.right.action)
    if log_prob is None:
        tally.add("log probability missing", f"{instance.instance_id}: {instance.right.action}")
    elif isinstance(log_prob, int) and math.isinf(to_float(log_prob)):
        tally.add("whole numbers beyond a float's", instance.instance_id)
    elif math.isnan(log_prob):
        tally.add("not a number", instance.instance_id)
    elif log_prob == -math.inf:
        tally.add("probability of 0", instance.instance_id)
    elif log_prob > 0:
        tally.add("log probability above 0", instance.instance_id)


def _read_turn(turn: TurnView) -> tuple[dict[str, Any] | None, GoldAction | None]:
    names = ("action", "action_supervision")
    answer: dict[str, Any] = {name: turn.call[name] for name in names if name in turn.call}
    return (answer, _read_action(answer)) if answer else (None, None)


def show_action(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns an action, right or predicted, as a call with the attributes that are scored."""
    # The first is in right answers, the second in predictions.
    given = unnest_attributes(answer.get("supervision") or answer.get("attributes"))
    scored = {name: each for name, each in given.items() if name not in IGNORED_ATTRIBUTES}
    return {"call": answer.get("action"), "arguments": scored}


TASK = Task(
    name="simmc/actions",
    title="the assistant's next API call and its attributes",
    corpora=("simmc",),
    summary=f"JSON: {_FORM.example}",
    allowed=ALLOWED,
    measures=(SIMMC_ACTIONS, SIMMC_ACTIONS_ALL_TURNS),
    instances=partial(list_instances, "action", "assistant", _read_turn),
    read=partial(read_pairs, _FORM),
    score=score,
    show=show_action,
    modes=MODES,
    main=(
        "simmc_actions:action_accuracy",
        "simmc_actions:action_perplexity",
        "simmc_actions:attribute_accuracy",
    ),
)


class AskedAction(msgspec.Struct):
    """An action as a model is asked for it."""

    action: str
    attributes: dict[str, list[str] | str] = {}


def read_action(reply: Reply) -> dict[str, Any]:
    """Returns an action with its attributes.

    Who has log probabilities may say them, as predictions do: ``action_log_prob``; it is empty for
    a mere choice, of which no perplexity can be computed.
    """
    logs = reply.value.get("action_log_prob") or {}
    return {
        "action": str(reply.value["action"]),
        "action_log_prob": {name: read_number(value) for name, value in logs.items()},
        "attributes": dict(read_object(reply.value.get("attributes")) or {}),
    }


def write_call(_said: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Writes a call as the action that is asked for; no call is the action ``None``.

    Raises:
        ValueError: there are several.
    """
    if len(calls) > 1:
        raise ValueError(f"expected one call, found {len(calls)}")
    name, arguments = calls[0] if calls else ("None", {})
    return msgspec.json.encode({"action": name, "attributes": arguments}).decode()


def list_action(instance: Instance) -> dict[str, Any]:
    """Returns the annotated action in the form that is asked for."""
    attributes = unnest_attributes(instance.gold.get("action_supervision"))
    return {"action": instance.gold["action"], "attributes": attributes}


def list_names(said: Any) -> Iterator[str]:
    """Yields the API that a reply names, and its attributes."""
    yield str(said["action"])
    yield from map(str, dict(said.get("attributes") or {}))


def list_labels(instances: Iterable[Instance]) -> dict[str, Iterable[str]]:
    """Lists the APIs of annotated turns with their arguments, and the attributes they ask about."""
    actions = [list_action(each) for each in instances]
    calls = [(each["action"], each["attributes"]) for each in actions if each["action"] != "None"]
    named = (arguments.get("attributes") for _name, arguments in calls)
    values = {value for each in named if isinstance(each, list) for value in each}
    return {"APIs": write_signatures(calls), "Values of `attributes`": values}


PROMPT = Prompt(
    task="simmc/actions",
    answer=read_action,
    target=list_action,
    form=AskedAction,
    called=write_call,
    names=list_names,
    labels=list_labels,
    pictures=list_pictures,
)

_LEAST = 2  # turns that must have a feature for it to be learned
_STRENGTH = 0.1
_LEAST_LIKELY = 1e-12  # never 0, whose logarithm would make perplexity infinite


class ActionModel(msgspec.Struct, frozen=True):
    """What was learned of actions.

    ``attributes`` choose the value, as JSON text, of each attribute of each action, by name; a
    value is learned as a whole, as one answer.
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
