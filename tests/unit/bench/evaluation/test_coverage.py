from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.bench.evaluation.coverage import Coverage
from commonground.bench.evaluation.scoring import Result, evaluate_predictions
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import UsageError
from commonground.store.corpus import Corpus
from commonground.task import Gold

Predict = Callable[[dict[str, str]], Path]
MOODS = {"train": {"a": "glad", "b": "sad"}, "test": {"c": "glad", "d": "sad", "e": "sad"}}


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    """Two dialogues to learn from and three to be tested on, of a line each."""
    return make_corpus(**MOODS)


@pytest.fixture
def evaluate(corpus: Corpus, tmp_path: Path) -> Callable[..., Result]:
    """Scores moods by dialogue."""

    def run(moods: dict[str, str], split: str | None = None) -> Result:
        path = write(tmp_path, moods)
        gold = Gold(corpus=corpus, split=split)
        return evaluate_predictions(get_task("toy/mood"), path, gold).result

    return run


def write(folder: Path, moods: dict[str, str]) -> Path:
    path = folder / "predicted.json"
    path.write_text(json.dumps({f"{name}:0": mood for name, mood in moods.items()}))
    return path


def name(split: str, predicted: int, of: int) -> Coverage:
    return Coverage(split=split, predicted=predicted, of=of)


def test_predictions_of_a_split_are_scored_on_it(evaluate: Callable[..., Result]) -> None:
    result = evaluate(MOODS["test"])
    assert (result.split, result.n, result.is_inferred) == ("test", 3, True)
    assert result.coverage == [name("test", 3, 3)]
    assert not result.problems
    assert result.measures[0].values[0].value == 1


def test_what_is_missing_of_it_is_told_and_left_out(evaluate: Callable[..., Result]) -> None:
    result = evaluate({"c": "glad", "d": "glad"})
    assert (result.split, result.n) == ("test", 2)
    assert result.coverage == [name("test", 2, 3)]
    assert [(each.kind, each.count) for each in result.problems] == [("missing lines", 1)]
    assert result.measures[0].values[0].value == 0.5


def test_predictions_of_several_splits(evaluate: Callable[..., Result]) -> None:
    result = evaluate({"a": "glad", "c": "glad", "d": "sad", "e": "sad"})
    assert (result.split, result.n) == (None, 4)
    assert result.coverage == [name("train", 1, 2), name("test", 3, 3)]


def test_a_split_that_is_asked_for_is_not_inferred(evaluate: Callable[..., Result]) -> None:
    result = evaluate({"a": "glad", "c": "glad"}, split="test")
    assert (result.split, result.is_inferred) == ("test", False)
    assert result.coverage == [name("test", 1, 3)]


def test_all_that_is_there_is_scored_where_that_is_asked_for(
    corpus: Corpus, tmp_path: Path, run_evaluate: Callable[..., str]
) -> None:
    path = write(tmp_path, {"c": "glad", "d": "glad"})
    shown = " ".join(run_evaluate("--predictions", str(path), "--split", "all").split())
    assert "2 of 2 instances of train missing 1 of 3 instances of test missing" in shown
    assert "left out" not in shown
    assert "which the predictions name" not in shown


def test_the_command_line_says_which_split_and_what_is_missing(
    corpus: Corpus, tmp_path: Path, run_evaluate: Callable[..., str]
) -> None:
    path = write(tmp_path, {"c": "glad", "d": "sad"})
    shown = " ".join(run_evaluate("--predictions", str(path)).split())
    assert shown.startswith(
        "toy/mood: 2 instances of test (which the predictions name), 1 skipped "
        "1 of 3 instances of test missing They are left out"
    )
    assert "--split scores a split in full, --split all every split" in shown


def test_a_mode_that_a_task_does_not_have(corpus: Corpus, tmp_path: Path) -> None:
    path = write(tmp_path, {"c": "glad"})
    with pytest.raises(UsageError, match="toy/mood has no mode 'single-round'"):
        evaluate_predictions(get_task("toy/mood"), path, Gold(corpus=corpus), mode="single-round")
    with pytest.raises(UsageError, match="There is no mode 'single' of simmc/dst"):
        evaluate_predictions(get_task("simmc/dst"), path, Gold(files=[path]), mode="single")


def test_numbers_of_one_dialogue_have_no_interval_and_it_is_said(
    corpus: Corpus, tmp_path: Path, run_evaluate: Callable[..., str]
) -> None:
    alone = run_evaluate("--predictions", str(write(tmp_path, {"c": "glad"})))
    assert "No 95 % intervals: there are too few dialogues" in alone
    several = run_evaluate("--predictions", str(write(tmp_path, MOODS["test"])))
    assert "No 95 % intervals" not in several
    assert "95 %" in several
    silent = run_evaluate("--predictions", str(write(tmp_path, {"c": "glad"})), "--no-intervals")
    assert "95 %" not in silent
