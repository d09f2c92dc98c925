"""How language models are asked what the agent does next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from commonground.corpora.taskmaster.tasks.actions.targets import Target, make_call, render_target
from commonground.method import Prompt, Reply
from commonground.replies import unify_numbers

# Such as: [PN]find_movies[PAN]name.movie[PAV]Dune
_API = re.compile(r"\[PN\]([^\[]*)")


def write_call(said: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Writes what the agent calls, or says where it calls nothing, in the tag language.

    Models say what they are about to call; agents of the corpus did not. Arguments of the corpus
    are texts, in which a whole number has no point.

    Raises:
        ValueError: there are several calls.
    """
    if len(calls) > 1:
        raise ValueError(f"expected one call, found {len(calls)}")
    if calls:
        return render_target(Target(call=make_call(calls[0][0], unify_numbers(calls[0][1]))))
    return render_target(Target(said.strip() or None))


def say_target(answered: Reply) -> str:
    """Writes the words or the call of a baseline in the tag language."""
    told = answered.value
    if "target" in told:
        return str(told["target"])
    call = told.get("call")
    made = None if call is None else make_call(call["name"], call.get("arguments"))
    return render_target(Target(told.get("text"), made))


PROMPT = Prompt(
    task="taskmaster3/actions",
    answer=lambda reply: {"target": reply.value},
    say=say_target,
    target=lambda instance: instance.gold,
    called=write_call,
    names=_API.findall,
    is_text=True,
)
