"""Understanding by looking up: phrases that mean the same wherever they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.corpora.frames.baselines.meaning import (
    Held,
    Item,
    Meaning,
    divide_all,
    join_acts,
)
from commonground.learners.tokens import Token, split_tokens
from commonground.method import Lessons
from commonground.task import Instance

_LONGEST = 6
_SHARE_HELD, _SHARE_ITEM = 0.5, 0.7
_FEWEST = 3


class Lexicon(msgspec.Struct, frozen=True):
    """What phrases mean; a phrase is its words in lower case with blanks between them.

    Attributes:
        held: act and slot of a phrase that is a value.
        items: what a phrase tells without being a value.
        otherwise: the act of a turn without any known phrase.
    """

    held: dict[str, tuple[str, str]]
    items: dict[str, list[Item]]
    otherwise: str


class _Phrase(msgspec.Struct, frozen=True):
    start: int
    end: int
    text: str


def train_lexicon(lessons: Lessons) -> Lexicon:
    """Keeps the phrases that mostly mean the same."""
    seen: Counter[str] = Counter()
    held: dict[str, Counter[tuple[str, str]]] = {}
    items: dict[str, Counter[Item]] = {}
    acts: Counter[str] = Counter()
    for instance, meaning in zip(lessons.instances, divide_all(lessons.instances), strict=True):
        acts.update(act["name"] for act in instance.gold)
        text = instance.inputs["text"]
        phrases = {each.text for each in _list_phrases(text)}
        seen.update(phrases)
        for each in meaning.held:
            words = _join(split_tokens(text[each.start : each.end]))
            held.setdefault(words, Counter())[each.act, each.slot] += 1
        for phrase in phrases:
            items.setdefault(phrase, Counter()).update(set(meaning.items))
    return Lexicon(
        {
            phrase: found.most_common(1)[0][0]
            for phrase, found in held.items()
            if found.total() >= _SHARE_HELD * seen[phrase] and phrase in seen
        },
        _keep_items(items, seen),
        acts.most_common(1)[0][0] if acts else "inform",
    )


def _keep_items(items: dict[str, Counter[Item]], seen: Counter[str]) -> dict[str, list[Item]]:
    kept = {}
    for phrase, found in items.items():
        enough = max(_FEWEST, _SHARE_ITEM * seen[phrase])
        mine = sorted(item for item, count in found.items() if count >= enough)
        if mine:
            kept[phrase] = mine
    return kept


def _list_phrases(text: str) -> Iterator[_Phrase]:
    """Yields the phrases of a text, longer ones first."""
    tokens = split_tokens(text)
    for size in range(min(_LONGEST, len(tokens)), 0, -1):
        for start in range(len(tokens) - size + 1):
            part = tokens[start : start + size]
            yield _Phrase(part[0].start, part[-1].end, _join(part))


def _join(tokens: Iterable[Token]) -> str:
    return " ".join(token.text.lower() for token in tokens)


def predict_lexicon(
    model: Lexicon, instances: Iterable[Instance]
) -> Iterator[list[dict[str, Any]]]:
    """Looks up the longest phrases first; a value may not share words with a longer one."""
    for instance in instances:
        text = instance.inputs["text"]
        meaning = Meaning()
        items: set[Item] = set()
        for phrase in _list_phrases(text):
            items.update(model.items.get(phrase.text, ()))
            known = model.held.get(phrase.text)
            if known is not None and _is_free(phrase, meaning.held):
                meaning.held.append(Held(phrase.start, phrase.end, *known))
        meaning.items = sorted(items)
        yield join_acts(text, meaning) or [{"name": model.otherwise, "args": []}]


def _is_free(phrase: _Phrase, held: Iterable[Held]) -> bool:
    return all(phrase.end <= each.start or each.end <= phrase.start for each in held)
