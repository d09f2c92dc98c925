"""How language models are asked to do the tasks of SIMMC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.simmc.tasks.dst_lines import convert_belief
from commonground.corpora.simmc.tasks.dst_turns import list_acts
from commonground.method import Prompt, Reply, Told
from commonground.metrics.simmc_dst import BeliefFrame
from commonground.task import Instance

_SCENE = "An assistant in a shop talks with a user about the furniture or clothes in view. "
_UNLIKELY = -20.0
_ACTIONS = (
    "None",
    "AddToCart",
    "FocusOnFurniture",
    "NavigateCarousel",
    "Rotate",
    "SearchDatabase",
    "SearchFurniture",
    "SearchMemory",
    "SpecifyInfo",
)


def read_action(reply: Reply) -> dict[str, Any]:
    """Returns an action with its attributes; all that is not chosen is next to impossible."""
    action = str(reply.value["action"])
    logs = {**dict.fromkeys(_ACTIONS, _UNLIKELY), action: 0.0}
    attributes = dict(reply.value.get("attributes") or {})
    return {"action": action, "action_log_prob": logs, "attributes": attributes}


def list_action(instance: Instance) -> dict[str, Any]:
    """Returns the annotated action in the form that is asked for."""
    told = instance.gold.get("action_supervision") or {}
    attributes = (told["args"] or {}) if "args" in told else told
    return {"action": instance.gold["action"], "attributes": attributes}


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


def read_candidate(reply: Reply) -> dict[str, list[float]]:
    """Returns a score of 1 for the candidate that is chosen."""
    return {
        "scores": [float(n == reply.value) for n in range(len(reply.instance.inputs["candidates"]))]
    }


def tell_turns(instance: Instance) -> Iterator[Told]:
    """Yields numbers of turns; history lists those before, from 0."""
    for turn in (*range(len(instance.inputs["history"])), instance.inputs["turn_idx"]):
        yield Told("events.turn", turn)


def tell_candidates(instance: Instance) -> Iterator[Told]:
    """Yields numbers of turns and of candidates, and which of these is right."""
    yield from tell_turns(instance)
    for number in range(len(instance.inputs["candidates"])):
        yield Told("candidates.position", number, instance.event)
        yield Told("candidates.gold", number == instance.gold, instance.event)


PROMPTS = (
    Prompt(
        task="simmc/actions",
        ask=f"{_SCENE}Say which API the assistant calls after the user's words (`transcript`), "
        'and with what. Answer with JSON only, such as {"action": "SpecifyInfo", "attributes": '
        '{"attributes": ["price"]}}; the action is "None" where no API is called.',
        answer=read_action,
        target=list_action,
        tells=tell_turns,
    ),
    Prompt(
        task="simmc/dst",
        ask=f"{_SCENE}Say what the user wants after the last words (`transcript`): the belief "
        "state. Answer with JSON only: a list of dialogue acts with slots, such as "
        '[{"act": "DA:ASK:GET:CLOTHING.price", "slots": [["fashion-O", "OBJECT_0"]]}].',
        answer=read_belief,
        target=list_belief,
        tells=tell_turns,
    ),
    Prompt(
        task="simmc/generation",
        ask=f"{_SCENE}Answer with the assistant's next words only.",
        answer=lambda reply: {"response": reply.value},
        target=lambda instance: instance.gold,
        tells=tell_turns,
        is_text=True,
    ),
    Prompt(
        task="simmc/retrieval",
        ask=f"{_SCENE}Say which of the `candidates` the assistant says next. Answer with its "
        "number only.",
        answer=read_candidate,
        target=lambda instance: instance.gold,
        tells=tell_candidates,
    ),
)
