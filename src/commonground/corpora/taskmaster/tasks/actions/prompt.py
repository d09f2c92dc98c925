"""How language models are asked what the agent does next."""

from __future__ import annotations

from commonground.method import Prompt

PROMPT = Prompt(
    task="taskmaster3/actions",
    answer=lambda reply: {"target": reply.value},
    target=lambda instance: instance.gold,
    is_text=True,
)
