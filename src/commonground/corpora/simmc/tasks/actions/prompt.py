"""How language models are asked for the next API call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.bench.metrics.simmc_actions import unnest_attributes
from commonground.corpora.simmc.tasks.inputs import list_pictures
from commonground.method import Prompt, Reply, write_signatures
from commonground.replies import read_number, read_object
from commonground.task import Instance


class AskedAction(msgspec.Struct):
    """An action as a model is asked for it."""

    action: str
    attributes: dict[str, list[str] | str] = {}


def read_action(reply: Reply) -> dict[str, Any]:
    """Returns an action with its attributes.

    Who has log probabilities may say them, as predictions do: ``action_log_prob``; it is empty for
    a mere choice, of which no perplexity can be computed.
    """
    logs = reply.value.get("action_log_prob") or {}
    return {
        "action": str(reply.value["action"]),
        "action_log_prob": {name: read_number(value) for name, value in logs.items()},
        "attributes": dict(read_object(reply.value.get("attributes")) or {}),
    }


def write_call(_said: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Writes a call as the action that is asked for; no call is the action ``None``.

    Raises:
        ValueError: there are several.
    """
    if len(calls) > 1:
        raise ValueError(f"expected one call, found {len(calls)}")
    name, arguments = calls[0] if calls else ("None", {})
    return msgspec.json.encode({"action": name, "attributes": arguments}).decode()


def list_action(instance: Instance) -> dict[str, Any]:
    """Returns the annotated action in the form that is asked for."""
    attributes = unnest_attributes(instance.gold.get("action_supervision"))
    return {"action": instance.gold["action"], "attributes": attributes}


def list_names(said: Any) -> Iterator[str]:
    """Yields the API that a reply names, and its attributes."""
    yield str(said["action"])
    yield from map(str, dict(said.get("attributes") or {}))


def list_labels(instances: Iterable[Instance]) -> dict[str, Iterable[str]]:
    """Lists the APIs of annotated turns with their arguments, and the attributes they ask about."""
    actions = [list_action(each) for each in instances]
    calls = [(each["action"], each["attributes"]) for each in actions if each["action"] != "None"]
    named = (arguments.get("attributes") for _name, arguments in calls)
    values = {value for each in named if isinstance(each, list) for value in each}
    return {"APIs": write_signatures(calls), "Values of `attributes`": values}


PROMPT = Prompt(
    task="simmc/actions",
    answer=read_action,
    target=list_action,
    form=AskedAction,
    called=write_call,
    names=list_names,
    labels=list_labels,
    pictures=list_pictures,
)
