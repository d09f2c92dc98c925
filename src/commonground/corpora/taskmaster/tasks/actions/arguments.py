"""Learns which arguments an API call has, what each could be, and what speaks for a value."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from commonground.bench.learners.linear import Features, LinearModel, classify_linear, train_linear
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import Judge, Ranker, train_ranker
from commonground.bench.learners.tokens import split_tokens
from commonground.bench.metrics.argument_f1 import Call
from commonground.corpora.taskmaster.tasks.actions.history import History, last_words
from commonground.method import NothingToLearnError

_LONGEST = 5  # words of a value that is looked for in what the user said
_USUAL = 12  # frequent values that are options of an argument, said or not
_OLDEST = 6  # older values of the history are as old as this
_TURNS = 2  # last turns of the user whose words are options


class KnownValue(msgspec.Struct, frozen=True):
    """A value that an API call or its response had.

    Attributes:
        name: name of the argument or, inside lists and objects, of the innermost key.
        text: the value.
        source: the API, and whether it was asked or answered.
    """

    name: str
    text: str
    source: str


class ValueOption(msgspec.Struct):
    """A value that an argument could have, text or JSON, and what speaks for it."""

    value: Any
    facts: set[str]


def fold(value: Any) -> str:
    """Returns a value as text without regard to case and runs of spaces."""
    # Sorted: objects with their keys in another order are the same value.
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return " ".join(text.casefold().split())


def list_known(history: History) -> list[KnownValue]:
    """Returns the values of earlier calls and responses, the newest first."""
    found: list[KnownValue] = []
    for turn in reversed(history):
        kind = "call" if "call" in turn else "response"
        source = f"{kind} {turn.get(kind)}"
        values = turn.get("arguments" if kind == "call" else "values") or {}
        for name, texts in values.items():
            for text in texts:
                found += [KnownValue(*each, source) for each in _open(name, text)]
    return found


def _open(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yields a value; of a JSON list or object the texts inside it."""
    inner = _parse(text)
    if inner is None:
        yield name, text
    else:
        yield from _walk(name, inner)


def _parse(text: str) -> Any:
    # Most values are plain text, of which a decoder would only find out that it is no JSON.
    if text[:1] not in ("[", "{"):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _walk(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _walk(key, each)
    elif isinstance(value, list):
        for each in value:
            yield from _walk(name, each)
    elif isinstance(value, str):
        yield name, value


def make_pattern(value: Any, known: Sequence[KnownValue]) -> Any:
    """Returns a list or object with known texts under the same key taken out of it.

    What was taken out is an object ``{"": key}``, to be filled by :func:`fill_pattern`.
    """
    if isinstance(value, list):
        return [make_pattern(each, known) for each in value]
    if not isinstance(value, dict):
        return value
    seen = {(each.name, each.text) for each in known}
    return {
        key: {"": key}
        if isinstance(each, str) and (key, each) in seen
        else make_pattern(each, known)
        for key, each in value.items()
    }


def fill_pattern(pattern: Any, known: Sequence[KnownValue]) -> Any:
    """Fills a pattern with the newest known texts.

    Raises:
        KeyError: a key has no known text.
    """
    if isinstance(pattern, list):
        return [fill_pattern(each, known) for each in pattern]
    if not isinstance(pattern, dict):
        return pattern
    if pattern.keys() == {""}:
        # A function, as no expression can raise; an empty text is a miss, too.
        return next((e.text for e in known if e.name == pattern[""]), None) or _miss(pattern[""])
    return {key: fill_pattern(each, known) for key, each in pattern.items()}


def _miss(key: str) -> str:
    raise KeyError(key)


def choose_usual(values: Iterable[str]) -> list[str]:
    """Returns the most frequent values, the most frequent first; those seen once are left out."""
    counts = Counter(values)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    # By name among equals, so that the same data give the same model.
    return [value for value in ordered if counts[value] > 1][:_USUAL]


def list_options(
    name: str,
    history: History,
    known: Sequence[KnownValue],
    usual: Sequence[str],
    patterns: Sequence[str],
) -> list[ValueOption]:
    """Returns what an argument could be: known values, the user's words, and usual values.

    Args:
        name: name of the argument.
        history: what came before.
        known: the values in it, as :func:`list_known` gives them.
        usual: texts that it often had.
        patterns: lists and objects that it often had, as JSON of patterns.
    """
    found: dict[str, ValueOption] = {}

    def add(value: Any, *facts: str) -> None:
        # One option for each value, however often it comes up: what speaks for it adds up.
        found.setdefault(fold(value), ValueOption(value, set())).facts.update(facts)

    ages: Counter[str] = Counter()
    for each in known:
        key = f"{each.source} {each.name}"
        # Known values come newest first: the age is how many of the kind are newer.
        age = min(ages[key], _OLDEST)
        ages[key] += 1
        same = ["same name", f"same name {age}"] if each.name == name else []
        add(each.text, key, f"{key} {age}", *same)
    said = [str(turn["user"]) for turn in history if "user" in turn]
    for back, text in enumerate(reversed(said[-_TURNS:])):
        for run, facts in _list_runs(text, back):
            add(run, *facts)
    for rank, text in enumerate(usual):
        add(text, "usual", f"usual {rank}")
    for rank, pattern in enumerate(patterns):
        with suppress(KeyError):
            add(fill_pattern(msgspec.json.decode(pattern), known), f"pattern {rank}")
    return list(found.values())


def _list_runs(text: str, back: int) -> Iterator[tuple[str, list[str]]]:
    tokens = split_tokens(text)
    # The marks at the ends make "nothing before" and "nothing after" words to learn from.
    lower = ["<", *(token.text.lower() for token in tokens), ">"]
    for start in range(len(tokens)):
        for size in range(1, min(_LONGEST, len(tokens) - start) + 1):
            run = text[tokens[start].start : tokens[start + size - 1].end]
            facts = [
                f"said {back}",
                # No run has more than ``_LONGEST`` words, so longer texts are alike.
                f"said {back} {size} of {min(len(tokens), _LONGEST + 1)}",
                f"after {lower[start]}",
                f"before {lower[start + size + 1]}",
                f"first {lower[start + 1]}",
                f"last {lower[start + size]}",
                f"capitals {run[0].isupper()} {size}",
            ]
            yield run, facts


def _describe_option(slot: str, option: ValueOption, words: frozenset[str]) -> dict[str, float]:
    """Returns features of a value; ``words`` are what the user said last, in lower case."""
    value = fold(option.value)
    mine = {token.text for token in split_tokens(value)}
    share = len(mine & words) / len(mine) if mine else 0.0
    names = [slot, *(f"{slot} {fact}" for fact in sorted(option.facts))]
    if "usual" in option.facts:
        # Values that are seen often are learned one by one, with the words that call for them.
        names.append(f"{slot} = {value}")
        names += [f"{slot} = {value} / {word}" for word in sorted(words)]
    features = dict.fromkeys(names, 1.0)
    features[f"{slot} share of words said"] = share
    return features


_BETWEEN = " "
_LEAST = 2  # times that a feature must occur to be learned
_OTHERS = 12  # wrong options beside each right one, drawn by lot


class ArgumentModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        names: for each API, chooses the names of its arguments, joined to one label.
        usual: frequent texts of each argument, by API and name.
        patterns: frequent lists and objects, as JSON of patterns, by API and name.
        ranker: chooses a value; None where no value could be learned from.
    """

    names: dict[str, LinearModel]
    usual: dict[str, list[str]]
    patterns: dict[str, list[str]]
    ranker: Ranker | None


class CallExample(msgspec.Struct, frozen=True):
    """A call, what came before it with the values in it, and features of that.

    Attributes:
        call: the right one.
        history: what was said and called before it, with the values there.
        known: values in it that an argument may take.
        features: what of that speaks for an argument.
    """

    call: Call
    history: History
    known: list[KnownValue]
    features: Features


def train_arguments(examples: Sequence[CallExample], seed: int) -> ArgumentModel:
    """Learns, API by API, which arguments a call has, and over all calls which value fits one."""
    groups: dict[str, list[CallExample]] = {}
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


def _train_names(examples: Sequence[CallExample], seed: int) -> LinearModel:
    labels = [_BETWEEN.join(sorted(each.call.arguments)) for each in examples]
    features = [{**each.features, **_describe_known(each.known)} for each in examples]
    return train_linear(features, labels, seed=seed, strength=0.3, least=_LEAST)


def _describe_known(known: Sequence[KnownValue]) -> dict[str, float]:
    return {f"known {each.name}": 1.0 for each in known}


def _slot(api: str, name: str) -> str:
    return f"{api} {name}"


def _collect(examples: Sequence[CallExample]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
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
    examples: Sequence[CallExample],
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
            # A value that no option is cannot be chosen; it teaches nothing.
            if right:
                wrong = [option for option in options if option is not right[0]]
                chosen = [right[0], *chance.sample(wrong, min(_OTHERS, len(wrong)))]
                # The right one stands first, and its number is the answer.
                yield [_describe_option(slot, one, words) for one in chosen], [0]


class Caller:
    """Makes calls with what was learned."""

    def __init__(self, model: ArgumentModel) -> None:
        self._model = model
        self._judge = None if model.ranker is None else Judge(model.ranker)

    def make_calls(
        self, apis: Sequence[str], histories: Sequence[History], features: Sequence[Features]
    ) -> list[Call]:
        """Returns the call of each API, after its history.

        Args:
            apis: the APIs to call.
            histories: what came before each.
            features: of each history.
        """
        known = [list_known(history) for history in histories]
        names: dict[int, str] = {}
        # In any order, since each fills places of its own.
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
        self, api: str, names: Sequence[str], history: History, known: Sequence[KnownValue]
    ) -> dict[str, Any]:
        found = {}
        words = frozenset(split_words(last_words(history, "user")))
        for name in names:
            slot = _slot(api, name)
            texts, others = self._model.usual.get(slot, ()), self._model.patterns.get(slot, ())
            options = list_options(name, history, known, texts, others)
            if options and self._judge is not None:
                scores = self._judge.score([_describe_option(slot, o, words) for o in options])
                found[name] = options[scores.index(max(scores))].value
        return found
