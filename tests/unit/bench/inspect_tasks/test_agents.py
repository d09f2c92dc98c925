"""Agents that serve people as inspect_ai runs them: turn by turn, judged by what is in the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as run_tasks
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    Model,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    set_model_info,
)
from inspect_ai.tool import ToolCall
from tests.thorough import a_few

from commonground.bench.evaluation.reporting import Number
from commonground.bench.inspect_tasks import AGENTS, agents
from commonground.bench.inspect_tasks.agents import EpisodeTable, summarise
from commonground.bench.inspect_tasks.logs.report_lines import sort_logs
from commonground.play.episode import Episode
from commonground.play.episodes import iterate_episodes
from commonground.play.world import SeenCall
from commonground.store.opening import load

VERSIONS = Path(__file__).with_name("prompts.json")

Calls = Callable[[list[str], int], list[SeenCall]]
"""What is called, given all that the person said so far and how many steps this turn has had."""

CORPORA = [each.world.corpus for each in iterate_episodes()]
EVERY = pytest.mark.parametrize("corpus", a_few(CORPORA, ["taskmaster4"]))


def make_model(choose: Calls) -> Model:
    numbers = count()

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        said = [each.text for each in messages if each.role == "user"]
        last = max(n for n, each in enumerate(messages) if each.role == "user")
        steps = sum(each.role == "assistant" for each in messages[last:])
        output = ModelOutput.from_content("mockllm/model", "")
        output.usage = ModelUsage(input_tokens=60, input_tokens_cache_read=40, output_tokens=10)
        output.message.tool_calls = [
            ToolCall(id=f"call-{next(numbers)}", function=each.function, arguments=each.arguments)
            for each in choose(said, steps)
        ]
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def read_gold(episodes: Iterator[Episode]) -> Calls:
    """Calls what people called, one at a time."""
    listed = list(episodes)

    def choose(said: list[str], steps: int) -> list[SeenCall]:
        texts = [[turn.said for turn in each.turns][: len(said)] for each in listed]
        calls = listed[texts.index(said)].turns[len(said) - 1].calls
        return calls[steps : steps + 1]

    return choose


def evaluate(corpus: str, model: Model, folder: Path, **more: Any) -> EvalLog:
    options = {each: more.pop(each) for each in ("store", "limit", "split") if each in more}
    (log,) = run_tasks(
        AGENTS[f"{corpus}_agent"](**options),
        model=model,
        display="none",
        log_dir=str(folder / "logs"),
        log_realtime=False,
        **more,
    )
    assert log.status == "success", log.error
    return log


def list_values(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: each.value for name, each in log.results.scores[0].metrics.items()}


@EVERY
def test_a_script_that_reads_the_gold_reaches_all(corpus: str, store: Path, tmp_path: Path) -> None:
    (source,) = (each for each in iterate_episodes() if each.world.corpus == corpus)
    table = EpisodeTable(source, load(corpus, store))
    model = make_model(read_gold(each.episode for each in table.served.values()))
    log = evaluate(corpus, model, tmp_path, store=str(store), limit=3, epochs=2)
    values = list_values(log)
    wanted = ("end_success", "pass_k_2", "turn_accuracy", "call_f1")
    assert {name: values[name] for name in wanted} == dict.fromkeys(wanted, 1)
    assert values["early_ends"] == 0
    assert log.eval.metadata is not None
    assert log.eval.metadata["dialogues"] == 3
    assert log.samples is not None
    # The log reads as the dialogue went: what people said, and what the calls answered.
    said = [each.text for each in log.samples[0].messages if each.role == "user"]
    episode = table.served[str(log.samples[0].id)].episode
    assert said == [turn.said for turn in episode.turns]


@EVERY
def test_a_model_that_says_nothing_reaches_nothing(
    corpus: str, store: Path, tmp_path: Path
) -> None:
    log = evaluate(corpus, make_model(lambda *_: []), tmp_path, store=str(store), limit=2)
    values = list_values(log)
    assert values["end_success"] == values["turn_accuracy"] == values["call_f1"] == 0
    # So it stands in a report, and not among logs of tasks.
    found = sort_logs([Path(log.location)])
    assert (found.tasks, [each.task for each in found.others]) == ([], [log.eval.task])
    (row,) = found.others[0].rows
    assert row.numbers["end_success"] == Number(0, 0, 0)
    assert log.samples is not None
    for each in log.samples:
        assert each.scores is not None
        about = each.scores["end_state"].metadata or {}
        assert bool(about["ended_early"]) == bool(about["counts"]["early"])
        calls = sum(message.role == "assistant" for message in each.messages)
        took = {name: about["counts"][name] for name in ("input_tokens", "output_tokens")}
        assert took == {"input_tokens": 100 * calls, "output_tokens": 10 * calls}
    assert "cost" not in values


def test_a_price_makes_a_cost_and_nothing_is_drawn(store: Path, tmp_path: Path) -> None:
    # inspect_ai takes prices of models that it knows.
    set_model_info("mockllm/model", ModelInfo())
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "mockllm/model: {input: 2, output: 8, input_cache_read: 1, input_cache_write: 0}\n"
    )
    model = make_model(lambda *_: [])
    setattr(model.api, "do_sample", True)  # noqa: B010 - as of models that run here
    log = evaluate(
        "taskmaster4", model, tmp_path, store=str(store), limit=2, model_cost_config=str(prices)
    )
    values, (row,) = list_values(log), sort_logs([Path(log.location)]).others[0].rows
    # Dollars for a million tokens: 60 at 2, 40 at 1 and 10 at 8 a call.
    assert values["cost"] == pytest.approx(2.4e-6 * values["input_tokens"])
    assert row.numbers["cost"].value == values["cost"]
    assert "2 dialogues served on" in row.source
    assert "at most 20 steps a turn" in row.source
    assert model.api.do_sample is False  # type: ignore[attr-defined]


def test_a_refused_call_is_answered_with_what_is_wrong(store: Path, tmp_path: Path) -> None:
    wrong = [SeenCall("", "fly", {}), SeenCall("", "get_menu_items", {"name": "tea"})]
    model = make_model(lambda _said, steps: [] if steps else wrong)
    log = evaluate("taskmaster4", model, tmp_path, store=str(store), limit=1)
    assert log.samples is not None
    told = [each.text for each in log.samples[0].messages if each.role == "tool"]
    assert told[0].startswith("There is no function 'fly'")
    assert told[1].startswith("get_menu_items: Object contains unknown field `name`")


def test_a_model_that_calls_for_ever_is_given_the_next_turn(store: Path, tmp_path: Path) -> None:
    model = make_model(lambda *_: [SeenCall("", "show_menu", {})])
    log = evaluate("taskmaster4", model, tmp_path, store=str(store), limit=1)
    assert log.samples is not None
    asked = [each for each in log.samples[0].messages if each.role == "assistant"]
    turns = [each for each in log.samples[0].messages if each.role == "user"]
    assert len(asked) == 20 * len(turns)


def test_what_was_done_until_a_limit_is_scored_and_is_no_early_end(
    store: Path, tmp_path: Path
) -> None:
    model = make_model(lambda *_: [SeenCall("", "show_menu", {})])
    log = evaluate("taskmaster4", model, tmp_path, store=str(store), limit=1, message_limit=6)
    values = list_values(log)
    assert (values["end_success"], values["early_ends"]) == (0, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split": "fold"}, "There is no split 'fold'"),
        ({"limit": 0}, "-T limit: Expected `int` >= 1"),
        ({"lmit": 1}, "There is no option 'lmit'"),
        ({"store": "nowhere"}, "nowhere"),
    ],
)
def test_what_cannot_be_served_is_said(options: dict[str, Any], words: str, store: Path) -> None:
    with pytest.raises(PrerequisiteError, match=words):
        AGENTS["taskmaster3_agent"](**{"store": str(store), **options})


def count_epoch(success: int, right: int = 1) -> dict[str, float]:
    calls = {"correct": right, "predicted": 2, "gold": 2}
    tokens = {"input_tokens": 100, "output_tokens": 10}
    turns = {"turns": 2, "right": right}
    return {"episodes": 1, "success": success, "early": 1 - success, **turns, **calls, **tokens}


def test_rates_are_of_all_epochs_and_intervals_of_dialogues() -> None:
    rows = [("a", count_epoch(1)), ("a", count_epoch(1)), ("a", count_epoch(0))]
    rows += [("b", count_epoch(0)), ("b", count_epoch(0)), ("b", count_epoch(0))]
    found = summarise(rows)
    assert found["end_success"] == pytest.approx(2 / 6)
    # Of three epochs, two are right: one pair of three, in one of two dialogues.
    assert found["pass_k_2"] == pytest.approx(1 / 6)
    assert found["pass_k_3"] == 0
    # Dialogue `a` alone has 2 of 3, `b` alone none.
    assert found["end_success_low"] == 0
    assert found["end_success_high"] == pytest.approx(2 / 3)
    assert (found["turn_accuracy"], found["call_f1"]) == (0.5, 0.5)
    assert (found["input_tokens"], found["output_tokens"]) == (100, 10)
    assert next(iter(found)) == "end_success"
    assert summarise([]) == {}


def test_other_roles_or_functions_are_another_version() -> None:
    """Who changes what agents are told raises the version and writes the new hash here."""
    pinned = json.loads(VERSIONS.read_text())
    for each in iterate_episodes():
        told = {str(each.version): agents.hash_role(each, each.world.build([]))}
        assert pinned[f"{each.world.corpus}/agent"] == told
