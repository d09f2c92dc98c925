"""Simple ways to understand a user turn: its acts, slots and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from commonground.corpora.frames.baselines.lexicon import (
    Lexicon,
    predict_lexicon,
    train_lexicon,
)
from commonground.corpora.frames.baselines.meaning import (
    Held,
    Item,
    Meaning,
    divide_all,
    join_acts,
    write_acts,
)
from commonground.learners.labels import find_labels, train_labels
from commonground.learners.linear import LinearModel, classify_linear, train_linear
from commonground.learners.ngrams import count_ngrams
from commonground.learners.tokens import Stretch, TokenModel, find_stretches, train_tokens
from commonground.method import Baseline, Baselines, Lessons
from commonground.task import Instance

_FEWEST = 5
_LEAST = 3

Acts = list[dict[str, Any]]


class MajorityModel(msgspec.Struct, frozen=True):
    """The most frequent act of all turns, by name."""

    act: str


class NluModel(msgspec.Struct, frozen=True):
    """What was learned about turns.

    Attributes:
        slots: finds the stretches of a text that are values, and their slots.
        acts: gives the act of a slot.
        items: gives what is told without a value in the text, each item as JSON.
    """

    slots: TokenModel
    acts: LinearModel
    items: LinearModel


def train_majority(lessons: Lessons) -> MajorityModel:
    """Counts acts."""
    counts = Counter(act["name"] for each in lessons.instances for act in each.gold)
    return MajorityModel(counts.most_common(1)[0][0] if counts else "inform")


def predict_majority(model: MajorityModel, instances: Iterable[Instance]) -> Iterator[Acts]:
    """Gives every turn the same act, without slots."""
    for _instance in instances:
        yield [{"name": model.act, "args": []}]


def train_linear_nlu(lessons: Lessons) -> NluModel:
    """Learns where values are, whose act a slot is of, and what is told without a value."""
    texts = [each.inputs["text"] for each in lessons.instances]
    words = [_count_words(each.inputs) for each in lessons.instances]
    meanings = divide_all(lessons.instances)
    counts = Counter(held.slot for each in meanings for held in each.held)
    kept = [[h for h in each.held if counts[h.slot] >= _FEWEST] for each in meanings]
    stretches = [[Stretch(h.start, h.end, h.slot) for h in mine] for mine in kept]
    examples, acts = [], []
    for text, mine, known in zip(texts, kept, words, strict=True):
        for each in mine:
            examples.append(_describe_slot(text, each.start, each.slot, known))
            acts.append(each.act)
    labels = [{_encode(item) for item in each.items} for each in meanings]
    return NluModel(
        train_tokens(texts, stretches, seed=lessons.seed, least=_LEAST),
        train_linear(examples, acts, seed=lessons.seed, least=_LEAST),
        train_labels(words, labels, seed=lessons.seed, least=_LEAST, fewest=_FEWEST),
    )


def _encode(item: Item) -> str:
    return msgspec.json.encode(item).decode()


def _count_words(inputs: Mapping[str, Any]) -> dict[str, float]:
    """Counts n-grams of the turn, and of the turn of the wizard before it."""
    before = inputs["history"][-1:]
    found = count_ngrams(inputs["text"])
    for turn in before:
        found |= count_ngrams(turn["text"], prefix="wizard ")
    return found if before else found | {"first turn": 1.0}


def _describe_slot(
    text: str, start: int, slot: str, words: Mapping[str, float]
) -> dict[str, float]:
    """Returns what speaks for the act of a slot: its name, what is before it, and all words."""
    before = count_ngrams(text[max(0, start - 25) : start], prefix="before ")
    named = {f"{slot} {name}": 1.0 for name in before}
    return {**words, **before, **named, f"slot {slot}": 1.0}


def predict_linear_nlu(model: NluModel, instances: Iterable[Instance]) -> Iterator[Acts]:
    """Finds values, gives each its act, and adds what is told without a value."""
    asked = list(instances)
    texts = [each.inputs["text"] for each in asked]
    words = [_count_words(each.inputs) for each in asked]
    stretches = find_stretches(model.slots, texts)
    examples = [
        _describe_slot(text, each.start, each.label, known)
        for text, mine, known in zip(texts, stretches, words, strict=True)
        for each in mine
    ]
    acts = iter(classify_linear(model.acts, examples))
    told = find_labels(model.items, words)
    for text, mine, items in zip(texts, stretches, told, strict=True):
        held = [Held(each.start, each.end, next(acts), each.label) for each in mine]
        yield join_acts(text, Meaning(held, [msgspec.json.decode(i, type=Item) for i in items]))


BASELINES = Baselines(
    task="frames/nlu",
    methods=(
        Baseline(
            name="majority",
            title="The most frequent act, without slots.",
            model=MajorityModel,
            train=train_majority,
            predict=predict_majority,
        ),
        Baseline(
            name="dictionary",
            title="Phrases that mostly mean the same, the longest first.",
            model=Lexicon,
            train=train_lexicon,
            predict=predict_lexicon,
        ),
        Baseline(
            name="linear",
            title=(
                "A classifier of tokens for values and their slots, and linear models over "
                "n-grams for acts and for slots without a value in the text."
            ),
            model=NluModel,
            train=train_linear_nlu,
            predict=predict_linear_nlu,
        ),
    ),
    write=write_acts,
    ending=".jsonl",
)
