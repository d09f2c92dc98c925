"""Simple ways to find the images that a segment is about, without and with the game before it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import ChanceModel, Judge, Ranker, train_chance
from commonground.corpora.photobook.tasks.reference import task
from commonground.corpora.photobook.tasks.reference.evidence import (
    ENOUGH_GAMES,
    ScoredImages,
    SegmentHistory,
    choose,
    describe_history,
    describe_names,
    draw_games,
    follow_games,
    learn_bar,
    train_choice,
)
from commonground.corpora.photobook.tasks.reference.image_words import (
    GameWords,
    ImageWords,
    Words,
    collect_words,
    count_words,
    join_text,
    list_usual_words,
    measure_overlap,
)
from commonground.corpora.photobook.tasks.reference.seeing import (
    SeeingModel,
    predict_seeing,
    train_seeing,
)
from commonground.files.predictions import write_lines
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance, Tally

_USUAL = 0.1
"""Share of games that make a word a usual one for an image."""


class OverlapModel(msgspec.Struct, frozen=True):
    """What comparing words needs.

    Attributes:
        terms: in how many segments each word is.
        words: the words that other games used for each image.
        bar: score from which an image is chosen; the best one always is.
    """

    terms: TermCounts
    words: ImageWords
    bar: float


class LinearModel(msgspec.Struct, frozen=True):
    """What was learned of matching.

    Attributes:
        terms: in how many segments each word is.
        words: the words that other games used for each image.
        ranker: weights of the features of a pair of segment and image.
        bar: score from which an image is chosen; the best one always is.
    """

    terms: TermCounts
    words: ImageWords
    ranker: Ranker
    bar: float


def predict_chance(model: ChanceModel, instances: Iterable[Instance]) -> Iterator[ScoredImages]:
    """Chooses one of the displayed images by lot."""
    for each in instances:
        rng = random.Random(f"{model.seed}/{each.instance_id}")
        # No score reaches a bar of 1, so that the best image alone is chosen.
        yield choose(each.inputs["images"], [rng.random() for _ in each.inputs["images"]], 1.0, "")


def _count_all(instances: Iterable[Instance]) -> TermCounts:
    return count_terms(join_text(each.inputs["segment"]) for each in instances)


def train_overlap(history: bool, training: TrainingSet) -> OverlapModel:
    """Counts words, and finds from which overlap on an image is to be chosen."""
    terms = _count_all(training.instances)
    words = count_words(collect_words(training.instances))
    model = OverlapModel(terms, words, 1.0)
    some = draw_games(training.instances, ENOUGH_GAMES, training.seed)
    scored = zip(_score_overlap(history, model, some), some, strict=True)
    bar = learn_bar(
        (scores, [image in each.gold for image in segment.images])
        for (segment, scores), each in scored
    )
    return msgspec.structs.replace(model, bar=bar)


def _score_overlap(
    history: bool, model: OverlapModel, instances: Iterable[Instance]
) -> Iterator[tuple[SegmentHistory, list[float]]]:
    rarity = Matcher(model.terms).rarity
    usual = {image: list_usual_words(model.words, image, _USUAL) for image in model.words.words}
    for _, segment in follow_games(instances):
        used: list[Words]
        if history:
            used = [set(split_words("\n".join(texts))) for texts in segment.earlier]
        else:
            used = [usual.get(image, set()) for image in segment.images]
        yield segment, [measure_overlap(each, segment.said, rarity) for each in used]


def predict_overlap(
    history: bool, model: OverlapModel, instances: Iterable[Instance]
) -> Iterator[ScoredImages]:
    """Scores an image by the share of the words that were used for it before.

    Args:
        history: whether the words of this game are compared, or those usual in other games.
        model: what was counted.
        instances: segments, those of a game together and in order.
    """
    for segment, scores in _score_overlap(history, model, instances):
        yield choose(segment.images, scores, model.bar, segment.text)


def train_linear(history: bool, training: TrainingSet) -> LinearModel:
    """Learns to judge each image; the words of a game do not speak for its own images."""
    terms, games = _count_all(training.instances), collect_words(training.instances)
    words = count_words(games)
    describe = _make_describer(history, words, Matcher(terms))
    followed = list(follow_games(draw_games(training.instances, ENOUGH_GAMES, training.seed)))
    described = (describe(segment, games[each.dialogue_id]) for each, segment in followed)
    ranker, bar = train_choice(followed, described)
    return LinearModel(terms, words, ranker, bar)


def _make_describer(
    history: bool, words: ImageWords, matcher: Matcher
) -> Callable[[SegmentHistory, GameWords | None], list[dict[str, float]]]:
    def describe(segment: SegmentHistory, without: GameWords | None) -> list[dict[str, float]]:
        names = describe_names(segment, words, without)
        if not history:
            return names
        return [a | b for a, b in zip(names, describe_history(segment, matcher), strict=True)]

    return describe


def predict_linear(
    history: bool, model: LinearModel, instances: Iterable[Instance]
) -> Iterator[ScoredImages]:
    """Gives each image its probability.

    Args:
        history: whether what this game said before is looked at.
        model: what was learned.
        instances: segments, those of a game together and in order.
    """
    judge = Judge(model.ranker)
    describe = _make_describer(history, model.words, Matcher(model.terms))
    for _, segment in follow_games(instances):
        yield choose(segment.images, judge.score(describe(segment, None)), model.bar, segment.text)


def write_choices(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes scores and chosen images as JSON lines."""
    lines = (
        {"instance_id": one.instance_id, "scores": choice.scores, "targets": choice.targets}
        for one, choice in answers
    )
    write_lines(path, lines)


def _take_choice(
    instance: Instance, choice: ScoredImages, tally: Tally
) -> task.ReferencePrediction:
    """Takes the images chosen, and what each of them scored."""
    return task.read_choice(instance, msgspec.structs.asdict(choice), tally)


def _overlap(name: str, title: str, *, history: bool) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=OverlapModel,
        train=partial(train_overlap, history),
        predict=partial(predict_overlap, history),
    )


def _linear(name: str, title: str, *, history: bool) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=LinearModel,
        train=partial(train_linear, history),
        predict=partial(predict_linear, history),
    )


BASELINES = Baselines(
    task="photobook/reference",
    methods=(
        Baseline(
            name="random",
            title="One of the images, any; history cannot help it.",
            model=ChanceModel,
            train=train_chance,
            predict=predict_chance,
        ),
        _overlap(
            "overlap",
            "Words in common with those that are usual for the image in other games.",
            history=False,
        ),
        _overlap(
            "overlap-history",
            "Words in common with what this game said of the image before.",
            history=True,
        ),
        _linear(
            "linear",
            "A linear model of how well the words fit what other games call the image.",
            history=False,
        ),
        _linear(
            "linear-history",
            "The same, and how well they fit what this game said of the image, and how often.",
            history=True,
        ),
        Baseline(
            name="linear-vision",
            title="What this game said of the image, and how well the words fit its picture.",
            model=SeeingModel,
            train=train_seeing,
            predict=predict_seeing,
            sees=True,
        ),
    ),
    write=write_choices,
    take=_take_choice,
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
