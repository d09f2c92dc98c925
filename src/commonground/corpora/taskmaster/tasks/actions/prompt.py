"""How language models are asked what the agent does next."""

from __future__ import annotations

from commonground.method import Prompt

PROMPT = Prompt(
    task="taskmaster3/actions",
    ask="An agent helps a user to order or to buy tickets, and may call APIs. Say what the "
    "agent does next. Answer with one line in the tag language of `context` only: "
    "`[A]` and the words, or `[PN]` and the name of an API, then `[PAN]argument[PAV]value` "
    "for each argument.",
    answer=lambda reply: {"target": reply.value},
    target=lambda instance: instance.gold,
    is_text=True,
)
