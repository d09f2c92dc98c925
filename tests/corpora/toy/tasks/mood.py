"""Predict the mood of each line; a file of predictions is a JSON object of moods by instance.

Its baselines need nothing but counting: the commonest mood, and the mood of each word.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.errors import TaskError
from commonground.method import Baseline, Baselines, Encode, TrainingSet
from commonground.metric import Counts, Metric, Values
from commonground.task import Gold, Instance, Prediction, Predictions, Scored, Tally, Task


def instances(gold: Gold) -> Iterator[Instance]:
    if gold.corpus is None:
        raise TaskError("The moods of toys are read from the store.", "Leave --gold away.")
    for dialogue in gold.corpus.dialogues(split=gold.split):
        moods = {act.event: act.act for act in dialogue.acts}
        for number, event in enumerate(dialogue.events):
            yield Instance(
                instance_id=f"{dialogue.dialogue_id}:{number}",
                dialogue_id=dialogue.dialogue_id,
                event=number,
                inputs={"text": event.text, "speaker": event.speaker},
                gold=moods.get(number),
            )


def read(path: Path, gold: Gold) -> Predictions:
    tally = Tally({"missing lines": "has none"})
    return Predictions(
        found=pair(json.loads(path.read_text(encoding="utf-8")), gold, tally), tally=tally
    )


def pair(predicted: dict[str, str], gold: Gold, tally: Tally) -> Iterator[Prediction]:
    for each in instances(gold):
        is_missing = each.instance_id not in predicted
        tally.add("missing lines", each.instance_id, count=int(is_missing), skipped=1)
        yield Prediction(
            instance=each,
            value=predicted.get(each.instance_id),
            is_missing=is_missing,
            is_ignored=is_missing,
        )


def score(instance: Instance, mood: str | None, _tally: Tally) -> Scored:
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={"accuracy": score_mood(instance.gold, mood)},
        gold=instance.gold,
        predicted=mood,
        answer=mood,
    )


def score_mood(gold: str, predicted: str | None) -> Counts:
    return {"right": float(gold == predicted), "n": 1.0}


def combine(counts: Counts) -> Values:
    n = counts.get("n", 0)
    return {"accuracy": counts["right"] / n if n else None}


TASK = Task(
    name="toy/mood",
    title="mood of a line",
    corpora=("toy",),
    summary="a JSON object of moods by instance id",
    allowed={"text": "what was said"},
    measures=(
        Metric(
            name="accuracy",
            version="1",
            title="share of right moods",
            score=score_mood,
            combine=combine,
        ),
    ),
    instances=instances,
    read=read,
    score=score,
)


class Commonest(msgspec.Struct):
    mood: str
    seed: int


class ByWord(msgspec.Struct):
    moods: list[str]
    words: list[str]
    counts: np.ndarray


def train_commonest(training: TrainingSet) -> Commonest:
    return Commonest(
        Counter(each.gold for each in training.instances).most_common(1)[0][0], training.seed
    )


def predict_commonest(model: Commonest, instances: Iterable[Instance]) -> Iterator[Any]:
    for _each in instances:
        yield model.mood


def train_words(training: TrainingSet) -> ByWord:
    words = sorted({word for each in training.instances for word in each.inputs["text"].split()})
    moods = sorted({each.gold for each in training.instances})
    counts = np.zeros((len(words), len(moods)))
    for each in training.instances:
        for word in each.inputs["text"].split():
            counts[words.index(word), moods.index(each.gold)] += 1
    return ByWord(moods, words, counts)


def predict_words(model: ByWord, instances: Iterable[Instance]) -> Iterator[Any]:
    for each in instances:
        places = [model.words.index(w) for w in each.inputs["text"].split() if w in model.words]
        yield model.moods[int(model.counts[places].sum(axis=0).argmax())] if places else None


class ByLikeness(msgspec.Struct):
    moods: list[str]
    vectors: np.ndarray


def train_likeness(training: TrainingSet) -> ByLikeness:
    texts = [each.inputs["text"] for each in training.instances]
    return ByLikeness([each.gold for each in training.instances], training.encode(texts))


def predict_likeness(
    model: ByLikeness, instances: Iterable[Instance], encode: Encode
) -> Iterator[Any]:
    vectors = encode([each.inputs["text"] for each in instances])
    for place in (vectors @ model.vectors.T).argmax(axis=1):
        yield model.moods[place]


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
        Baseline(
            name="likeness",
            title="the mood of the text whose vector is nearest",
            model=ByLikeness,
            train=train_likeness,
            predict=predict_likeness,
            encodes=True,
        ),
    ),
    write=write,
    train_split="train",
    test_split="test",
)
