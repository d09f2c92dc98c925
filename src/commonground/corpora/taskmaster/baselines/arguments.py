"""Learns which arguments an API call has, and with which values."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from commonground.corpora.taskmaster.baselines.history import History, last_words
from commonground.corpora.taskmaster.baselines.values import (
    Known,
    choose_usual,
    describe_option,
    fold,
    list_known,
    list_options,
    make_pattern,
)
from commonground.learners.linear import Features, LinearModel, classify_linear, train_linear
from commonground.learners.ngrams import split_words
from commonground.learners.nothing import NothingToLearnError
from commonground.learners.ranking import Judge, Ranker, train_ranker
from commonground.metrics.argument_f1 import Call

_BETWEEN = " "
_LEAST = 2
_OTHERS = 12


class ArgumentModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        names: for each API, chooses the names of its arguments, joined to one label.
        usual: frequent texts of each argument, by API and name.
        patterns: frequent lists and objects, as JSON of patterns, by API and name.
        ranker: chooses a value; null where no value could be learned from.
    """

    names: dict[str, LinearModel]
    usual: dict[str, list[str]]
    patterns: dict[str, list[str]]
    ranker: Ranker | None


class Example(msgspec.Struct, frozen=True):
    """A call, what came before it with the values in it, and features of that."""

    call: Call
    history: History
    known: list[Known]
    features: Features


def train_arguments(examples: Sequence[Example], seed: int) -> ArgumentModel:
    """Learns from calls."""
    groups: dict[str, list[Example]] = {}
    for each in examples:
        groups.setdefault(each.call.name, []).append(each)
    names = {name: _train_names(groups[name], seed) for name in sorted(groups)}
    usual, patterns = _collect(examples)
    choices = _list_choices(examples, usual, patterns, random.Random(seed))
    try:
        ranker = train_ranker(choices, single=True, least=_LEAST)
    except NothingToLearnError:
        ranker = None  # no call has an argument
    return ArgumentModel(names, usual, patterns, ranker)


def _train_names(examples: Sequence[Example], seed: int) -> LinearModel:
    labels = [_BETWEEN.join(sorted(each.call.arguments)) for each in examples]
    features = [{**each.features, **_describe_known(each.known)} for each in examples]
    return train_linear(features, labels, seed=seed, strength=0.3, least=_LEAST)


def _describe_known(known: Sequence[Known]) -> dict[str, float]:
    return {f"known {each.name}": 1.0 for each in known}


def _slot(api: str, name: str) -> str:
    return f"{api} {name}"


def _collect(examples: Sequence[Example]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Collects the frequent values of each argument: texts, and patterns of what is none."""
    texts: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for each in examples:
        for name, value in each.call.arguments.items():
            slot = _slot(each.call.name, name)
            if isinstance(value, str):
                texts.setdefault(slot, []).append(value)
            else:
                pattern = make_pattern(value, each.known)
                others.setdefault(slot, []).append(msgspec.json.encode(pattern).decode())
    usual = {slot: choose_usual(texts[slot]) for slot in sorted(texts)}
    return usual, {slot: choose_usual(others[slot]) for slot in sorted(others)}


def _list_choices(
    examples: Sequence[Example],
    usual: Mapping[str, Sequence[str]],
    patterns: Mapping[str, Sequence[str]],
    chance: random.Random,
) -> Iterator[tuple[list[dict[str, float]], list[int]]]:
    """Yields the right value of each argument and some of the wrong ones."""
    for each in examples:
        words = frozenset(split_words(last_words(each.history, "user")))
        for name, value in each.call.arguments.items():
            slot = _slot(each.call.name, name)
            texts, others = usual.get(slot, ()), patterns.get(slot, ())
            options = list_options(name, each.history, each.known, texts, others)
            right = [option for option in options if fold(option.value) == fold(value)]
            if right:
                wrong = [option for option in options if option is not right[0]]
                chosen = [right[0], *chance.sample(wrong, min(_OTHERS, len(wrong)))]
                yield [describe_option(slot, one, words) for one in chosen], [0]


class Caller:
    """Makes calls with what was learned."""

    def __init__(self, model: ArgumentModel) -> None:
        self._model = model
        self._judge = None if model.ranker is None else Judge(model.ranker)

    def make_calls(
        self, apis: Sequence[str], histories: Sequence[History], features: Sequence[Features]
    ) -> list[Call]:
        """Returns the call of each API, after its history."""
        known = [list_known(history) for history in histories]
        names: dict[int, str] = {}
        for api in set(apis):
            mine = [place for place, each in enumerate(apis) if each == api]
            described = [{**features[p], **_describe_known(known[p])} for p in mine]
            learned = self._model.names[api]
            names |= dict(zip(mine, classify_linear(learned, described), strict=True))
        return [
            Call(api, self._fill(api, names[place].split(), histories[place], known[place]))
            for place, api in enumerate(apis)
        ]

    def _fill(
        self, api: str, names: Sequence[str], history: History, known: Sequence[Known]
    ) -> dict[str, Any]:
        found = {}
        words = frozenset(split_words(last_words(history, "user")))
        for name in names:
            slot = _slot(api, name)
            texts, others = self._model.usual.get(slot, ()), self._model.patterns.get(slot, ())
            options = list_options(name, history, known, texts, others)
            if options and self._judge is not None:
                scores = self._judge.score([describe_option(slot, o, words) for o in options])
                found[name] = options[scores.index(max(scores))].value
        return found


def count_answers(texts: Sequence[str]) -> str:
    """Returns the most frequent text; of equally frequent ones the first in the alphabet.

    Raises:
        NothingToLearnError: there is none.
    """
    counts = Counter(texts)
    if not counts:
        raise NothingToLearnError
    return min(counts, key=lambda text: (-counts[text], text))
