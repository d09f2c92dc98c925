"""What a candidate has in common with a turn, for learning to choose."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from commonground.bench.learners.matching import Matcher
from commonground.bench.learners.ngrams import split_words
from commonground.corpora.simmc.tasks.features import last_answer, list_view_words, name_attributes
from commonground.task import Instance

_STEPS = 10  # brings likeness and length to the size of the other features

RARE = 3.0
"""Rarity of words that tell something: those of fewer than about one text in seven."""


def user_words(inputs: Mapping[str, Any]) -> str:
    """Returns what the user says now; empty where nobody knows."""
    return str(inputs.get("transcript") or "")


def list_texts(instances: Iterable[Instance]) -> Iterator[str]:
    """Yields the texts whose words are counted: of users and of candidates."""
    for each in instances:
        yield user_words(each.inputs)
        yield from each.inputs["candidates"]


def draw_candidates(instance: Instance, others: int, chance: random.Random) -> list[str]:
    """Returns the right candidate, which must be known, then up to ``others`` wrong ones by lot."""
    candidates = instance.inputs["candidates"]
    wrong = [place for place in range(len(candidates)) if place != instance.gold]
    # The right one first: the ranker is told its place, and the order means nothing to it.
    chosen = [instance.gold, *chance.sample(wrong, min(others, len(wrong)))]
    return [candidates[place] for place in chosen]


@lru_cache(20_000)
def list_words(text: str) -> tuple[str, ...]:
    """Returns the words of a text, each once."""
    return tuple(sorted(set(split_words(text))))


def describe_candidates(
    inputs: Mapping[str, Any], candidates: Sequence[str], matcher: Matcher, with_action: bool
) -> list[dict[str, float]]:
    """Returns what each candidate has in common with the turn.

    With ``with_action``, the assistant's action is looked at, too.
    """
    said, answer = user_words(inputs), last_answer(inputs)
    shown = list_view_words(inputs)
    # Pairs of common words are most of all pairs, and tell little.
    words = [f"user {word}" for word in list_words(said) if matcher.rarity(word) > RARE]
    acts = ["", *list_acts(inputs)] if with_action else [""]
    found = []
    for text in candidates:
        mine = list_words(text)
        # Words alone say how assistants talk at all; crossed with the action, how they talk when
        # they do this.
        features = {f"{act} / {word}": 1.0 for act in acts for word in mine}
        rare = [word for word in mine if matcher.rarity(word) > RARE]
        features |= {f"{mark} / {word}": 1.0 for mark in words for word in rare}
        features["likeness"] = _STEPS * matcher.cosine(said, text)
        features["likeness to the last answer"] = _STEPS * matcher.cosine(answer, text)
        features["words of what is in view"] = float(sum(word in shown for word in mine))
        features["words"] = len(mine) / _STEPS
        found.append(features)
    return found


def list_acts(inputs: Mapping[str, Any]) -> list[str]:
    """Returns the assistant's action and its attributes, to be crossed with words."""
    return [f"does {each}" for each in (inputs.get("action", "?"), *name_attributes(inputs))]
