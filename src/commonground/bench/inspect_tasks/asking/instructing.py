"""What models are told before a question, which is the same for every sample of a task.

It is said by a solver and not by the samples, so that their input, which the viewer and tables of
logs show, is the question alone. The log has it once among the solvers, and in the messages of
each sample.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver(name="instruct")
def instruct(ask: str, examples: Sequence[tuple[str, str]] = ()) -> Solver:
    """Puts the instructions before the question, and examples between the two."""
    instructions = write_instructions(ask, examples)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's
        state.messages = [*instructions, *state.messages]
        return state

    return solve


def write_instructions(ask: str, examples: Sequence[tuple[str, str]] = ()) -> list[ChatMessage]:
    """Returns the messages that come before the question."""
    messages: list[ChatMessage] = [ChatMessageSystem(content=ask)]
    for question, answer in examples:
        messages += [ChatMessageUser(content=question), ChatMessageAssistant(content=answer)]
    return messages
