"""What is wrong with options and runs is said in words."""

from __future__ import annotations

import asyncio
import traceback
from types import SimpleNamespace
from typing import Any

import pytest
from inspect_ai._eval.registry import task_create
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_create

from commonground.bench.inspect_tasks import refusals
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, write_asked
from commonground.bench.inspect_tasks.solvers import _answer_one_by_one
from commonground.errors import UsageError


@pytest.mark.parametrize(
    ("solver", "options", "words"),
    [
        ("baseline", {"methd": "linear"}, "missing a required argument: 'method'"),
        ("baseline", {"method": "linear", "sore": "x"}, "unexpected keyword argument 'sore'"),
        ("predictions", {}, "Its options are: file, store."),
        (
            "predictions",
            {"file": None},
            "No file of predictions was named. Name one: -S file=FILE.",
        ),
        ("baseline", {"method": "linaer"}, "There is no baseline 'linaer'. Did you mean linear"),
        ("predictions", {"file": "not there.json"}, "not there.json is not there. Check the path."),
    ],
)
def test_options_of_solvers_are_refused_in_words(
    solver: str, options: dict[str, str | None], words: str
) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        registry_create("solver", f"commonground/{solver}", **options)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", ["commonground/probe", "commonground/frames_game"])
def test_inspect_ai_hands_on_options_that_a_task_does_not_have(name: str) -> None:
    """It leaves out what stands in no signature, warns, and asks about everything."""
    with pytest.raises(PrerequisiteError, match=f"no option 'limti' of {name}"):
        task_create(name, limti=4)


def test_an_error_of_ours_ends_a_run_without_our_code() -> None:
    def read(*_given: Any, depth: int = 10) -> str:
        if not depth:
            raise UsageError("There is nothing to learn from.")
        return read(depth=depth - 1)

    asked = write_asked(Asked("frames/nlu", "frames", None, 1))
    solve: Any = _answer_one_by_one("baseline/linear", read)
    with pytest.raises(UsageError, match="nothing to learn from") as ended:
        asyncio.run(solve(SimpleNamespace(metadata=asked), None))
    assert "read" not in [each.name for each in traceback.extract_tb(ended.value.__traceback__)]
    assert ended.value.__suppress_context__


def show(template: str, **given: str) -> Any:
    api = SimpleNamespace(tokenizer=SimpleNamespace(chat_template=template), **given)
    return SimpleNamespace(api=api)


def test_a_model_whose_template_drops_tools_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "active_model", lambda: show("{{ messages }}"))
    with pytest.raises(UsageError, match="its chat template has no tools"):
        refusals.refuse_toolless()
    fine = [show("{{ tools }}"), show("{{ messages }}", chat_template="{{ tools }}"), None]
    for each in fine:
        monkeypatch.setattr(refusals, "active_model", lambda it=each: it)
        refusals.refuse_toolless()
