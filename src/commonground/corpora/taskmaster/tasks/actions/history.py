"""Features of what came before, for choosing what the agent does next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from commonground.bench.learners.ngrams import count_ngrams, split_words

History = Sequence[Mapping[str, Any]]
"""What came before, as the task gives it: ``user``, ``assistant``, ``call`` or ``response``."""

WORDS = "words"
"""What the user said last."""

CONTEXT = "context"
"""What was said and called before, and what the latest response holds."""

_LATE = 10  # more turns, or words of a value, say no more


def last_words(history: History, speaker: str) -> str:
    """Returns what a speaker said last; empty where it has said nothing."""
    return next((str(turn[speaker]) for turn in reversed(history) if speaker in turn), "")


def describe_history(history: History, kinds: Iterable[str]) -> dict[str, float]:
    """Returns features of what came before, of :data:`WORDS`, :data:`CONTEXT` or both."""
    features: dict[str, float] = {}
    if WORDS in kinds:
        features |= count_ngrams(last_words(history, "user"), "user ", 2)
    if CONTEXT in kinds:
        features |= count_ngrams(last_words(history, "assistant"), "assistant ", 2)
        features |= dict.fromkeys(_describe_turns(history), 1.0)
    return features


def _describe_turns(history: History) -> list[str]:
    kinds = [_name_kind(turn) for turn in history]
    # So that there are three turns back even at the start.
    before = ["-", "-", "-", *kinds]
    names = [f"back {back} {before[-back]}" for back in (1, 2, 3)]
    names += [f"back {' > '.join(before[-2:])}", f"back {' > '.join(before[-3:])}"]
    names += [f"ever {each}" for each in sorted(set(kinds))]
    names.append(f"said {min(kinds.count('user'), _LATE)}")
    since = _since_user(kinds)
    names += [f"since {each}" for each in since] + [f"since {' > '.join(since)}"]
    return names + _describe_values(history[-1] if history else {})


def _name_kind(turn: Mapping[str, Any]) -> str:
    for kind in ("call", "response"):
        if kind in turn:
            return f"{kind} {turn[kind]}"
    return "user" if "user" in turn else "assistant"


def _since_user(kinds: Sequence[str]) -> list[str]:
    if "user" not in kinds:
        return list(kinds)
    place = len(kinds) - 1 - list(reversed(kinds)).index("user")  # of the last "user"
    return list(kinds[place + 1 :])


def _describe_values(turn: Mapping[str, Any]) -> list[str]:
    """Returns the names and words of the latest response's values, and how many each has."""
    names = []
    for name, values in (turn.get("values") or {}).items():
        names += [f"gave {name}", f"gave {len(values)} {name}"]
        names += [f"gave {word}" for text in values for word in split_words(text)[:_LATE]]
    return names
