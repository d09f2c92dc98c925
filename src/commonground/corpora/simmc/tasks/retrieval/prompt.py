"""How language models are asked to choose among candidates."""

from __future__ import annotations

from commonground.corpora.simmc.tasks.inputs import list_pictures
from commonground.method import Prompt, Reply


def read_candidates(reply: Reply) -> dict[str, list[float]]:
    """Returns scores of the candidates, in the released order."""
    return {"scores": reply.score_candidates(len(reply.instance.inputs["candidates"]))}


PROMPT = Prompt(
    task="simmc/retrieval",
    answer=read_candidates,
    say=lambda answered: answered.say_scores(answered.value["scores"]),
    target=lambda instance: [instance.gold],
    form=list[int],
    # Where files tell no `gt_index`, the first candidate is the right one.
    shuffled="candidates",
    pictures=list_pictures,
)
