"""Simple ways to find the images that a segment is about, without and with the game before it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import ChanceModel, Judge, Ranker, train_chance
from commonground.corpora.photobook.tasks.reference.evidence import (
    ENOUGH_GAMES,
    ScoredImages,
    SegmentHistory,
    choose,
    compare_values,
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
from commonground.corpora.photobook.tasks.reference.task import read_choice
from commonground.corpora.photobook.tasks.sight import Example, Sight, SightTraining, measure_sight
from commonground.files.predictions import write_lines
from commonground.method import Baseline, Baselines, Encode, TrainingSet
from commonground.task import Instance

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


# A listener that sees: what was said of an image in this game, and how well words fit its picture.
# What other games call an image is not asked, so that images may be new.

_SCALE = 0.15  # a lead of sight that counts as one


class SeeingModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        terms: in how many segments each word is.
        sight: what words say of pictures.
        ranker: weights of the features of a pair of segment and image.
        bar: score from which an image is chosen; the best one always is.
    """

    terms: TermCounts
    sight: Sight
    ranker: Ranker
    bar: float


def describe_seen(
    segment: SegmentHistory, sight: Sequence[float], matcher: Matcher
) -> list[dict[str, float]]:
    """Says how well the words fit each picture, and what this game called it before.

    Args:
        segment: the segment.
        sight: what speaks for each picture.
        matcher: compares texts.
    """
    shown = {f"{min(10, len(segment.images))} images": 1.0}
    found = []
    for place, history in enumerate(describe_history(segment, matcher)):
        fit = {"sight": sight[place] / _SCALE} | compare_values("sight", sight, place, _SCALE)
        when = "again" if segment.earlier[place] else "new"
        found.append(shown | history | fit | {f"{when} {name}": v for name, v in fit.items()})
    return found


def train_seeing(training: TrainingSet) -> SeeingModel:
    """Learns what words say of pictures, and to weigh it against what was said before.

    Raises:
        NothingToLearnError: there is no segment to learn from.
    """
    instances = training.instances
    learning = SightTraining([_make_example(each) for each in instances], training.encode)
    terms = count_terms(join_text(each.inputs["segment"]) for each in instances)
    matcher = Matcher(terms)
    followed = list(follow_games(draw_games(instances, ENOUGH_GAMES, training.seed)))
    seen = learning.measure_apart([(segment.said, segment.images) for _each, segment in followed])
    pairs = zip(followed, seen, strict=True)
    described = (describe_seen(segment, mine, matcher) for (_each, segment), mine in pairs)
    ranker, bar = train_choice(followed, described)
    return SeeingModel(terms, learning.learn(), ranker, bar)


def _make_example(instance: Instance) -> Example:
    words = set(split_words(join_text(instance.inputs["segment"])))
    return Example(words, instance.inputs["images"], instance.gold)


def predict_seeing(
    model: SeeingModel, instances: Iterable[Instance], encode: Encode
) -> Iterator[ScoredImages]:
    """Gives each image its probability.

    Args:
        model: what was learned.
        instances: segments, those of a game together and in order.
        encode: gives the vectors of pictures.
    """
    judge, matcher = Judge(model.ranker), Matcher(model.terms)
    followed = [segment for _each, segment in follow_games(instances)]
    seen = measure_sight(model.sight, ((each.said, each.images) for each in followed), encode)
    for segment, mine in zip(followed, seen, strict=True):
        scores = judge.score(describe_seen(segment, mine, matcher))
        yield choose(segment.images, scores, model.bar, segment.text)


def write_choices(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes scores and chosen images as JSON lines."""
    lines = (
        {"instance_id": one.instance_id, "scores": choice.scores, "targets": choice.targets}
        for one, choice in answers
    )
    write_lines(path, lines)


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
    take=lambda instance, choice, tally: read_choice(
        instance, msgspec.structs.asdict(choice), tally
    ),
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
