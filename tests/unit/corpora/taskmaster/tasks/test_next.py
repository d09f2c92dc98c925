"""Baselines of the next call or words, on invented orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.taskmaster.tasks.actions.arguments import (
    fill_pattern,
    list_known,
    list_options,
    make_pattern,
)
from commonground.corpora.taskmaster.tasks.actions.baselines import BASELINES
from commonground.corpora.taskmaster.tasks.actions.history import CONTEXT, describe_history
from commonground.corpora.taskmaster.tasks.actions.targets import parse_target
from commonground.method import TrainingSet
from commonground.task import Instance

DRINKS = ["tea", "mocha", "latte", "cocoa", "juice", "water"]


def make(number: int, history: list[Any], gold: str | None = None) -> Instance:
    return Instance(
        instance_id=f"d{number}:{len(history)}",
        dialogue_id=f"d{number}",
        inputs={"context": "", "history": history},
        gold=gold,
    )


def ordered(drink: str) -> list[Any]:
    return [{"user": f"one {drink} please"}]


def found(drink: str) -> list[Any]:
    item = f'[{{"item_id":"{drink}-17","name":"{drink}"}}]'
    return [
        *ordered(drink),
        {"call": "find", "arguments": {"query": [drink]}},
        {"response": "find", "values": {"items": [item]}},
    ]


def added(drink: str) -> list[Any]:
    item = f'[{{"item_id":"{drink}-17"}}]'
    return [
        *found(drink),
        {"call": "add", "arguments": {"items": [item]}},
        {"response": "add", "values": {"success": ["true"]}},
    ]


def example(number: int, drink: str) -> list[Instance]:
    item = f'[{{"item_id":"{drink}-17"}}]'
    return [
        make(number, ordered(drink), f"[PN]find[PAN]query[PAV]{drink}"),
        make(number, found(drink), f"[PN]add[PAN]items[PAV]{item}"),
        make(number, added(drink), "[A]It will be ready soon."),
    ]


KNOWN = [each for n in range(18) for each in example(n, DRINKS[n % len(DRINKS)])]


def answer(name: str, *new: Instance) -> list[Any]:
    method = next(each for each in BASELINES.methods if each.name == name)
    return list(method.predict(method.learn(TrainingSet(KNOWN, 1)), new))


def test_majority_repeats_one_target() -> None:
    # Words, find and add are equally frequent; "" comes first in the alphabet.
    assert answer("majority", KNOWN[0]) == [{"target": "[A]It will be ready soon."}]


def test_calls_and_words_are_learned() -> None:
    new = [make(99, ordered("chai")), make(99, found("chai")), make(99, added("chai"))]
    assert answer("linear", *new) == [
        {"call": {"name": "find", "arguments": {"query": "chai"}}},
        {"call": {"name": "add", "arguments": {"items": [{"item_id": "chai-17"}]}}},
        {"text": "It will be ready soon."},
    ]


def test_words_alone_know_no_call() -> None:
    # All three places of a dialogue have the same last words of the user.
    steps = answer("linear-words", make(99, ordered("tea")), make(99, added("tea")))
    assert steps[0] == steps[1]


def test_answers_can_be_read(tmp_path: Path) -> None:
    from commonground.corpora.taskmaster.tasks.predictions import parse_json_lines

    BASELINES.write([(KNOWN[0], answer("linear", KNOWN[0])[0])], tmp_path / "p.jsonl")
    text = (tmp_path / "p.jsonl").read_text()
    lines = parse_json_lines(text, tmp_path, ["d0:1"], "")
    assert lines.by_id["d0:1"]["call"] == {"name": "find", "arguments": {"query": "tea"}}
    assert not lines.problems


def test_known_values_are_opened_newest_first() -> None:
    known = [(each.name, each.text) for each in list_known(found("tea"))]
    assert known == [("item_id", "tea-17"), ("name", "tea"), ("query", "tea")]


def test_patterns_take_known_values_out_and_in() -> None:
    value = [{"item_id": "tea-17", "size": "L"}]
    pattern = make_pattern(value, list_known(found("tea")))
    assert pattern == [{"item_id": {"": "item_id"}, "size": "L"}]
    filled = fill_pattern(pattern, list_known(found("chai")))
    assert filled == [{"item_id": "chai-17", "size": "L"}]
    with pytest.raises(KeyError, match="item_id"):
        fill_pattern(pattern, [])


def test_options_are_one_each() -> None:
    options = list_options("query", found("tea"), list_known(found("tea")), ["Tea", "any"], [])
    values = [str(each.value).casefold() for each in options]
    assert len(values) == len(set(values))
    tea = options[values.index("tea")]
    assert {"same name", "said 0", "usual", "call find query"} <= tea.facts


def test_features_of_nothing_are_none() -> None:
    assert describe_history(found("tea"), ()) == {}


def test_what_was_called_is_told_in_one_order() -> None:
    """A set has another one in each process."""
    called = [{"call": name, "arguments": {}} for name in "GBEACFD"]
    told = [each for each in describe_history(called, (CONTEXT,)) if each.startswith("ever")]
    assert told == [f"ever call {name}" for name in "ABCDEFG"]


def test_targets_are_in_the_tag_language() -> None:
    assert all(parse_target(each.gold) for each in KNOWN)


@pytest.mark.parametrize("method", BASELINES.methods)
def test_nothing_to_learn_from_is_an_error(method: Any) -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        method.learn(TrainingSet([make(1, ordered("tea"))], 1))
