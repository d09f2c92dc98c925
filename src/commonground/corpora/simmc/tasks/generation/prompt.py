"""How language models are asked for the assistant's words."""

from __future__ import annotations

from commonground.corpora.simmc.tasks.inputs import tell_turns
from commonground.method import Prompt

PROMPT = Prompt(
    task="simmc/generation",
    answer=lambda reply: {"response": reply.value},
    say=lambda answered: answered.value["response"],
    target=lambda instance: instance.gold,
    tells=tell_turns,
    is_text=True,
)
