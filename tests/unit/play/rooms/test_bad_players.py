"""Models that play badly: what became of their answers, and what is made of their games."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.model import ModelOutput, ModelUsage, StopReason, get_model
from tests import forks
from tests.unit.bench.inspect_tasks.stub import Answer, Said, serve
from tests.unit.play.rooms.minds import MODEL, environment

from commonground.cli import group
from commonground.errors import UsageError
from commonground.play.collect.setup.partners import Price
from commonground.play.curves import describe_begun, summarise_sets
from commonground.play.rooms.players.budget import Budget
from commonground.play.rooms.players.model_answers import AnswerForm
from commonground.play.rooms.players.models import Tally, count_bad, make_kind
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import Played, play_sessions, seat_players
from commonground.play.sessions.session_logs import read_sessions

pytestmark = pytest.mark.filterwarnings("ignore:The .initial. parameter:DeprecationWarning")

Say = Callable[[list[Any]], ModelOutput]
ACT = '{"act": "chat_message", "arguments": {"text": "a violet zebra"}}'


def end(text: str, reason: StopReason) -> Say:
    return lambda _messages: ModelOutput.from_content("mockllm/model", text, stop_reason=reason)


def call(name: str, arguments: dict[str, Any], reason: StopReason = "tool_calls") -> Say:
    def say(_messages: list[Any]) -> ModelOutput:
        said = ModelOutput.for_tool_call("mockllm/model", name, arguments)
        said.choices[0].stop_reason = reason
        return said

    return say


def play(
    folder: Path,
    say: Say,
    form: AnswerForm,
    *,
    budget: Budget | None = None,
    games: int = 1,
) -> tuple[Played, Tally, list[str]]:
    """Plays a game of PhotoBook with a script; returns all that the model was sent, too."""
    sent: list[str] = []

    def answer(messages: Any, _tools: Any, _choice: Any, _config: Any) -> ModelOutput:
        sent.append(messages[-1].text)
        said = say(messages)
        said.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return said

    scenario, tally = get_scenario("photobook"), Tally()
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    folder.mkdir()
    seats = seat_players(scenario, {})
    seats["A"] = make_kind(scenario, model, pictures=None, tally=tally, budget=budget, form=form)
    stop = str if budget is None else budget.find_stop
    played = play_sessions(scenario, seats, folder, sessions=games, seed=3, stop=stop)
    return played, tally, sent


@pytest.mark.parametrize(
    ("outcome", "form", "say", "asked"),
    [
        ("context overflow", "tools", end("maximum context length", "model_length"), 1),
        ("context overflow", "json", end(ACT, "model_length"), 1),
        ("content filter", "tools", end("I cannot", "content_filter"), 3),
        ("content filter", "json", end(ACT, "content_filter"), 3),
        ("cut off", "tools", call("chat_message", {"text": "a violet"}, "max_tokens"), 3),
        ("cut off", "json", end(ACT, "max_tokens"), 3),
        ("malformed", "tools", end(ACT, "stop"), 3),
        ("malformed", "json", end("a violet zebra", "stop"), 3),
        ("unknown name", "tools", call("dance", {}), 3),
        ("unknown name", "json", end('{"act": "dance"}', "stop"), 3),
        ("empty", "tools", end("", "stop"), 3),
        ("empty", "json", end(" ", "stop"), 3),
        ("refused acts", "tools", call("chat_message", {"text": "<"}), 3),
        ("refused acts", "json", end(ACT.replace("a violet zebra", "<"), "stop"), 3),
    ],
)
def test_what_is_no_act_aborts_a_game_alike_in_both_forms(
    tmp_path: Path, outcome: str, form: AnswerForm, say: Say, asked: int
) -> None:
    played, tally, _sent = play(tmp_path / "out", say, form)
    (result,) = played.results
    assert (result.fate, result.cause) == ("aborted", outcome)
    assert count_bad(tally.outcomes, tally.refused) == {outcome: asked}
    assert (tally.calls, tally.given_up) == (asked, 1)
    log = (tmp_path / "out" / "sessions.jsonl").read_text("utf-8")
    assert "a violet" not in log
    assert "context length" not in log
    begun = summarise_sets({"models": tmp_path / "out", "people": tmp_path})
    assert list(begun) == ["models"]
    said = f"models: 1 game begun, 0 played, 1 aborted ({outcome} 1)."
    assert describe_begun("models", begun["models"]) == said


@pytest.mark.parametrize("form", ["tools", "json"])
def test_a_refusal_of_the_model_is_none_of_the_rules(tmp_path: Path, form: AnswerForm) -> None:
    def refuse(_messages: list[Any]) -> ModelOutput:
        said = ModelOutput.from_content("mockllm/model", ACT)
        content: Any = [{"type": "text", "text": ACT, "refusal": True}]
        said.choices[0].message = said.message.model_validate(
            {**said.message.model_dump(), "content": content}
        )
        return said

    played, tally, _sent = play(tmp_path / "out", refuse, form)
    assert [each.cause for each in played.results] == ["refusal"]
    assert tally.outcomes == {"refusal": 3}


def chat(view_numbers: Any) -> Say:
    return lambda _messages: call("chat_message", {"text": f"and {next(view_numbers)}"})(_messages)


LIMITS = (
    ({"calls": 4}, "limit of calls", 4),
    # 110 tokens a call: the third goes beyond.
    ({"tokens": 250}, "limit of tokens", 3),
    # 100 read for 2 and 10 written for 8 a million: 0.00028 a call.
    ({"cost": 0.0005, "prices": {"mockllm/model": Price(2, 8)}}, "limit of cost", 2),
)


@pytest.mark.parametrize(("limits", "cause", "calls"), LIMITS)
def test_a_game_that_meets_a_limit_is_aborted_and_no_other_is_begun(
    tmp_path: Path, limits: dict[str, Any], cause: str, calls: int
) -> None:
    budget = Budget(**limits)
    played, tally, _sent = play(tmp_path / "out", chat(count()), "tools", budget=budget, games=3)
    assert [(each.fate, each.cause) for each in played.results] == [("aborted", cause)]
    assert (tally.calls, budget.calls, played.not_begun) == (calls, calls, 2)
    assert "is met" in played.stopped
    (log,) = read_sessions(tmp_path / "out" / "sessions.jsonl")
    assert log.cause == cause
    # What was said before is kept; the last decision was never carried out, or it was.
    assert sum(each.role == "A" for each in log.acts) in (calls - 1, calls)


def test_tokens_that_nobody_counts_cannot_be_limited() -> None:
    with pytest.raises(UsageError, match="does not say how many tokens"):
        Budget(tokens=5).end_call("m", None)
    budget = Budget(calls=5)
    budget.end_call("m", None)
    assert (budget.tokens, budget.cost) == (0, None)


def run_stub(folder: Path, answer: Answer, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with a model that a stub of a provider plays."""
    pytest.importorskip("openai")
    with serve(answer) as stub:
        environ = {**os.environ, **environment(stub)}
        command = ("play", "photobook", "--a", MODEL, *words)
        return forks.run(*command, cwd=folder, env=environ, more=forks.MODELS)


def test_the_command_ends_at_its_limit_and_says_so(tmp_path: Path) -> None:
    def talk(number: int, _body: dict[str, Any]) -> Said:
        return Said(calls=[("chat_message", {"text": f"and another thing {number}"})])

    words = ("--games", "5", "--max-calls", "6", "--price-in", "1", "--price-out", "2")
    done = run_stub(tmp_path, talk, *words, "--out", "out", "--json")
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert told["causes"] == {"limit of calls": 1}
    assert (told["sessions"], told["not_begun"]) == (1, 4)
    assert told["models"][MODEL]["calls"] == 6
    assert told["cost"] > 0
    assert "The limit of 6 calls is met. 4 games of 5 not begun." in done.stderr
    assert len(list(read_sessions(tmp_path / "out" / "sessions.jsonl"))) == 1


def test_what_a_provider_says_instead_of_an_answer_is_counted(tmp_path: Path) -> None:
    error = {"message": "maximum context length is 10", "code": "context_length_exceeded"}
    overflow = Said(status=400, raw=json.dumps({"error": error}).encode())
    done = run_stub(tmp_path, lambda *_: overflow, "--games", "2", "--out", "out")
    assert done.returncode == 1, done.stderr
    told = " ".join(done.stdout.split())
    assert "aborted 2 2" in told
    assert "context overflow 2 2" in told
    assert "context overflow: 2" in told


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--b", "script", "--max-calls", "3"), "none plays"),
        (("--a", "x/y", "--max-cost", "3"), "needs prices"),
        (("--a", "x/y", "--max-cost", "3", "--price-in", "3"), "One price is missing"),
    ],
)
def test_limits_that_limit_nothing_are_refused(words: tuple[str, ...], complaint: str) -> None:
    done = CliRunner().invoke(group, ["play", "photobook", "--out", "x", *words])
    assert isinstance(done.exception, UsageError | SystemExit)
    assert complaint in done.output + str(done.exception)
