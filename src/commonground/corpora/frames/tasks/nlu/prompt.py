"""How language models are asked for the acts of a user turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.method import Prompt, Reply
from commonground.replies import unify_numbers
from commonground.task import Instance

Act = dict[str, Any]


class AskedSlot(msgspec.Struct):
    """A slot as a model is asked for it; None where the user asks for its value."""

    key: str
    val: str | float | bool | None = None


class AskedAct(msgspec.Struct):
    """An act as a model is asked for it."""

    name: str
    args: list[AskedSlot]


def read_acts(reply: Reply) -> list[Act]:
    """Returns acts with their slots; ``val`` may be missing.

    Values are compared letter by letter, so a number is written as in the corpus: 25 for 25.0.
    """
    return [
        {
            "name": str(act["name"]),
            "args": [{"key": str(arg["key"]), **unify_numbers(arg)} for arg in act["args"]],
        }
        for act in reply.value
    ]


def list_names(said: Any) -> Iterator[str]:
    """Yields the acts and slots that a reply names."""
    for act in said:
        yield str(act["name"])
        yield from (str(slot["key"]) for slot in act["args"])


def list_labels(instances: Iterable[Instance]) -> dict[str, set[str]]:
    """Lists the acts and slots of annotated turns."""
    acts: list[Act] = [act for each in instances for act in each.gold]
    slots = {arg["key"] for act in acts for arg in act["args"]}
    return {"Acts": {act["name"] for act in acts}, "Slots": slots}


PROMPT = Prompt(
    task="frames/nlu",
    answer=read_acts,
    target=lambda instance: instance.gold,
    form=list[AskedAct],
    names=list_names,
    labels=list_labels,
)
