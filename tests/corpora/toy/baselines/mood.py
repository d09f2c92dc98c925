"""Baselines that need nothing but counting: the commonest mood, and the mood of each word."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.method import Baseline, Baselines, Lessons
from commonground.task import Instance


class Commonest(msgspec.Struct):
    mood: str
    seed: int


class ByWord(msgspec.Struct):
    moods: list[str]
    words: list[str]
    counts: np.ndarray


def train_commonest(lessons: Lessons) -> Commonest:
    return Commonest(
        Counter(each.gold for each in lessons.instances).most_common(1)[0][0], lessons.seed
    )


def predict_commonest(model: Commonest, instances: Iterable[Instance]) -> Iterator[Any]:
    for _each in instances:
        yield model.mood


def train_words(lessons: Lessons) -> ByWord:
    words = sorted({word for each in lessons.instances for word in each.inputs["text"].split()})
    moods = sorted({each.gold for each in lessons.instances})
    counts = np.zeros((len(words), len(moods)))
    for each in lessons.instances:
        for word in each.inputs["text"].split():
            counts[words.index(word), moods.index(each.gold)] += 1
    return ByWord(moods, words, counts)


def predict_words(model: ByWord, instances: Iterable[Instance]) -> Iterator[Any]:
    for each in instances:
        places = [model.words.index(w) for w in each.inputs["text"].split() if w in model.words]
        yield model.moods[int(model.counts[places].sum(axis=0).argmax())] if places else None


def write(pairs: Iterable[tuple[Instance, Any]], path: Path) -> None:
    path.write_text(json.dumps({each.instance_id: answer for each, answer in pairs}))


BASELINES = Baselines(
    task="toy/mood",
    methods=(
        Baseline(
            name="majority",
            title="the commonest mood",
            model=Commonest,
            train=train_commonest,
            predict=predict_commonest,
        ),
        Baseline(
            name="words",
            title="the commonest mood of the words",
            model=ByWord,
            train=train_words,
            predict=predict_words,
        ),
    ),
    write=write,
    train_split="train",
    test_split="test",
)
