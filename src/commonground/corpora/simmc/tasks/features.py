"""What SIMMC's baselines see of a turn, and how their answers are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.ngrams import count_ngrams, split_words
from commonground.errors import TaskError
from commonground.task import Instance

WORDS = "words"
"""What the user says now."""

CONTEXT = "context"
"""What was said and done before, and what is in view."""

_LATE = 8  # later turns count as this one
_PLACED = re.compile(r"\w+#.*")  # `dev#0`, of target lines


def domain_of(instance: Instance) -> str:
    """Returns the domain that an instance is of: a file of predictions holds one only."""
    return instance.dialogue_id.partition("-")[0]


def last_answer(inputs: Mapping[str, Any]) -> str:
    """Returns what the assistant said last; empty where it said nothing, or nobody knows."""
    history = inputs.get("history") or [{}]
    return str(history[-1].get("system_transcript") or "")


def describe_turn(inputs: Mapping[str, Any], kinds: Iterable[str]) -> dict[str, float]:
    """Returns features of a turn of the given kinds, :data:`WORDS` and :data:`CONTEXT`."""
    features: dict[str, float] = {}
    if WORDS in kinds:
        features |= count_ngrams(inputs.get("transcript") or "", "user ", 3)
    if CONTEXT in kinds:
        features |= count_ngrams(last_answer(inputs), "assistant ", 2)
        features |= dict.fromkeys(describe_context(inputs), 1.0)
    return features


def describe_context(inputs: Mapping[str, Any]) -> list[str]:
    """Returns what was done before and what is in view, as names of features."""
    past = [_tell_action(each) for each in inputs.get("history") or []]
    # Filled up in front, so that "nothing yet" is a feature too.
    before = [*(["-"] * 3), *past][-3:]
    # Long dialogues are rare, and a feature for each late turn would be learned from a handful.
    names = [f"turn {min(inputs.get('turn_idx', 0), _LATE)}"]
    names += [f"done {back} {each}" for back, each in enumerate(reversed(before), 1)]
    names += [f"done {' > '.join(before[-2:])}", f"done {' > '.join(before)}"]
    names += [f"ever {each}" for each in sorted(set(past))]
    return names + _describe_view(inputs)


def name_attributes(turn: Mapping[str, Any]) -> list[str]:
    """Returns the names of the attributes of what the assistant does at a turn."""
    supervision = turn.get("action_supervision") or {}
    # Fashion has a list of them, furniture an object whose keys they are.
    return list(supervision.get("attributes") or supervision.get("args") or ())


def _tell_action(past: Mapping[str, Any]) -> str:
    names = ", ".join(sorted(map(str, name_attributes(past))))
    return f"{past.get('action', '?')} {names}".strip()


def _describe_view(inputs: Mapping[str, Any]) -> list[str]:
    if "visual_objects" not in inputs:
        return []
    view = inputs["visual_objects"]
    return [f"in view {len(view)}", *(f"at {_place(each)}" for each in view.values())]


def _place(thing: Any) -> str:
    return str(thing.get("pos")) if isinstance(thing, Mapping) else "?"


def list_view_words(inputs: Mapping[str, Any]) -> set[str]:
    """Returns the words of the attributes of what is in view."""
    words: set[str] = set()
    for thing in (inputs.get("visual_objects") or {}).values():
        values = thing.values() if isinstance(thing, Mapping) else ()
        for value in values:
            each = value if isinstance(value, list) else [value]
            words.update(*(split_words(str(one).replace("_", " ")) for one in each))
    return words


def write_entries(
    answers: Iterable[tuple[Instance, dict[str, Any]]], path: Path, items: str = "predictions"
) -> None:
    """Writes answers as the JSON of sub-tasks 1 and 2.

    A dialogue of target lines that has no number is named by split and place, as in the store.
    Answers of a dialogue stand together; ``items`` names the list of turns.

    Raises:
        TaskError: a dialogue has no number.
    """
    entries = [
        {
            "dialog_id": _number(dialogue),
            items: [{"turn_id": one.inputs["turn_idx"], **answer} for one, answer in group],
        }
        for dialogue, group in groupby(answers, key=lambda pair: pair[0].dialogue_id)
    ]
    path.write_bytes(msgspec.json.encode(entries))


def _number(dialogue_id: str) -> int | str:
    number = dialogue_id.rpartition("-")[2]
    if _PLACED.fullmatch(number):
        return number
    if not number.isdecimal():
        raise TaskError(
            f"The dialogue {dialogue_id} has no number, as target lines have none.",
            "Import API calls or dialogues of the same split too.",
        )
    return int(number)
