"""How language models are asked for the entities of an utterance."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.method import Prompt, Reply
from commonground.replies import read_whole


class AskedSpan(msgspec.Struct):
    """A span as a model is asked for it.

    Attributes:
        start: first code point.
        end: the code point behind the last.
        label: one of those that the prompt lists.
    """

    start: int
    end: int
    label: str


def read_spans(reply: Reply) -> dict[str, Any]:
    """Returns a model's spans as predictions have them: whole numbers, and labels as text."""
    return {"spans": [_read_span(each) for each in reply.value]}


def _read_span(said: dict[str, Any]) -> dict[str, Any]:
    start, end = (read_whole(said[name]) for name in ("start", "end"))
    return {"start": start, "end": end, "label": str(said["label"])}


PROMPT = Prompt(
    task="taskmaster3/spans",
    answer=read_spans,
    say=lambda answered: answered.value["spans"],
    target=lambda instance: instance.gold or [],
    form=list[AskedSpan],
    names=lambda said: (str(each["label"]) for each in said),
)
