"""Simple ways to say whether an image is common: by the words of the round, and what they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from commonground.bench.learners.linear import (
    Features,
    LinearModel,
    classify_linear,
    train_linear,
)
from commonground.bench.learners.ngrams import count_ngrams, split_words
from commonground.corpora.photobook.tasks.reference.evidence import draw_games
from commonground.corpora.photobook.tasks.reference.image_words import (
    GameWords,
    ImageWords,
    count_words,
    weigh_words,
)
from commonground.corpora.photobook.tasks.sight import (
    Example,
    Sight,
    SightTraining,
    measure_sight,
)
from commonground.files.predictions import write_lines
from commonground.method import Baseline, Baselines, Encode, TrainingSet
from commonground.task import Instance

_LEAST = 3  # marks that must have a feature for it to be learned
_STRENGTH = 0.03
_RECENT = 4  # texts before a mark whose words are looked at one by one
_NEAR = 3  # texts before a mark that are taken to be about its image
_FAR = 3.0  # a lead of more than this says no more
_SCALE = 0.05  # a lead of sight that counts as one of words
_GAMES = 600  # games that are enough to weigh one feature against the other


class RoundMessage(msgspec.Struct, frozen=True):
    """A text of a round, and who wrote it: the player who marks (``own``) or the ``other``."""

    who: str
    text: str


class WordModel(msgspec.Struct, frozen=True):
    """What was learned of words: weights of the features of a mark."""

    linear: LinearModel


class VisionModel(msgspec.Struct, frozen=True):
    """What words say of pictures, and weights of the features of a mark."""

    sight: Sight
    linear: LinearModel


class FitModel(msgspec.Struct, frozen=True):
    """Words that games used near marks of each image, and weights of the features of a mark."""

    words: ImageWords
    linear: LinearModel


def list_messages(instance: Instance) -> list[RoundMessage]:
    """Lists the texts of the round in which an image is marked, up to the mark."""
    inputs = instance.inputs
    return [
        RoundMessage("own" if speaker == inputs["player"] else "other", text)
        for number, speaker, text in inputs["dialogue"]
        if number == inputs["round"]
    ]


def describe_words(instance: Instance) -> dict[str, float]:
    """Describes a mark by the words of its round: all, and the last texts by their order."""
    messages = list_messages(instance)
    features = {f"round {instance.inputs['round']}": 1.0}
    for message in messages:
        features |= count_ngrams(message.text, f"{message.who} ", 1)
    for back, message in enumerate(reversed(messages[-_RECENT:])):
        features |= count_ngrams(message.text, f"{message.who} {back} ")
    return features


def _describe_fit(
    known: ImageWords, instance: Instance, without: GameWords | None = None
) -> dict[str, float]:
    """Describes a mark by words, by the text that fits its image best, and by what came after it.

    Where its own game is among those that are known, ``without`` are the words of that game.
    """
    messages = list_messages(instance)
    return describe_leads(
        instance, [_measure_lead(known, message.text, instance, without) for message in messages]
    )


def describe_leads(instance: Instance, leads: Sequence[float]) -> dict[str, float]:
    """Describes a mark by words, by the text that fits its image best, and by what came after it.

    ``leads`` say how much better each text of the round fits that image than any other.
    """
    messages, features = list_messages(instance), describe_words(instance)
    for who in ("own", "other"):
        mine = [lead for message, lead in zip(messages, leads, strict=True) if message.who == who]
        features[f"{who} lead"] = max(-_FAR, min(_FAR, max(mine, default=-_FAR)))
    if messages:
        best = max(range(len(messages)), key=leads.__getitem__)
        features |= _describe_best(messages, best, "sure" if leads[best] > 0 else "unsure")
    return features


def _measure_lead(
    known: ImageWords, text: str, instance: Instance, without: GameWords | None
) -> float:
    """Returns how much better a text fits the marked image than any other of the page."""
    said, image = set(split_words(text)), instance.inputs["image"]
    fits = {
        each: sum(weigh_words(known, each, said, without)) for each in instance.inputs["images"]
    }
    return fits[image] - max((fit for each, fit in fits.items() if each != image), default=0.0)


def _describe_best(messages: Sequence[RoundMessage], best: int, how: str) -> dict[str, float]:
    who = messages[best].who
    features = {
        f"best {who} {how}": 1.0,
        f"best {min(_RECENT, len(messages) - 1 - best)} back {how}": 1.0,
    }
    features |= count_ngrams(messages[best].text, f"best {who} ")
    for step, message in enumerate(messages[best + 1 : best + 3], 1):
        features |= count_ngrams(message.text, f"{step} after {who} {how} {message.who} ")
    return features


def collect_near_words(instances: Iterable[Instance]) -> dict[str, dict[str, set[str]]]:
    """Collects the words that each game used near the marks of each image."""
    found: dict[str, dict[str, set[str]]] = {}
    for each in instances:
        words = found.setdefault(each.dialogue_id, {}).setdefault(each.inputs["image"], set())
        for message in list_messages(each)[-_NEAR:]:
            words.update(split_words(message.text))
    return found


def train_majority(training: TrainingSet) -> WordModel:
    """Learns which label is the more frequent one."""
    return WordModel(_learn([{} for _each in training.instances], training.instances, training))


def predict_majority(model: WordModel, instances: Iterable[Instance]) -> Iterator[str]:
    """Gives every image the more frequent label."""
    yield from classify_linear(model.linear, [{} for _each in instances])


def train_words(training: TrainingSet) -> WordModel:
    """Learns what the words of a round say of a mark."""
    some = draw_games(training.instances, _GAMES, training.seed)
    return WordModel(_learn([describe_words(each) for each in some], some, training))


def predict_words(model: WordModel, instances: Iterable[Instance]) -> Iterator[str]:
    """Gives every image the label that the words of the round speak for."""
    yield from classify_linear(model.linear, [describe_words(each) for each in instances])


def train_fit(training: TrainingSet) -> FitModel:
    """Learns what words say of a mark; those of a game do not speak for its own images."""
    games = collect_near_words(training.instances)
    words, some = count_words(games), draw_games(training.instances, _GAMES, training.seed)
    features = [_describe_fit(words, each, games[each.dialogue_id]) for each in some]
    return FitModel(words, _learn(features, some, training))


def predict_fit(model: FitModel, instances: Iterable[Instance]) -> Iterator[str]:
    """Gives every image the likelier label, given what fits it."""
    features = [_describe_fit(model.words, each) for each in instances]
    yield from classify_linear(model.linear, features)


def train_vision(training: TrainingSet) -> VisionModel:
    """Learns what words say of pictures, and what pictures that fit say of a mark."""
    examples = [_make_example(each) for each in training.instances]
    learning, some = (
        SightTraining(examples, training.encode),
        draw_games(training.instances, _GAMES, training.seed),
    )
    leads = _list_leads(some, learning.measure_apart)
    features = [describe_leads(each, mine) for each, mine in zip(some, leads, strict=True)]
    return VisionModel(learning.learn(), _learn(features, some, training))


def predict_vision(
    model: VisionModel, instances: Iterable[Instance], encode: Encode
) -> Iterator[str]:
    """Gives every image the likelier label, given what fits its picture.

    Args:
        model: what was learned.
        instances: the marked images.
        encode: gives the vectors of pictures.
    """
    known = list(instances)
    leads = _list_leads(known, lambda texts: measure_sight(model.sight, texts, encode))
    features = [describe_leads(each, mine) for each, mine in zip(known, leads, strict=True)]
    yield from classify_linear(model.linear, features)


def _make_example(instance: Instance) -> Example:
    words = {
        word for message in list_messages(instance)[-_NEAR:] for word in split_words(message.text)
    }
    return Example(words, instance.inputs["images"], [instance.inputs["image"]])


def _list_leads(
    instances: Sequence[Instance],
    measure: Callable[[Sequence[tuple[set[str], Sequence[str]]]], list[list[float]]],
) -> list[list[float]]:
    """Returns how much better each text of each round fits the marked picture than any other."""
    # Marks of a page have its texts in common.
    keys = [
        [(message.text, tuple(each.inputs["images"])) for message in list_messages(each)]
        for each in instances
    ]
    once = list(dict.fromkeys(key for mine in keys for key in mine))
    measured = dict(
        zip(once, measure([(set(split_words(t)), shown) for t, shown in once]), strict=True)
    )
    return [
        [_take_lead(measured[key], each) for key in mine]
        for each, mine in zip(instances, keys, strict=True)
    ]


def _take_lead(scores: Sequence[float], instance: Instance) -> float:
    fits = dict(zip(instance.inputs["images"], scores, strict=True))
    mine = fits.pop(instance.inputs["image"])
    return float(mine - max(fits.values(), default=0.0)) / _SCALE


def _learn(
    features: Sequence[Features], instances: Iterable[Instance], training: TrainingSet
) -> LinearModel:
    labels = [each.gold for each in instances]
    return train_linear(features, labels, seed=training.seed, strength=_STRENGTH, least=_LEAST)


def write_labels(answers: Iterable[tuple[Instance, str]], path: Path) -> None:
    """Writes labels as JSON lines."""
    write_lines(path, ({"instance_id": one.instance_id, "label": label} for one, label in answers))


BASELINES = Baselines(
    task="photobook/marks",
    methods=(
        Baseline(
            name="majority",
            title="The more frequent label.",
            model=WordModel,
            train=train_majority,
            predict=predict_majority,
        ),
        Baseline(
            name="linear-words",
            title="Logistic regression over the words of the round and who wrote them.",
            model=WordModel,
            train=train_words,
            predict=predict_words,
        ),
        Baseline(
            name="linear",
            title="The same, and how well texts fit what other games call the images of the page.",
            model=FitModel,
            train=train_fit,
            predict=predict_fit,
        ),
        Baseline(
            name="linear-vision",
            title="The words, and how well texts fit the pictures of the page.",
            model=VisionModel,
            train=train_vision,
            predict=predict_vision,
            sees=True,
        ),
    ),
    write=write_labels,
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
