"""How language models are asked for the belief state."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.corpora.simmc.tasks.beliefs import convert_belief, list_acts
from commonground.corpora.simmc.tasks.inputs import SCENE, tell_turns
from commonground.method import Prompt, Reply
from commonground.metrics.simmc_dst import BeliefFrame
from commonground.task import Instance


def read_belief(reply: Reply) -> list[BeliefFrame]:
    """Returns the frames of a belief state."""
    frames = [
        {"act": each["act"], "slots": [[str(name), str(slot)] for name, slot in each["slots"]]}
        for each in reply.value
    ]
    return list(convert_belief(list_acts(frames)))


def list_belief(instance: Instance) -> Any:
    """Returns the annotated belief state as plain values."""
    return msgspec.to_builtins(instance.gold)


PROMPT = Prompt(
    task="simmc/dst",
    ask=f"{SCENE}Say what the user wants after the last words (`transcript`): the belief "
    "state. Answer with JSON only: a list of dialogue acts with slots, such as "
    '[{"act": "DA:ASK:GET:CLOTHING.price", "slots": [["fashion-O", "OBJECT_0"]]}].',
    answer=read_belief,
    target=list_belief,
    tells=tell_turns,
)
