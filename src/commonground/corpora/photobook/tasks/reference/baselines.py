"""Simple ways to find the images that a segment is about, without and with the game before it.

What speaks for each image comes first, then the models that weigh it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import Judge, Ranker, train_ranker
from commonground.corpora.photobook.tasks.reference import task
from commonground.corpora.photobook.tasks.reference.image_words import (
    GameWords,
    ImageWords,
    Words,
    collect_words,
    count_words,
    join_text,
    list_usual_words,
    measure_overlap,
    weigh_words,
)
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance, Tally

_STEPS = 50  # bars that are tried, from 0.02 to 1
_LITTLE = 1e-6  # the part of a score that chance has, to break ties
_MOST = 5  # more mentions than this say no more


class SegmentHistory(msgspec.Struct, frozen=True):
    """A segment and what was said before it.

    Attributes:
        text: its words.
        said: the same, each once.
        images: the images that it may be about.
        earlier: for each image the texts of the segments about it, in order.
        lately: for each image how many of these are from the same display.
    """

    text: str
    said: Words
    images: list[str]
    earlier: list[list[str]]
    lately: list[int]


def follow_games(instances: Iterable[Instance]) -> Iterator[tuple[Instance, SegmentHistory]]:
    """Yields each segment with what was said before it; those of a game come in order."""
    display: tuple[str, tuple[str, ...]] = ("", ())
    at_start: list[int] = []
    for each in instances:
        images = each.inputs["images"]
        history = [each.inputs["history"][image] for image in images]
        counts = [len(texts) for texts in history]
        # Counted when a display comes up: what is there beyond that was said on it.
        if display != (each.dialogue_id, tuple(images)):
            display, at_start = (each.dialogue_id, tuple(images)), counts
        text = join_text(each.inputs["segment"])
        lately = [now - then for now, then in zip(counts, at_start, strict=True)]
        earlier = [[join_text(one) for one in mentions] for mentions in history]
        yield each, SegmentHistory(text, set(split_words(text)), images, earlier, lately)


def describe_names(
    segment: SegmentHistory, known: ImageWords, without: GameWords | None = None
) -> list[dict[str, float]]:
    """Says how well the words fit what other games call each image.

    Args:
        segment: the segment.
        known: what other games call each image.
        without: a game among those counted that is to be left out; None for none.
    """
    weights = [weigh_words(known, image, segment.said, without) for image in segment.images]
    sums, peaks = [sum(mine) for mine in weights], [max(mine, default=0.0) for mine in weights]
    means = [sum(mine) / max(1, len(mine)) for mine in weights]
    shown = min(10, len(segment.images))
    return [
        {"words fit": total / 10, "mean fit": mean, "best word": peak / 3, f"{shown} images": 1.0}
        | _compare("words fit", sums, place, 5.0)
        | _compare("mean fit", means, place, 1.0)
        for place, (total, mean, peak) in enumerate(zip(sums, means, peaks, strict=True))
    ]


def describe_history(segment: SegmentHistory, matcher: Matcher) -> list[dict[str, float]]:
    """Says how well the words fit what this game called each image, and how often it did."""
    nearest = _measure(
        segment, lambda texts: max(matcher.cosine(segment.text, one) for one in texts)
    )
    latest = _measure(segment, lambda texts: matcher.cosine(segment.text, texts[-1]))
    length = f"{min(3, len(segment.said) // 6)} long"
    found = []
    for place, (texts, lately) in enumerate(zip(segment.earlier, segment.lately, strict=True)):
        times, now = min(_MOST, len(texts)), min(2, lately)
        found.append(
            {
                f"{times} times": 1.0,
                f"{now} lately": 1.0,
                f"{min(1, times)} {now} {length}": 1.0,
                "nearest": nearest[place],
                "latest": latest[place],
                f"{now} nearest": nearest[place],
            }
            | _compare(f"{now} nearest", nearest, place, 0.3)
            | _compare("latest", latest, place, 0.3)
        )
    return found


def _measure(segment: SegmentHistory, fit: Callable[[Sequence[str]], float]) -> list[float]:
    return [fit(texts) if texts else 0.0 for texts in segment.earlier]


def _compare(name: str, values: Sequence[float], place: int, scale: float) -> dict[str, float]:
    """Compares a value with the best of the others, in units of a scale."""
    others = max((v for at, v in enumerate(values) if at != place), default=0.0)
    ahead = (values[place] - others) / scale
    # Bounded, so that one image far ahead of all does not outweigh every other feature.
    return {f"{name} ahead": max(-2.0, min(2.0, ahead)), f"{name} best": float(ahead > 0)}


class ScoredImages(msgspec.Struct, frozen=True):
    """The score of each image, and the images that are chosen."""

    scores: dict[str, float]
    targets: list[str]


def choose(images: Sequence[str], scores: Sequence[float], bar: float, key: str) -> ScoredImages:
    """Chooses the images whose score is at least a bar; the best one always.

    Equal scores are set a little apart, as only chance and the key decide.

    Args:
        images: their paths.
        scores: a score for each, the higher the likelier.
        bar: score from which an image is chosen.
        key: decides between equals, the same on every machine.
    """
    rng = random.Random(key)
    # Within 0 and 1 still, so that a bar of 1 is met by a score of 1 and luck alone.
    scores = [score * (1 - _LITTLE) + _LITTLE * rng.random() for score in scores]
    best = max(range(len(images)), key=scores.__getitem__, default=None)
    chosen = [
        image
        for place, (image, score) in enumerate(zip(images, scores, strict=True))
        if score >= bar or place == best
    ]
    return ScoredImages(dict(zip(images, scores, strict=True)), chosen)


def learn_bar(examples: Iterable[tuple[Sequence[float], Sequence[bool]]]) -> float:
    """Finds the bar that gives the best F1 over all images of all examples.

    Args:
        examples: scores from 0 to 1, and which of them are of right images.
    """
    scores: list[float] = []
    right: list[bool] = []
    always: list[bool] = []
    for mine, wanted in examples:
        best = max(range(len(mine)), key=mine.__getitem__, default=None)
        # One long list of pairs of segment and image: F1 is over all of them.
        scores += mine
        right += wanted
        always += [place == best for place in range(len(mine))]
    values, gold, sure = np.array(scores), np.array(right, bool), np.array(always, bool)
    bars = np.linspace(1 / _STEPS, 1, _STEPS)
    # Where nothing is right no bar is better than another: only the best image is chosen.
    if not gold.any():
        return 1.0
    # The best image of an example is chosen whatever the bar, here as in `choose`.
    return float(max(bars, key=lambda bar: _measure_f1((values >= bar) | sure, gold)))


def _measure_f1(chosen: NDArray[np.bool_], gold: NDArray[np.bool_]) -> float:
    return float(2 * (chosen & gold).sum() / (chosen.sum() + gold.sum()))


_USUAL = 0.1
"""Share of games that make a word a usual one for an image."""
_GAMES = 400
"""How many games are enough to weigh one thing against the other."""


class ChanceModel(msgspec.Struct, frozen=True):
    """What guessing needs: the seed that images are drawn with."""

    seed: int


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


def train_chance(training: TrainingSet) -> ChanceModel:
    """Keeps the seed, of which the choice of each segment is drawn by itself."""
    return ChanceModel(training.seed)


def predict_chance(model: ChanceModel, instances: Iterable[Instance]) -> Iterator[ScoredImages]:
    """Chooses one of the displayed images by lot."""
    for each in instances:
        rng = random.Random(f"{model.seed}/{each.instance_id}")
        # No score reaches a bar of 1, so that the best image alone is chosen.
        yield choose(each.inputs["images"], [rng.random() for _ in each.inputs["images"]], 1.0, "")


def _count_all(instances: Iterable[Instance]) -> TermCounts:
    return count_terms(join_text(each.inputs["segment"]) for each in instances)


def _draw_games(instances: Sequence[Instance], seed: int) -> list[Instance]:
    """Returns the segments of some games: a few weights are soon learned."""
    # Sorted, as the order of a set of texts is another in each process.
    games = sorted({each.dialogue_id for each in instances})
    drawn = set(random.Random(seed).sample(games, min(_GAMES, len(games))))
    return [each for each in instances if each.dialogue_id in drawn]


def train_overlap(history: bool, training: TrainingSet) -> OverlapModel:
    """Counts words, and finds from which overlap on an image is to be chosen."""
    terms = _count_all(training.instances)
    words = count_words(collect_words(training.instances))
    model = OverlapModel(terms, words, 1.0)
    some = _draw_games(training.instances, training.seed)
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
    examples = []
    for each, segment in follow_games(_draw_games(training.instances, training.seed)):
        right = {place for place, image in enumerate(segment.images) if image in each.gold}
        examples.append((describe(segment, games[each.dialogue_id]), right))
    ranker = train_ranker(examples, single=False)
    judge = Judge(ranker)
    bar = learn_bar(
        (judge.score(group), [place in right for place in range(len(group))])
        for group, right in examples
    )
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
    with path.open("wb") as file:
        for instance, choice in answers:
            line = {
                "instance_id": instance.instance_id,
                "scores": choice.scores,
                "targets": choice.targets,
            }
            file.write(msgspec.json.encode(line) + b"\n")


def take_choice(instance: Instance, choice: ScoredImages, tally: Tally) -> task.ReferencePrediction:
    """Takes the images chosen, and what each of them scored.

    Args:
        instance: the segment.
        choice: the choice.
        tally: counts its faults.
    """
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
    ),
    write=write_choices,
    take=take_choice,
    train_split="train",
    test_split="test",
    ending=".jsonl",
)
