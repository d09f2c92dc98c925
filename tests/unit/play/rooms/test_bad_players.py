"""Models that play badly: what became of their answers, and what is made of their games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, StopReason, get_model

from commonground.play.curves import describe_begun, summarise_sets
from commonground.play.rooms.players.model_answers import AnswerForm
from commonground.play.rooms.players.models import Tally, count_bad, make_kind
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import Played, play_sessions, seat_players

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


def play(folder: Path, say: Say, form: AnswerForm) -> tuple[Played, Tally, list[str]]:
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
    seats["A"] = make_kind(scenario, model, pictures=None, tally=tally, form=form)
    return play_sessions(scenario, seats, folder, sessions=1, seed=3), tally, sent


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
