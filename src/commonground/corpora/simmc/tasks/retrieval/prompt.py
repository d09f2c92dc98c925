"""How language models are asked to choose among candidates."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.simmc.tasks.inputs import list_pictures, tell_turns
from commonground.method import Prompt, Reply, Told
from commonground.task import Instance


def read_candidates(reply: Reply) -> dict[str, list[float]]:
    """Returns scores of the candidates, in the released order."""
    return {"scores": reply.score_candidates(len(reply.instance.inputs["candidates"]))}


def tell_candidates(instance: Instance) -> Iterator[Told]:
    """Yields numbers of turns and of candidates, and which of these is right."""
    yield from tell_turns(instance)
    for number in range(len(instance.inputs["candidates"])):
        yield Told("candidates.position", number, instance.event)
        yield Told("candidates.gold", number == instance.gold, instance.event)


PROMPT = Prompt(
    task="simmc/retrieval",
    answer=read_candidates,
    say=lambda answered: answered.say_scores(answered.value["scores"]),
    target=lambda instance: [instance.gold],
    form=list[int],
    # Where files tell no `gt_index`, the first candidate is the right one.
    shuffled="candidates",
    pictures=list_pictures,
    tells=tell_candidates,
)
