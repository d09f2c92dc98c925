"""Task ``simmc/actions``: the assistant's next API call and its attributes (sub-task 1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
from commonground.corpora.simmc.tasks.answers import (
    MODES,
    Format,
    GoldFile,
    read_gold,
    read_pairs,
)
from commonground.corpora.simmc.tasks.inputs import ALLOWED, list_turns, load_places
from commonground.corpora.simmc.tasks.released import ReleasedDialogue
from commonground.statistics.counts import to_float
from commonground.task import Gold, Instance, Predictions, Scored, Tally, Task

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


def read(predictions: Path, gold: Gold, *, mode: str | None = None) -> Predictions:
    """Reads a file of predicted API calls.

    What was done is in the files of API calls, and in target lines that have them. The mode
    ``single-round`` scores last turns only, None all.

    Raises:
        TaskError: nothing in it can be scored.
        SourceError: a file cannot be read.
    """

    def read_files(entries: list[Any], faults: Tally) -> list[GoldFile]:
        return read_gold(gold, entries, _FORM, {"api_calls": _read_actions}, _read_actions, faults)

    return read_pairs(predictions, _FORM, read_files, mode)


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


def instances(gold: Gold) -> Iterator[Instance]:
    """Yields the turns; with dialogues and API calls each has all its inputs.

    Raises:
        TaskError: there are neither.
    """
    places = load_places(gold, "action", "assistant")
    for turn in list_turns(gold):
        answer: dict[str, Any] = {
            k: turn.call[k] for k in ("action", "action_supervision") if k in turn.call
        }
        yield Instance(
            instance_id=turn.instance_id,
            dialogue_id=turn.dialogue_id,
            event=places.get(turn.instance_id),
            inputs=turn.inputs(),
            gold=answer or None,
            right=_read_action(answer) if answer else None,
        )


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
    instances=instances,
    read=read,
    score=score,
    show=show_action,
    modes=MODES,
    main=(
        "simmc_actions:action_accuracy",
        "simmc_actions:action_perplexity",
        "simmc_actions:attribute_accuracy",
    ),
)
