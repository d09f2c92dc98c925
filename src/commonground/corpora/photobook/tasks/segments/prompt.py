"""How language models are asked to divide a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonground.method import Prompt, Reply, Told
from commonground.task import Instance


def read_segments(reply: Reply) -> list[list[Any]]:
    """Returns segments: round, numbers of messages, images."""
    return [[int(part), [int(n) for n in said], [*images]] for part, said, images in reply.value]


def tell_rounds(instance: Instance) -> Iterator[Told]:
    """Yields numbers of rounds, which the store counts from 1, and of messages."""
    for number, part in enumerate(instance.inputs["rounds"], 1):
        yield Told("displays.segment", number)
        for event, _speaker, _text in part["messages"]:
            yield Told("events.event", event, event)
            yield Told("events.segment", number, event)


PROMPT = Prompt(
    task="photobook/segments",
    ask="Two players, A and B, see sets of pictures that overlap, and describe them over "
    "several rounds to find out which they share. Divide the game into segments: the numbers "
    "of the messages that are about the same pictures, and these pictures. Answer with JSON "
    "only: a list of segments, each [number of the round from 0, [numbers of messages], "
    "[names of pictures]].",
    answer=read_segments,
    target=lambda instance: [row[1:] for row in instance.gold],
    tells=tell_rounds,
)
