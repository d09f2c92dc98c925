"""What the arguments of an API call could be, and what speaks for each value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from commonground.learners.tokens import split_tokens

History = Sequence[Mapping[str, Any]]
"""What came before, as the task gives it: ``user``, ``assistant``, ``call`` or ``response``."""

_LONGEST = 5
_USUAL = 12
_OLDEST = 6
_TURNS = 2


class Known(msgspec.Struct, frozen=True):
    """A value that an API call or its response had.

    Attributes:
        name: name of the argument or, inside lists and objects, of the innermost key.
        text: the value.
        source: the API, and whether it was asked or answered.
    """

    name: str
    text: str
    source: str


class Option(msgspec.Struct):
    """A value that an argument could have.

    Attributes:
        value: the value; texts and JSON.
        facts: what speaks for it.
    """

    value: Any
    facts: set[str]


def fold(value: Any) -> str:
    """Returns a value as text without regard to case and runs of spaces."""
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return " ".join(text.casefold().split())


def list_known(history: History) -> list[Known]:
    """Returns the values of earlier calls and responses, the newest first."""
    found: list[Known] = []
    for turn in reversed(history):
        kind = "call" if "call" in turn else "response"
        source = f"{kind} {turn.get(kind)}"
        values = turn.get("arguments" if kind == "call" else "values") or {}
        for name, texts in values.items():
            for text in texts:
                found += [Known(*each, source) for each in _open(name, text)]
    return found


def _open(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yields a value; of a JSON list or object the texts inside it."""
    inner = _parse(text)
    if inner is None:
        yield name, text
    else:
        yield from _walk(name, inner)


def _parse(text: str) -> Any:
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


def make_pattern(value: Any, known: Sequence[Known]) -> Any:
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


def fill_pattern(pattern: Any, known: Sequence[Known]) -> Any:
    """Fills a pattern with the newest known texts.

    Raises:
        KeyError: a key has no known text.
    """
    if isinstance(pattern, list):
        return [fill_pattern(each, known) for each in pattern]
    if not isinstance(pattern, dict):
        return pattern
    if pattern.keys() == {""}:
        return next((e.text for e in known if e.name == pattern[""]), None) or _miss(pattern[""])
    return {key: fill_pattern(each, known) for key, each in pattern.items()}


def _miss(key: str) -> str:
    raise KeyError(key)


def choose_usual(values: Iterable[str]) -> list[str]:
    """Returns the most frequent values, the most frequent first; those seen once are left out."""
    counts = Counter(values)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    return [value for value in ordered if counts[value] > 1][:_USUAL]


def list_options(
    name: str,
    history: History,
    known: Sequence[Known],
    usual: Sequence[str],
    patterns: Sequence[str],
) -> list[Option]:
    """Returns what an argument could be: known values, the user's words, and usual values.

    Args:
        name: name of the argument.
        history: what came before.
        known: the values in it, as :func:`list_known` gives them.
        usual: texts that it often had.
        patterns: lists and objects that it often had, as JSON of patterns.
    """
    found: dict[str, Option] = {}
    for value, facts in _list_all(name, history, known, usual, patterns):
        option = found.setdefault(fold(value), Option(value, set()))
        option.facts.update(facts)
    return list(found.values())


def _list_all(
    name: str,
    history: History,
    known: Sequence[Known],
    usual: Sequence[str],
    patterns: Sequence[str],
) -> Iterator[tuple[Any, list[str]]]:
    ages: Counter[str] = Counter()
    for each in known:
        key = f"{each.source} {each.name}"
        age = min(ages[key], _OLDEST)
        ages[key] += 1
        same = ["same name", f"same name {age}"] if each.name == name else []
        yield each.text, [key, f"{key} {age}", *same]
    said = [str(turn["user"]) for turn in history if "user" in turn]
    for back, text in enumerate(reversed(said[-_TURNS:])):
        yield from _list_runs(text, back)
    for rank, text in enumerate(usual):
        yield text, ["usual", f"usual {rank}"]
    for rank, pattern in enumerate(patterns):
        try:
            yield fill_pattern(msgspec.json.decode(pattern), known), [f"pattern {rank}"]
        except KeyError:
            continue


def _list_runs(text: str, back: int) -> Iterator[tuple[str, list[str]]]:
    tokens = split_tokens(text)
    lower = ["<", *(token.text.lower() for token in tokens), ">"]
    for start in range(len(tokens)):
        for size in range(1, min(_LONGEST, len(tokens) - start) + 1):
            run = text[tokens[start].start : tokens[start + size - 1].end]
            facts = [
                f"said {back}",
                f"said {back} {size} of {min(len(tokens), _LONGEST + 1)}",
                f"after {lower[start]}",
                f"before {lower[start + size + 1]}",
                f"first {lower[start + 1]}",
                f"last {lower[start + size]}",
                f"capitals {run[0].isupper()} {size}",
            ]
            yield run, facts


def describe_option(slot: str, option: Option, words: frozenset[str]) -> dict[str, float]:
    """Returns features of a value of an argument.

    Args:
        slot: API and argument.
        option: the value.
        words: what the user said last, in lower case.
    """
    value = fold(option.value)
    mine = {token.text for token in split_tokens(value)}
    share = len(mine & words) / len(mine) if mine else 0.0
    names = [slot, *(f"{slot} {fact}" for fact in option.facts)]
    if "usual" in option.facts:
        names.append(f"{slot} = {value}")
        names += [f"{slot} = {value} / {word}" for word in words]
    features = dict.fromkeys(names, 1.0)
    features[f"{slot} share of words said"] = share
    return features
