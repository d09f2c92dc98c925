"""How language models are asked for the belief state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks.beliefs import convert_belief, list_acts
from commonground.corpora.simmc.tasks.inputs import list_pictures
from commonground.method import Prompt, Reply
from commonground.replies import unify_numbers
from commonground.task import Instance


class AskedAct(msgspec.Struct):
    """An act as a model is asked for it; a slot is its name and its value."""

    act: str
    slots: list[list[str]]


def read_belief(reply: Reply) -> list[BeliefFrame]:
    """Returns the frames of a belief state; values are compared as text, so 25.0 is ``25``."""
    frames = [
        {
            "act": each["act"],
            "slots": [[str(name), str(unify_numbers(slot))] for name, slot in each["slots"]],
        }
        for each in reply.value
    ]
    return list(convert_belief(list_acts(frames)))


def list_belief(instance: Instance) -> Any:
    """Returns the annotated belief state as plain values."""
    return msgspec.to_builtins(instance.gold)


def list_names(said: Any) -> Iterator[str]:
    """Yields the acts and slots that a reply names."""
    for act in said:
        yield str(act["act"])
        yield from (str(name) for name, _value in act["slots"])


def list_labels(instances: Iterable[Instance]) -> dict[str, set[str]]:
    """Lists the acts and slots of annotated belief states."""
    frames = [frame for each in instances for frame in list_belief(each)]
    slots = {name for frame in frames for name, _value in frame["slots"]}
    return {"Acts": {frame["act"] for frame in frames if frame["act"]}, "Slots": slots}


PROMPT = Prompt(
    task="simmc/dst",
    answer=read_belief,
    target=list_belief,
    form=list[AskedAct],
    names=list_names,
    labels=list_labels,
    pictures=list_pictures,
)
