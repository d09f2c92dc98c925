"""How language models are asked for the assistant's words."""

from __future__ import annotations

from commonground.corpora.simmc.tasks.inputs import list_pictures
from commonground.method import Prompt

PROMPT = Prompt(
    task="simmc/generation",
    answer=lambda reply: {"response": reply.value},
    say=lambda answered: answered.value["response"],
    target=lambda instance: instance.gold,
    pictures=list_pictures,
    is_text=True,
)
