"""Models may answer by calling the actions of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import eval as run_tasks
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.model._providers.util import HFHandler
from inspect_ai.solver import Generate, Solver, TaskState, solver
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.saying import list_values, run_with
from tests.unit.bench.inspect_tasks.stub import Said, serve

from commonground.bench.evaluation.prompts import get_prompt
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset
from commonground.bench.inspect_tasks.asking.tools import write_reply
from commonground.play.player import Wait
from commonground.play.rooms.players.model_answers import WAIT, NoAct, make_tools, read_move


def read_call(target: str) -> tuple[str, dict[str, Any]] | None:
    """Reads the call of a right answer of either task; null where nothing is called."""
    step = msgspec.json.decode(target)
    if "action" in step:
        return None if step["action"] == "None" else (step["action"], step["attributes"])
    call = step.get("call")
    return None if call is None else (call["name"], call["arguments"])


def read_words(target: str) -> str:
    """Reads what is said where nothing is called."""
    return str(msgspec.json.decode(target).get("text") or "")


def say_target(state: TaskState) -> ModelOutput:
    call, target = read_call(state.target.text), state.target.text
    if call is not None:
        return ModelOutput.for_tool_call("said", call[0], call[1])
    return ModelOutput.from_content("said", read_words(target))


def say_twice(state: TaskState) -> ModelOutput:
    output = ModelOutput.for_tool_call("said", "a", {})
    assert output.message.tool_calls
    output.message.tool_calls *= 2
    return output


@solver
def calls(say: Any) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = say(state)
        return state

    return solve


@pytest.mark.parametrize("name", a_few(["simmc_actions", "taskmaster3_actions"], ["simmc_actions"]))
def test_right_calls_are_right(name: str, store: Path, tmp_path: Path) -> None:
    task = TASKS[name](store=str(store), split="all", limit=3, answers="tools")
    values = list_values(run_with(task, calls(say_target), tmp_path))
    assert values["accuracy"] == 1
    assert all(value == 0 for each, value in values.items() if each.endswith("unread"))


@pytest.mark.parametrize("name", a_few(["simmc_actions", "taskmaster3_actions"], ["simmc_actions"]))
def test_a_provider_is_offered_the_tools(name: str, store: Path, tmp_path: Path) -> None:
    """By the task's own solver, and with all that inspect_ai and providers want of tools."""
    options = {"split": "all", "limit": 1, "answers": "tools", "variant": "text"}
    task = TASKS[name](store=str(store), **options)
    asked = [(each.input[0], str(each.target)) for each in task.dataset]
    targets = {question.text: target for question, target in asked if not isinstance(question, str)}

    def answer(_number: int, body: dict[str, Any]) -> Said:
        target = targets[body["messages"][-1]["content"]]
        call = read_call(target)
        return Said(read_words(target)) if call is None else Said(calls=[call])

    with serve(answer) as stub:
        model = get_model("openai-api/stub/model", base_url=stub.url, api_key="none", memoize=False)
        (log,) = run_tasks(task, model=model, display="none", log_dir=str(tmp_path), max_retries=0)
    assert log.status == "success", log.error
    assert list_values(log)["accuracy"] == 1
    offered = [each["function"] for each in stub.asked[0]["tools"]]
    arguments = [each["parameters"]["properties"] for each in offered]
    assert any(arguments)
    assert all(name in each[name]["description"] for each in arguments for name in each)


def test_several_calls_cannot_be_read(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_actions"](store=str(store), split="all", limit=1, answers="tools")
    values = list_values(run_with(task, calls(say_twice), tmp_path))
    assert values["accuracy"] == 0
    assert values["unread"] == len(task.dataset)


def test_tools_are_the_actions_of_the_training_split(store: Path) -> None:
    asking = Asking(task="simmc/actions", corpus="simmc", store=str(store), answers="tools")
    made = make_dataset(asking)
    assert "None" not in made.tools
    assert "SpecifyInfo" in made.tools
    assert made.tools["SpecifyInfo"].function.parameters["type"] == "object"
    assert "Call the tool" in made.ask


def write_as_hf(text: str) -> ModelOutput:
    """Returns what inspect_ai's provider ``hf`` makes of what a model wrote."""
    message = HFHandler("tiny").parse_assistant_response(text, make_tools([]))
    return ModelOutput(model="hf/tiny", choices=[ChatCompletionChoice(message=message)])


@pytest.mark.parametrize(
    "written", ['{"name": "wait", "arguments": {}}', '{"name": "wait"}', ' {"name":"wait"} ']
)
def test_a_call_without_arguments_is_one_though_hf_refuses_it(written: str) -> None:
    output = write_as_hf(f"<tool_call>{written}</tool_call>")
    assert output.message.tool_calls
    assert output.message.tool_calls[0].parse_error, "mended upstream: this can go"
    assert isinstance(read_move(output, []), Wait)
    assert write_reply(get_prompt("simmc/actions"), output) == write_reply(
        get_prompt("simmc/actions"), ModelOutput.for_tool_call("said", WAIT, {})
    )


@pytest.mark.parametrize(
    "written", ["no", '{"arguments": {}}', '{"name": "wait", "arguments": {}, "x": 1}', "[" * 9_999]
)
def test_what_is_no_call_stays_unread(written: str) -> None:
    output = write_as_hf(f"<tool_call>{written}</tool_call>")
    assert isinstance(read_move(output, []), NoAct)
    with pytest.raises(ValueError, match="the call cannot be read"):
        write_reply(get_prompt("simmc/actions"), output)
