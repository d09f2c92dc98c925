"""How language models are asked what the agent does next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commonground.corpora.taskmaster.tasks.actions.targets import Target, make_call, render_target
from commonground.method import Prompt


def write_call(said: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Writes what the agent calls, or says where it calls nothing, in the tag language.

    Models say what they are about to call; agents of the corpus did not.

    Raises:
        ValueError: there are several calls.
    """
    if len(calls) > 1:
        raise ValueError(f"expected one call, found {len(calls)}")
    if calls:
        return render_target(Target(call=make_call(*calls[0])))
    return render_target(Target(said.strip() or None))


PROMPT = Prompt(
    task="taskmaster3/actions",
    answer=lambda reply: {"target": reply.value},
    target=lambda instance: instance.gold,
    called=write_call,
    is_text=True,
)
