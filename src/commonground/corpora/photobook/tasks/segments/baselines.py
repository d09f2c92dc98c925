"""Simple ways to divide a game into segments: by selections, by number of texts, by round.

What counts as right was found from selections, so a way that looks at them has an advantage
that none has where there are no clicks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.photobook.segments import RoundMessage, parse_item
from commonground.corpora.photobook.tasks.segments.task import read_segments
from commonground.method import Baseline, Baselines, TrainingSet
from commonground.task import Instance

_USUAL = 3  # messages of a segment, where nothing was learned


class PredictedSegment(msgspec.Struct):
    """A segment: numbers of its messages in the game, and paths of its images."""

    messages: list[int]
    targets: set[str]


class LengthModel(msgspec.Struct, frozen=True):
    """The usual number of messages of a segment."""

    length: int


Divide = Callable[[list[RoundMessage], int], Iterator[PredictedSegment]]
"""Divides the messages of one round into segments of a usual number of messages."""


def train_length(training: TrainingSet) -> LengthModel:
    """Takes the mean number of messages of the annotated segments, rounded."""
    lengths = [len(messages) for each in training.instances for _, _, messages, _ in each.gold]
    return LengthModel(max(1, round(sum(lengths) / len(lengths))) if lengths else _USUAL)


def predict(
    divide: Divide, model: LengthModel, instances: Iterable[Instance]
) -> Iterator[list[tuple[int, list[int], list[str]]]]:
    """Divides each round by itself.

    Args:
        divide: the way to divide a round.
        model: the usual length of a segment.
        instances: games.
    """
    for each in instances:
        yield [
            (number, segment.messages, sorted(segment.targets))
            for number, shown in enumerate(each.inputs["rounds"])
            for segment in divide([parse_item(*said) for said in shown["messages"]], model.length)
            if segment.messages and segment.targets
        ]


def divide_at_selections(items: list[RoundMessage], _length: int) -> Iterator[PredictedSegment]:
    """Ends a segment with the first selections after its texts; it is about these images."""
    segment = PredictedSegment([], set())
    for item in items:
        if item.is_text and segment.targets:
            yield segment
            segment = PredictedSegment([], set())
        if item.is_text:
            segment.messages.append(item.number)
        elif item.click is not None and segment.messages:
            segment.targets.add(item.click.image)
    yield segment


def divide_by_length(items: list[RoundMessage], length: int) -> Iterator[PredictedSegment]:
    """Takes so many texts at a time; they are about the image that is selected most near them.

    Near are selections between the texts, and the next one after them.
    """
    texts = [place for place, item in enumerate(items) if item.is_text]
    for start in range(0, len(texts), length):
        mine = texts[start : start + length]
        after = next((i for i, x in enumerate(items) if x.click and i > mine[-1]), len(items))
        near = Counter(x.click.image for x in items[mine[0] : after + 1] if x.click)
        if near:
            yield PredictedSegment([items[i].number for i in mine], {near.most_common(1)[0][0]})


def divide_by_round(items: list[RoundMessage], _length: int) -> Iterator[PredictedSegment]:
    """Takes a round as one segment that is about all images selected in it."""
    yield PredictedSegment(
        [item.number for item in items if item.is_text],
        {item.click.image for item in items if item.click is not None},
    )


def write_segments(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes segments as a JSON list."""
    rows = [[int(each.dialogue_id), *row] for each, found in answers for row in found]
    path.write_bytes(msgspec.json.encode(rows))


def _method(name: str, title: str, divide: Divide) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        model=LengthModel,
        train=train_length,
        predict=partial(predict, divide),
    )


BASELINES = Baselines(
    task="photobook/segments",
    methods=(
        _method("rounds", "One segment a round, about all that is selected.", divide_by_round),
        _method(
            "fixed-length",
            "A usual number of messages a segment, about the image selected nearest.",
            divide_by_length,
        ),
        _method(
            "selections",
            "Texts up to the next selections, about what is selected.",
            divide_at_selections,
        ),
    ),
    write=write_segments,
    take=lambda instance, rows, tally: read_segments(
        instance.right.game, instance.instance_id, rows, tally
    ),
    train_split="train",
    test_split="test",
)
