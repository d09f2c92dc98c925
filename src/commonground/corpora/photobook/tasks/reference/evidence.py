"""What speaks for each image that a segment may be about, and the choice that follows from it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.matching import Matcher
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import Judge, Ranker, train_ranker
from commonground.corpora.photobook.tasks.reference.image_words import (
    GameWords,
    ImageWords,
    Words,
    join_text,
    weigh_words,
)
from commonground.task import Instance

_STEPS = 50  # bars that are tried, from 0.02 to 1
_LITTLE = 1e-6  # the part of a score that chance has, to break ties
_MOST = 5  # more mentions than this say no more

ENOUGH_GAMES = 400
"""How many games are enough to weigh one thing against the other."""


def draw_games(instances: Sequence[Instance], most: int, seed: int) -> list[Instance]:
    """Returns the instances of some games, in their order: a few weights are soon learned.

    Args:
        instances: of all games.
        most: games that are enough.
        seed: of the choice.
    """
    # Sorted, as the order of a set of texts is another in each process.
    games = sorted({each.dialogue_id for each in instances})
    drawn = set(random.Random(seed).sample(games, min(most, len(games))))
    return [each for each in instances if each.dialogue_id in drawn]


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
        | compare_values("words fit", sums, place, 5.0)
        | compare_values("mean fit", means, place, 1.0)
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
            | compare_values(f"{now} nearest", nearest, place, 0.3)
            | compare_values("latest", latest, place, 0.3)
        )
    return found


def _measure(segment: SegmentHistory, fit: Callable[[Sequence[str]], float]) -> list[float]:
    return [fit(texts) if texts else 0.0 for texts in segment.earlier]


def compare_values(
    name: str, values: Sequence[float], place: int, scale: float
) -> dict[str, float]:
    """Compares a value with the best of the others.

    Args:
        name: of the value.
        values: of all images.
        place: of the image in question.
        scale: unit of the difference.
    """
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


def train_choice(
    instances: Iterable[tuple[Instance, SegmentHistory]],
    described: Iterable[list[dict[str, float]]],
) -> tuple[Ranker, float]:
    """Learns to judge each image by features of it, and the bar from which it is chosen."""
    examples = []
    for (each, segment), features in zip(instances, described, strict=True):
        right = {place for place, image in enumerate(segment.images) if image in each.gold}
        examples.append((features, right))
    ranker = train_ranker(examples, single=False)
    judge = Judge(ranker)
    bar = learn_bar(
        (judge.score(group), [place in right for place in range(len(group))])
        for group, right in examples
    )
    return ranker, bar


def _measure_f1(chosen: NDArray[np.bool_], gold: NDArray[np.bool_]) -> float:
    return float(2 * (chosen & gold).sum() / (chosen.sum() + gold.sum()))
