"""How language models are asked to do the tasks of MPChat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonground.method import Prompt, Reply, Told
from commonground.task import Instance

_THREAD = "A thread on Reddit begins with a post, perhaps with a picture; `context` has what was "
_NUMBER = " Answer with the number of the candidate only."


def read_candidate(reply: Reply) -> list[float]:
    """Returns a score of 1 for the candidate that is chosen."""
    return [float(n == reply.value) for n in range(len(reply.instance.inputs["candidates"]))]


def find_candidate(instance: Instance) -> int | None:
    """Returns the number of the right candidate; null where it is not among them."""
    gold = instance.gold
    for number, each in enumerate(instance.inputs.get("candidates", ())):
        if each == gold or _is_part(each, gold):
            return number
    return None


def _is_part(each: Any, gold: Any) -> bool:
    both = isinstance(each, dict) and isinstance(gold, dict)
    return both and all(gold.get(name) == value for name, value in each.items())


def tell_candidates(instance: Instance) -> Iterator[Told]:
    """Yields numbers of candidates, and which is right."""
    right = find_candidate(instance)
    for number in range(len(instance.inputs["candidates"])):
        yield Told("candidates.position", number, instance.event)
        yield Told("candidates.gold", number == right, instance.event)


PROMPTS = (
    Prompt(
        task="mpchat/nrp",
        ask=f"{_THREAD}said. `personas` tells who its author is. Say which of the `candidates` "
        f"the author says next.{_NUMBER}",
        answer=read_candidate,
        target=find_candidate,
        tells=tell_candidates,
    ),
    Prompt(
        task="mpchat/gpp",
        ask=f"{_THREAD}said before the author's `response`. `personas` tells who the author is. "
        f"Say which of the `candidates` the response is grounded on.{_NUMBER}",
        answer=read_candidate,
        target=find_candidate,
        tells=tell_candidates,
    ),
    Prompt(
        task="mpchat/si",
        ask=f"{_THREAD}said before `response`. Each of the `candidates` is the persona of an "
        f"author. Say whose response it is.{_NUMBER}",
        answer=read_candidate,
        target=find_candidate,
        tells=tell_candidates,
    ),
)
