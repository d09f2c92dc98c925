"""What asking will take is known before, and limits stop what takes more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.model import ModelInfo, set_model_info
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.stub import Said, serve
from tests.unit.bench.inspect_tasks.test_faults import ask, find_file

from commonground.bench.inspect_tasks.agents import EpisodeTable, Options
from commonground.bench.inspect_tasks.asking.pictures import encode_picture
from commonground.bench.inspect_tasks.asking.questions import Asking
from commonground.bench.inspect_tasks.counting import TokenRule, choose_rule, read_size
from commonground.bench.inspect_tasks.estimating import Price, estimate, estimate_agent, read_price
from commonground.bench.inspect_tasks.logs.results import read_logs
from commonground.cli import group
from commonground.errors import FormatError, SourceError, TaskError, UsageError
from commonground.play.episodes import iterate_episodes
from commonground.store.opening import load

pytest.importorskip("openai")
MODEL = "openai-api/stub/model"
PRICES = f"{MODEL}: {{input: 2.0, output: 8.0, input_cache_write: 0, input_cache_read: 0}}\n"


def make_asking(store: Path, **options: Any) -> Asking:
    return Asking(
        task="photobook/segments", corpus="photobook", split="all", store=str(store), **options
    )


@pytest.mark.parametrize("variant", a_few(["text", "pictures"], ["pictures"]))
def test_the_estimate_is_within_a_fifth(variant: str, store: Path, tmp_path: Path) -> None:
    options = {"limit": 3, "variant": variant}
    found = estimate(make_asking(store, **options), "openai/model", price=Price(2, 8))
    with serve(lambda _number, _body: Said("[]")) as stub:
        log = ask(stub, store, tmp_path, options)
    (usage,) = log.stats.model_usage.values()
    assert found.calls == len(stub.asked) == 3
    assert (found.pictures > 0) == (variant == "pictures")
    assert found.input_tokens == pytest.approx(usage.input_tokens, rel=0.2)
    price = (2 * found.input_tokens + 8 * found.output_tokens) / 1e6
    assert found.price == pytest.approx(price)


def test_a_log_says_how_a_model_counts_and_talks(store: Path, tmp_path: Path) -> None:
    long = Said("[]" + " well" * 500)
    with serve(lambda _number, _body: long) as stub:
        few = ask(stub, store, tmp_path, {"limit": 2})
        all_of_it = ask(stub, store, tmp_path)
    found = estimate(make_asking(store), MODEL, like=find_file(few), epochs=2)
    (usage,) = all_of_it.stats.model_usage.values()
    assert found.input_tokens == pytest.approx(2 * usage.input_tokens, rel=0.2)
    assert found.output_tokens == pytest.approx(2 * usage.output_tokens, rel=0.01)
    other = Asking(task="frames/nlu", corpus="frames", split="all", store=str(store))
    with pytest.raises(TaskError, match="is not a log of frames/nlu"):
        estimate(other, MODEL, like=find_file(few))
    with pytest.raises(SourceError, match=r"none\.eval is not there"):
        estimate(other, MODEL, like=tmp_path / "none.eval")


def test_one_file_of_prices_serves_estimate_and_limit(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES)
    # inspect_ai takes prices of models only that it has heard of.
    set_model_info(MODEL, ModelInfo())
    price = read_price(path, MODEL)
    least = 10 * price.output / 1e6
    with serve(lambda _number, _body: Said("[]")) as stub:
        log = ask(
            stub, store, tmp_path, {"limit": 2}, model_cost_config=str(path), cost_limit=least
        )
    assert log.status == "success", log.error
    assert [each.limit and each.limit.type for each in log.samples or ()] == ["cost"] * 2
    (run,) = read_logs([find_file(log)])
    problems = {each.kind: each.count for each in run.evaluation.result.problems}
    assert problems["replies ended by a limit"] == 2
    (usage,) = log.stats.model_usage.values()
    assert run.asked.used.cost == usage.total_cost
    assert usage.total_cost == pytest.approx(
        (2 * usage.input_tokens + 8 * usage.output_tokens) / 1e6
    )


def test_a_limit_of_tokens_stops_and_is_counted(store: Path, tmp_path: Path) -> None:
    with serve(lambda _number, _body: Said("[]")) as stub:
        log = ask(stub, store, tmp_path, {"limit": 2}, token_limit=20)
    assert [each.limit and each.limit.type for each in log.samples or ()] == ["token"] * 2
    (run,) = read_logs([find_file(log)])
    assert run.evaluation.result.n == 2
    assert "replies ended by a limit" in {each.kind for each in run.evaluation.result.problems}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (None, SourceError, "cannot be read"),
        ("other/model: {input: 1, output: 2}", UsageError, "has no price of"),
        (f"{MODEL}: {{input: dear}}", FormatError, "prices.yaml: "),
    ],
)
def test_prices_that_cannot_be_used_are_said_to_be(
    text: str | None, error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "prices.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=message):
        read_price(path, MODEL)


def test_texts_and_pictures_are_counted_by_the_rule() -> None:
    rule = TokenRule(factor=1, base=85, tile=170, tile_px=512)
    # "Where" 1, "photograph" 2, "12345" 2, "?!" 1, the line end 1, two signs of a script 1.
    assert rule.count_text("Where photograph 12345?!\n照片") == 8
    assert rule.count_picture(512, 513) == 85 + 2 * 170
    assert choose_rule("openrouter/anthropic/x")[0] == "anthropic"
    assert choose_rule("hf/local")[0] == "other"


def test_the_size_of_a_picture_is_that_which_is_sent(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (100, 50)).save(tmp_path / "a.png")
    assert read_size(encode_picture(tmp_path / "a.png", 40)) == (40, 20)


def test_the_command_says_what_it_would_take(store: Path) -> None:
    command = ["tasks", "estimate", "photobook/segments", "--model", MODEL, "--store", str(store)]
    command += ["-T", "split=all", "-T", "limit=2"]
    done = CliRunner().invoke(group, [*command, "--price-in", "2", "--price-out", "8"])
    assert done.exit_code == 0, done.output
    assert "2 calls about 2 dialogues" in " ".join(done.output.split())
    assert "About $0." in done.output
    assert "No price is given" in CliRunner().invoke(group, command).output
    told = json.loads(CliRunner().invoke(group, [*command, "--json"]).stdout)
    assert told["price"] is None
    assert told["rule"] == "other 1"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-T", "limt=2"], "no option 'limt' of tasks"),
        (["-T", "limit=few"], "cannot be used"),
        (["--price-in", "2"], "One price is missing"),
    ],
)
def test_what_cannot_be_estimated_is_said(more: list[str], message: str, store: Path) -> None:
    command = ["tasks", "estimate", "frames/nlu", "--model", MODEL, "--store", str(store), *more]
    done = CliRunner().invoke(group, command)
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)


def test_serving_is_counted_as_if_people_served(store: Path) -> None:
    (source,) = (each for each in iterate_episodes() if each.world.corpus == "taskmaster4")
    options = Options(limit=3, store=str(store))
    found = estimate_agent(source, options, "openai/model", price=Price(2, 8), epochs=2)
    chosen = EpisodeTable(source, load("taskmaster4", store)).choose(options)
    turns = [turn for each in chosen for turn in each.episode.turns]
    # Each call of people, and an answer to each turn.
    assert (found.dialogues, found.calls) == (3, 2 * sum(len(each.calls) + 1 for each in turns))
    assert found.calls * found.most_tokens > found.input_tokens > 10 * found.output_tokens > 0
    assert found.price == (2 * found.input_tokens + 8 * found.output_tokens) / 1e6
    command = ["tasks", "estimate", "taskmaster4/agent", "--model", "openai/model"]
    command += ["-T", "limit=3", "--epochs", "2", "--store", str(store), "--context", "100"]
    told = json.loads(CliRunner().invoke(group, [*command, "--json"]).stdout)
    assert (told["input_tokens"], told["price"]) == (found.input_tokens, None)
    assert "more tokens than openai/model takes in one request" in told["warnings"][0]
    assert "Every dialogue comes to its end" in CliRunner().invoke(group, command).output
