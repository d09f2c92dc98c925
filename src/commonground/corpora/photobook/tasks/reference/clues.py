"""What speaks for each image that a segment may be about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from commonground.corpora.photobook.tasks.reference.image_words import (
    GameWords,
    ImageWords,
    Words,
    join_text,
    weigh_words,
)
from commonground.learners.matching import Matcher
from commonground.learners.ngrams import split_words
from commonground.task import Instance

_MOST = 5  # more mentions than this say no more


class Told(msgspec.Struct, frozen=True):
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


def follow_games(instances: Iterable[Instance]) -> Iterator[tuple[Instance, Told]]:
    """Yields each segment with what was said before it; those of a game come in order."""
    display: tuple[str, tuple[str, ...]] = ("", ())
    at_start: list[int] = []
    for each in instances:
        images = each.inputs["images"]
        history = [each.inputs["history"][image] for image in images]
        counts = [len(told) for told in history]
        if display != (each.dialogue_id, tuple(images)):
            display, at_start = (each.dialogue_id, tuple(images)), counts
        text = join_text(each.inputs["segment"])
        lately = [now - then for now, then in zip(counts, at_start, strict=True)]
        earlier = [[join_text(segment) for segment in told] for told in history]
        yield each, Told(text, set(split_words(text)), images, earlier, lately)


def describe_names(
    told: Told, known: ImageWords, without: GameWords | None = None
) -> list[dict[str, float]]:
    """Says how well the words fit what other games call each image.

    Args:
        told: the segment.
        known: what other games call each image.
        without: a game among those counted that is to be left out; None for none.
    """
    weights = [weigh_words(known, image, told.said, without) for image in told.images]
    sums, peaks = [sum(mine) for mine in weights], [max(mine, default=0.0) for mine in weights]
    means = [sum(mine) / max(1, len(mine)) for mine in weights]
    shown = min(10, len(told.images))
    return [
        {"words fit": total / 10, "mean fit": mean, "best word": peak / 3, f"{shown} images": 1.0}
        | _compare("words fit", sums, place, 5.0)
        | _compare("mean fit", means, place, 1.0)
        for place, (total, mean, peak) in enumerate(zip(sums, means, peaks, strict=True))
    ]


def describe_history(told: Told, matcher: Matcher) -> list[dict[str, float]]:
    """Says how well the words fit what this game called each image, and how often it did."""
    nearest = _measure(told, lambda texts: max(matcher.cosine(told.text, one) for one in texts))
    latest = _measure(told, lambda texts: matcher.cosine(told.text, texts[-1]))
    length = f"{min(3, len(told.said) // 6)} long"
    found = []
    for place, (texts, lately) in enumerate(zip(told.earlier, told.lately, strict=True)):
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


def _measure(told: Told, fit: Callable[[Sequence[str]], float]) -> list[float]:
    return [fit(texts) if texts else 0.0 for texts in told.earlier]


def _compare(name: str, values: Sequence[float], place: int, scale: float) -> dict[str, float]:
    """Compares a value with the best of the others, in units of a scale."""
    others = max((v for at, v in enumerate(values) if at != place), default=0.0)
    ahead = (values[place] - others) / scale
    return {f"{name} ahead": max(-2.0, min(2.0, ahead)), f"{name} best": float(ahead > 0)}
