"""What was asked has the same hash before and after, and another one where anything differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval as run_tasks
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ContentImage, ModelOutput, ModelUsage, get_model
from tests.thorough import thorough

from commonground.bench.evaluation.reporting import list_differences
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.asking.hashing import QuestionHashes, hash_made
from commonground.bench.inspect_tasks.asking.pictures import PICTURES, hash_picture
from commonground.bench.inspect_tasks.asking.questions import (
    MAX_TOKENS,
    TEMPERATURE,
    Asking,
    Made,
    make_dataset,
)
from commonground.bench.inspect_tasks.logs.results import read_logs
from commonground.cli import group


def make(store: Path, **options: Any) -> Made:
    chosen = {"task": "photobook/reference", "corpus": "photobook", "split": "all", **options}
    return make_dataset(Asking(store=str(store), **chosen))


@pytest.mark.parametrize("options", [{"limit": 2}, {"split": "test"}])
def test_other_questions_have_another_hash(store: Path, options: dict[str, Any]) -> None:
    one, other = hash_made(make(store)), hash_made(make(store, **options))
    assert one.texts != other.texts
    assert one.pictures != other.pictures


def test_smaller_pictures_change_the_hash_of_pictures_alone(store: Path) -> None:
    one, other = hash_made(make(store)), hash_made(make(store, image_size=16))
    assert one.texts == other.texts
    assert one.pictures != other.pictures


def test_the_order_of_samples_changes_nothing(store: Path) -> None:
    made = make(store)
    before = hash_made(made)
    made.dataset.shuffle(seed=3)
    assert hash_made(made) == before


def test_a_log_without_pictures_names_them(asked: EvalLog, bare: EvalLog) -> None:
    """Each sample of a log keeps its own copy of pictures, which may be left out."""
    (whole, without) = (
        read_eval_log(each.location, resolve_attachments=True) for each in (asked, bare)
    )
    for one, other in zip(whole.samples or (), without.samples or (), strict=True):
        shown = [hash_picture(each.image) for each in list_images(one)]
        assert shown
        assert other.metadata[PICTURES] == one.metadata[PICTURES] == shown
    sizes = [Path(each.location).stat().st_size for each in (asked, bare)]
    assert sizes[1] < sizes[0] / 2


def list_images(sample: EvalSample) -> list[ContentImage]:
    contents = [each.content for each in sample.messages if isinstance(each.content, list)]
    return [part for each in contents for part in each if isinstance(part, ContentImage)]


def ask_mock(store: Path, folder: Path, **options: Any) -> EvalLog:
    task = TASKS["photobook_reference"](store=str(store), split="all", limit=1)
    # Without its usage, the mock counts tokens by a file that it loads from the internet.
    usage = ModelUsage(input_tokens=1, output_tokens=1)
    said = ModelOutput.from_content("mockllm/model", "[]").model_copy(update={"usage": usage})
    model = get_model("mockllm/model", custom_outputs=[said] * len(task.dataset), memoize=False)
    (log,) = run_tasks(
        task, model=model, display="none", log_dir=str(folder), log_realtime=False, **options
    )
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module")
def asked(store: Path, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A log of questions as they are asked by default."""
    return ask_mock(store, tmp_path_factory.mktemp("asked"))


@pytest.fixture(scope="module")
def bare(store: Path, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A log of the same questions that holds no pictures."""
    return ask_mock(store, tmp_path_factory.mktemp("bare"), log_images=False)


@pytest.fixture(scope="module")
def warm(store: Path, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A log of the same questions, asked at another temperature."""
    return ask_mock(store, tmp_path_factory.mktemp("warm"), temperature=0.7)


def find_model_event(log: EvalLog) -> ModelEvent:
    events = [each for sample in log.samples or () for each in sample.events]
    return next(each for each in events if isinstance(each, ModelEvent))


def test_what_is_asked_is_sent_and_kept(store: Path, asked: EvalLog) -> None:
    log = asked
    sent = find_model_event(log).config
    assert (sent.temperature, sent.max_tokens) == (TEMPERATURE, MAX_TOKENS)
    facts = log.eval.metadata or {}
    made = hash_made(make(store, limit=1))
    assert QuestionHashes(facts["questions_hash"], facts["pictures_hash"]) == made
    (logged,) = read_logs([Path(log.location)])
    assert (logged.asked.temperature, logged.asked.max_tokens) == (TEMPERATURE, MAX_TOKENS)
    assert logged.asked.questions == made.texts
    assert f"temperature 0, max_tokens {MAX_TOKENS}" in logged.asked.describe()


def test_logs_are_comparable_only_if_all_that_was_set_agrees(
    store: Path, tmp_path: Path, asked: EvalLog, warm: EvalLog
) -> None:
    same = ask_mock(store, tmp_path / "same")
    unset = read_eval_log(asked.location)
    unset.plan.config.temperature = unset.plan.config.max_tokens = None
    write_eval_log(unset, str(tmp_path / "unset.eval"))
    paths = [*(Path(each.location) for each in (asked, same, warm)), tmp_path / "unset.eval"]
    first, second, third, fourth = (each.asked for each in read_logs(paths))
    assert list_differences(first, second) == []
    assert first.conditions == second.conditions
    assert list_differences(first, third) == ["temperature 0 against 0.7"]
    assert first.conditions != third.conditions
    assert list_differences(first, fourth) == [
        "temperature 0 against provider's default",
        f"max_tokens {MAX_TOKENS} against provider's default",
    ]


@thorough
def test_a_report_names_differences(asked: EvalLog, warm: EvalLog) -> None:
    paths = [each.location for each in (asked, warm)]
    done = CliRunner().invoke(group, ["report", *paths, "--json"])
    assert done.exit_code == 0, done.output
    (report,) = json.loads(done.stdout)
    (said,) = report["differences"]
    assert said.endswith("were asked under different conditions: temperature 0 against 0.7.")
    one, other = (row["conditions"] for row in report["rows"] if row["conditions"])
    assert one != other
    for form in ("markdown", "html", "terminal"):
        done = CliRunner().invoke(group, ["report", *paths, "--format", form])
        assert "temperature 0 against 0.7." in " ".join(done.stdout.split())
