"""API calls: is it the right one, and are its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import f1_by_kind, list_parts_by_kind, ratio


class Call(msgspec.Struct, frozen=True):
    """An API call: its name, and its arguments by name."""

    name: str
    arguments: Mapping[str, Any]


def score_call(gold: Call | None, predicted: Call | None) -> dict[str, float]:
    """Counts one turn; None for a call says that the next thing is not a call.

    Arguments count as right only where the API is. Texts are compared without regard to case
    and to runs of spaces, and a list of one value is that value; of other values type and value
    must be equal.
    """
    wanted, given = _normalise(gold), _normalise(predicted)
    is_named = _name(gold) == _name(predicted)
    correct = 0
    if is_named:
        correct = sum(name in given and given[name] == value for name, value in wanted.items())
    return {
        "n": 1,
        "gold_calls": int(gold is not None),
        "predicted_calls": int(predicted is not None),
        "correct_calls": int(gold is not None and is_named),
        "names_correct": int(is_named),
        "gold_arguments": len(wanted),
        "predicted_arguments": len(given),
        "correct_arguments": correct,
        "exact": int(is_named and wanted == given),
    }


def _name(call: Call | None) -> str | None:
    return None if call is None else call.name


def _normalise(call: Call | None) -> dict[str, bytes]:
    """Makes values comparable: as JSON, so that 1, 1.0 and true differ."""
    if call is None:
        return {}
    return {
        name: msgspec.json.encode(_normalise_value(value), order="deterministic")
        for name, value in call.arguments.items()
    }


def _normalise_value(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, list | tuple):
        values = [_normalise_value(each) for each in value]
        return values[0] if len(values) == 1 else values
    if isinstance(value, Mapping):
        return {str(key): _normalise_value(each) for key, each in value.items()}
    return value


_KINDS = ("calls", "arguments")


def combine(sums: Counts) -> Values:
    """Returns accuracy of the API's name, F1 of calls and of arguments, and exact match."""
    number = sums.get("n", 0)
    values: Values = {"name_accuracy": ratio(sums.get("names_correct", 0), number)}
    values |= f1_by_kind(sums, _KINDS)
    return values | {"exact_match": ratio(sums.get("exact", 0), number)}


ARGUMENT_F1 = Metric(
    name="argument_f1",
    version="2",
    title="Accuracy of the API's name, F1 of calls and of their arguments, exact match.",
    score=score_call,
    combine=combine,
    parts=list_parts_by_kind(_KINDS),
)
