"""What is more than a model takes is said before anybody pays for it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from commonground.bench.inspect_tasks import TASKS, tasks
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.bench.inspect_tasks.limits import Limits, find_excess, find_limits
from commonground.cli import group
from commonground.errors import UsageError


def make(store: Path, task: str = "mpchat/si", **options: Any) -> Made:
    corpus = task.partition("/")[0]
    return make_dataset(Asking(task=task, corpus=corpus, split="all", store=str(store), **options))


@pytest.mark.parametrize(
    ("model", "found"),
    [
        # inspect_ai knows the context windows of these; our table how many pictures they take.
        ("openai/gpt-4o", Limits(128_000, 500)),
        ("anthropic/claude-sonnet-4-5", Limits(200_000, 100)),
        ("hf/HuggingFaceTB/SmolLM2-135M-Instruct", Limits(8192, None)),
        ("openai-api/stub/model", Limits()),
    ],
)
def test_limits_are_known(model: str, found: Limits) -> None:
    assert find_limits(model) == found


def test_who_names_limits_knows_better() -> None:
    assert find_limits("openai/gpt-4o", 10, 2) == Limits(10, 2)


def test_questions_over_a_limit_are_counted(store: Path) -> None:
    made = make(store, variant="pictures", max_pictures=1, context=100)
    pictures, tokens = find_excess(made, "openai/gpt-4o")
    n = len(made.dataset)
    assert pictures.startswith(f"mpchat/si: {n} of {n} questions have more pictures than openai/")
    assert "it takes 1. Show fewer pictures with -T variant=fewer" in pictures
    assert f"{n} of {n} questions have more tokens than" in tokens
    assert "it takes 100." in tokens


def test_nothing_is_said_of_what_fits(store: Path) -> None:
    assert find_excess(make(store), "openai/gpt-4o") == []
    assert find_excess(make(store, variant="pictures"), "openai-api/stub/model") == []


def test_the_default_leaves_out_the_pictures_of_candidates(store: Path) -> None:
    usual, text, full = make(store), make(store, variant="text"), make(store, variant="pictures")
    assert [each.facts["variant"] for each in (usual, text, full)] == ["fewer", "text", "pictures"]
    counts = [sum(count_pictures(made)) for made in (text, usual, full)]
    assert counts[0] == 0
    assert counts[1] < counts[2] / 10
    # The post's picture is all that is shown beside the words.
    assert max(count_pictures(usual)) <= 1


def count_pictures(made: Made) -> list[int]:
    contents = [message.content for each in made.dataset for message in each.input]  # type: ignore[union-attr]
    return [sum(getattr(part, "type", "") == "image" for part in each) for each in contents]


def test_tasks_whose_candidates_are_words_show_all_pictures(store: Path) -> None:
    assert make(store, "mpchat/nrp").facts["variant"] == "pictures"
    with pytest.raises(UsageError, match="mpchat/nrp has no pictures of candidates"):
        make(store, "mpchat/nrp", variant="fewer")


def test_an_estimate_warns(store: Path) -> None:
    options = ["--model", "openai/gpt-4o", "--store", str(store), "-T", "split=all"]
    command = [
        "tasks",
        "estimate",
        "mpchat/si",
        *options,
        "-T",
        "variant=pictures",
        "--max-pictures",
        "3",
    ]
    done = CliRunner().invoke(group, command)
    assert done.exit_code == 0, done.output
    assert "have more pictures than openai/gpt-4o takes" in " ".join(done.stdout.split())
    found = json.loads(CliRunner().invoke(group, [*command, "--json"]).stdout)
    pictures, tokens = found["warnings"]
    assert "and it takes 3." in pictures
    assert "and it takes 128,000." in tokens


def test_a_run_warns_before_it_asks(
    store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "active_model", lambda: "openai/gpt-4o")
    with caplog.at_level(logging.WARNING):
        TASKS["mpchat_si"](store=str(store), split="all", context=100)
    assert "questions have more tokens than openai/gpt-4o takes" in caplog.text
