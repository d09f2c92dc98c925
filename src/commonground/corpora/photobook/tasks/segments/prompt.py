"""How language models are asked to divide a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.method import Prompt, Reply
from commonground.task import Instance


class AskedSegment(msgspec.Struct):
    """A segment as a model is asked for it.

    Attributes:
        round: from 0.
        messages: numbers of its messages, as the prompt gives them.
        images: paths of what it is about.
    """

    round: int
    messages: list[int]
    images: list[str]


def read_segments(reply: Reply) -> list[list[Any]]:
    """Returns segments: round, numbers of messages, images."""
    found = msgspec.convert(reply.value, list[AskedSegment], strict=False)
    return [[each.round, each.messages, each.images] for each in found]


def say_segments(answered: Reply) -> list[AskedSegment]:
    """Returns the segments of a baseline in the form that is asked for."""
    return [AskedSegment(*row) for row in answered.value]


def list_pictures(instance: Instance) -> Iterator[str]:
    """Yields the pictures of all rounds, again where they are shown again."""
    for part in instance.inputs["rounds"]:
        yield from part["images"]


def list_segments(instance: Instance) -> list[AskedSegment]:
    """Returns the right segments in the form that is asked for."""
    return [AskedSegment(*row[1:]) for row in instance.gold]


def list_names(said: Any) -> Iterator[str]:
    """Yields the images that a reply names."""
    for segment in said:
        yield from map(str, segment["images"])


PROMPT = Prompt(
    task="photobook/segments",
    answer=read_segments,
    say=say_segments,
    target=list_segments,
    form=list[AskedSegment],
    pictures=list_pictures,
    names=list_names,
)
