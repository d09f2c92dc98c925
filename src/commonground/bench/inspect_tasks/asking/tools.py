"""Tools that models may call: the actions of a corpus, with the arguments that were seen.

Nothing is run when a model calls one: the call is its answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Solver, generate, use_tools
from inspect_ai.tool import ToolCall, ToolDef, ToolParams

from commonground.errors import TaskError
from commonground.exports.tool_schemas import Tool, derive_tools
from commonground.method import Prompt
from commonground.replies import name_empty_call
from commonground.store.corpus import Corpus

_CALLS = """
SELECT name, arguments, count(*) FROM events
WHERE corpus = ? AND kind = 'action' AND list_contains(?, dialogue_id) GROUP BY 1, 2
"""
_NO_CALL = "None"
"""What SIMMC calls it when nothing is called."""


def find_tools(corpus: Corpus, dialogues: Collection[str]) -> dict[str, Tool]:
    """Works out the tools of a corpus from some of its dialogues.

    Raises:
        TaskError: they have no actions.
    """
    rows: list[Any] = corpus.rows(_CALLS, [corpus.name, [*dialogues]])
    tools = derive_tools(rows, "Calls {name}.")
    tools.pop(_NO_CALL, None)
    if not tools:
        raise TaskError(f"{corpus.name} has no actions that could be tools.")
    return {name: _describe(tool) for name, tool in tools.items()}


def _describe(tool: Tool) -> Tool:
    """Says of each argument where it is from: inspect_ai takes none without a description."""
    function = tool.function
    described = {
        name: {"description": f"The argument {name}, as calls in the corpus have it.", **schema}
        for name, schema in function.parameters["properties"].items()
    }
    parameters = function.parameters | {"properties": described}
    return Tool(function=msgspec.structs.replace(function, parameters=parameters))


def offer_tools(tools: dict[str, Tool]) -> list[Solver]:
    """Returns what asks a model that may call tools."""
    # "none": inspect_ai would otherwise run the calls, and ask again with what came of them.
    return [use_tools([_define(each) for each in tools.values()]), generate(tool_calls="none")]


def _define(tool: Tool) -> ToolDef:
    # Never run: the model is asked once, and its calls are the answer.
    async def execute() -> str:
        return ""

    function = tool.function
    return ToolDef(
        execute,
        name=function.name,
        description=function.description,
        parameters=ToolParams.model_validate(function.parameters),
    )


def write_reply(prompt: Prompt, output: ModelOutput) -> str:
    """Writes what a model said and called as the answer that a prompt asks for.

    Raises:
        ValueError: that cannot be, as of several calls, or of one that is no JSON.
    """
    if prompt.called is None or output.empty:
        return output.completion
    calls = [_read_call(each) for each in output.message.tool_calls or ()]
    return prompt.called(output.completion, calls)


def _read_call(call: ToolCall) -> tuple[str, dict[str, Any]]:
    if call.parse_error is None:
        return call.function, call.arguments
    name = name_empty_call(call.parse_error)
    if name is None:
        raise ValueError(f"the call cannot be read: {call.parse_error}")
    return name, {}
