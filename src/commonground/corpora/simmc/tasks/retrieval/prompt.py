"""How language models are asked to choose among candidates."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.simmc.tasks.inputs import SCENE, tell_turns
from commonground.method import Prompt, Reply, Told
from commonground.task import Instance


def read_candidate(reply: Reply) -> dict[str, list[float]]:
    """Returns a score of 1 for the candidate that is chosen."""
    return {
        "scores": [float(n == reply.value) for n in range(len(reply.instance.inputs["candidates"]))]
    }


def tell_candidates(instance: Instance) -> Iterator[Told]:
    """Yields numbers of turns and of candidates, and which of these is right."""
    yield from tell_turns(instance)
    for number in range(len(instance.inputs["candidates"])):
        yield Told("candidates.position", number, instance.event)
        yield Told("candidates.gold", number == instance.gold, instance.event)


PROMPT = Prompt(
    task="simmc/retrieval",
    ask=f"{SCENE}Say which of the `candidates` the assistant says next. Answer with its "
    "number only.",
    answer=read_candidate,
    target=lambda instance: instance.gold,
    tells=tell_candidates,
)
