"""A small language model that runs here is asked and plays: the whole path, from words to numbers.

``make test-models`` runs it in an environment of its own, since torch and the weights are large;
where they are not installed it is skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("transformers", reason="transformers is not installed: make test-models")
pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: make test-models")

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from commonground.corpora import get_corpus
from commonground.play.scenarios import get_scenario
from commonground.play.session import replay_acts
from commonground.play.sessions.session_logs import LOG_NAME, read_sessions
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from tests.models.small import FILE, WEIGHTS

if not (WEIGHTS / FILE).exists():
    pytest.skip("the weights are not installed: make test-models", allow_module_level=True)

TASKS = ("frames_nlu", "simmc_generation")
LONGEST = 48
MOST_CALLS = 3
"""Of a game: a small model talks without an end."""
ROOT = Path(__file__).parents[2]
ENDS = ("done", "won", "lost", "aborted")


def run(*command: str, folder: Path, allowed: Sequence[int] = (0,)) -> str:
    """Runs Python without a way to a hub, and returns what it prints."""
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "INSPECT_LOG_DIR": str(folder / "logs"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
    }
    python = [sys.executable, "-m", *command]
    done = subprocess.run(python, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode in allowed, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


@pytest.fixture(scope="module")
def store(folder: Path) -> Path:
    for corpus in ("frames", "simmc"):
        simulate_corpus(get_corpus(corpus), folder / corpus, dialogues=12, seed=2)
        import_corpus(get_corpus(corpus), [folder / corpus], store=folder / "store")
    return folder / "store"


@pytest.fixture(scope="module")
def model(folder: Path) -> str:
    """The model as inspect_ai names it: ``hf/`` and where it lies."""
    run("tests.models.small", str(folder / "smollm2"), folder=folder)
    return f"hf/{folder / 'smollm2'}"


@pytest.fixture(scope="module")
def logs(folder: Path, store: Path, model: str) -> dict[str, EvalLog]:
    """Logs of two tasks, by name."""
    for name in TASKS:
        options = (
            "-T",
            "split=all",
            "-T",
            "limit=2",
            "-T",
            "per_dialogue=1",
            "-T",
            f"store={store}",
        )
        limits = ("--max-tokens", str(LONGEST), "--display", "plain")
        task = f"commonground/{name}"
        run("inspect_ai", "eval", task, "--model", model, *options, *limits, folder=folder)
    found = [read_eval_log(each) for each in list_eval_logs(str(folder / "logs"))]
    return {log.eval.task.removeprefix("commonground/"): log for log in found}


@pytest.mark.parametrize("task", TASKS)
def test_every_question_is_answered_by_the_model(logs: dict[str, EvalLog], task: str) -> None:
    log = logs[task]
    assert log.status == "success", log.error
    assert log.samples
    assert log.eval.metadata is not None
    assert len(log.samples) == log.eval.metadata["samples"]
    for sample in log.samples:
        assert sample.error is None
        (usage,) = sample.model_usage.values()
        assert usage.input_tokens > 0
        assert 0 < usage.output_tokens <= LONGEST
    (total,) = log.stats.model_usage.values()
    each = [usage for sample in log.samples for usage in sample.model_usage.values()]
    assert total.output_tokens == sum(usage.output_tokens for usage in each)


@pytest.mark.parametrize("task", TASKS)
def test_numbers_are_in_range_and_unread_answers_apart(logs: dict[str, EvalLog], task: str) -> None:
    log = logs[task]
    assert log.results is not None
    numbers = {
        name: measure.value
        for score in log.results.scores
        for name, measure in score.metrics.items()
    }
    scores = [(sample.scores or {})["official"] for sample in log.samples or ()]
    faults = [bool((score.metadata or {}).get("fault")) for score in scores]
    # Where parts of a corpus have files of their own, each has its numbers.
    unread = [numbers.pop(each) for each in list(numbers) if each.rpartition("/")[2] == "unread"]
    assert unread
    assert sum(unread) == sum(faults)
    assert numbers
    assert all(0 <= value <= 1 for value in numbers.values()), numbers


def test_it_says_something_of_its_own(logs: dict[str, EvalLog]) -> None:
    said = [sample.output.completion for sample in logs["simmc_generation"].samples or ()]
    assert all(each.strip() for each in said)
    assert len(set(said)) == len(said)


def test_its_logs_are_scored_again(logs: dict[str, EvalLog], store: Path, folder: Path) -> None:
    files = [log.location.removeprefix("file://") for log in logs.values()]
    command = ("leaderboard", *files, str(folder / "board"), "--no-replies", "--json")
    told = json.loads(run("commonground", *command, "--store", str(store), folder=folder))
    assert {each["task"] for each in told["boards"]} == {"frames/nlu", "simmc/generation"}
    assert not any(each["differs"] for board in told["boards"] for each in board["standings"])


def test_the_report_names_the_model(logs: dict[str, EvalLog], model: str, folder: Path) -> None:
    files = [log.location.removeprefix("file://") for log in logs.values()]
    told = json.loads(run("commonground", "report", *files, "--json", folder=folder))
    assert model in json.dumps(told)


def test_it_plays_a_game(folder: Path, model: str) -> None:
    out = folder / "game"
    game = ("play", "frames", "--user", model, "--games", "1", "--max-calls", str(MOST_CALLS))
    command = (*game, "--out", str(out), "--json")
    told = json.loads(run("commonground", *command, folder=folder, allowed=(0, 1)))
    tally = told["models"][model]
    assert 0 < tally["calls"] <= MOST_CALLS
    assert tally["input_tokens"] > 100 * tally["calls"], "it was told what people are told"
    assert tally["output_tokens"] > 0
    (result,) = told["results"]
    assert result["fate"] in ENDS
    refused = sum(tally["refused"].values())
    assert tally["given_up"] <= (result["fate"] == "aborted")
    assert tally["unreadable"] == sum(tally["outcomes"].values())
    (log,) = read_sessions(out / LOG_NAME)
    assert log.players["user"] == model
    assert sum(each.act.role == "user" for each in log.rejected) == refused
    rules = get_scenario("frames").rules
    state = replay_acts(rules, msgspec.convert(log.material, rules.material), log.seed, log.acts)
    assert rules.is_complete(state) == log.complete
