from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import commonground as cg
from commonground.bench.evaluation.comparing import ComparedFiles, MeasureComparison, put_main_first
from commonground.errors import TaskError
from commonground.metric import Metric
from commonground.store.corpus import Corpus

NAMES = [f"t{number}" for number in range(12)]
TEST = "approximate randomisation over dialogues, 1,000 rounds, two-sided"


@pytest.fixture
def store(make_corpus: Callable[..., Corpus]) -> Path:
    """Twelve glad dialogues of a line each."""
    return make_corpus(test=dict.fromkeys(NAMES, "glad")).store.path


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Writes a file of predictions of which so many are right."""

    def write(right: int, names: list[str] = NAMES) -> str:
        path = tmp_path / f"right-{right}-of-{len(names)}.json"
        moods = {f"{name}:0": "glad" if k < right else "sad" for k, name in enumerate(names)}
        path.write_text(json.dumps(moods))
        return str(path)

    return write


def test_which_is_better_by_how_much_and_how_sure(store: Path, write: Callable[..., str]) -> None:
    compared = cg.compare("toy/mood", write(9), write(3), store=store)
    assert (compared.test, compared.dialogues, compared.instances) == (TEST, 12, 12)
    (number,) = compared.numbers
    assert (number.first, number.second, number.difference) == (0.75, 0.25, 0.5)
    assert number.better == "first"
    # Six dialogues differ, all one way: two of 64 swaps are as extreme.
    assert number.p_value == pytest.approx(2 / 64, abs=0.015)
    # Six of twelve differ by 1: 0.5, and 1.96 · √(1/4 / 12) = 0.28 to either side.
    assert number.low == pytest.approx(0.5 - 0.28, abs=0.06)
    assert number.high == pytest.approx(0.5 + 0.28, abs=0.06)


def test_the_other_way_round(store: Path, write: Callable[..., str]) -> None:
    (there,) = cg.compare("toy/mood", write(9), write(3), store=store).numbers
    (back,) = cg.compare("toy/mood", write(3), write(9), store=store).numbers
    assert (back.better, back.difference) == ("second", -0.5)
    assert back.p_value == there.p_value


def test_the_same_predictions(store: Path, write: Callable[..., str]) -> None:
    (same,) = cg.compare("toy/mood", write(6), write(6), store=store).numbers
    assert (same.better, same.difference, same.low, same.high) == ("neither", 0, 0, 0)
    assert same.p_value == 1


def test_different_instances_are_not_compared(store: Path, write: Callable[..., str]) -> None:
    with pytest.raises(TaskError, match="different instances: 2 are in one only, such as t10:0"):
        cg.compare("toy/mood", write(9), write(9, NAMES[:10]), store=store)


@pytest.fixture
def run(
    store: Path, write: Callable[..., str], run_evaluate: Callable[..., str]
) -> Callable[..., str]:
    return lambda *options: run_evaluate("--predictions", write(9), "--compare", write(3), *options)


def test_the_command_line_names_the_test(run: Callable[..., str]) -> None:
    output = " ".join(run().split())
    assert f"right-3-of-12.json on 12 instances of 12 dialogues: {TEST}" in output
    assert "0.7500 0.2500 0.5000" in output
    assert output.endswith("this")


def test_json_has_all_of_it(run: Callable[..., str]) -> None:
    compared: dict[str, Any] = json.loads(run("--json"))["compared"]
    assert compared["test"] == TEST
    assert compared["numbers"][0]["better"] == "first"
    assert set(compared) == set(ComparedFiles.__struct_fields__)


def test_lower_is_better_where_a_measure_says_so() -> None:
    measure = Metric(
        name="ranks",
        version="1",
        title="",
        score=dict,
        combine=dict,
        lower=("mean*",),
        neutral=("n",),
        best={"loglik": 0.0},
    )
    assert [measure.find_direction(name) for name in ("mean_rank", "r1", "n")] == [-1, 1, 0]
    assert [measure.find_best(name) for name in ("r1", "loglik", "n")] == [1, 0, None]


def test_main_numbers_come_first_and_are_corrected_for_their_count() -> None:
    def number(measure: str, name: str, p_value: float | None) -> MeasureComparison:
        return MeasureComparison(
            measure=measure,
            name=name,
            first=0.0,
            second=0.0,
            difference=0.0,
            low=0.0,
            high=0.0,
            p_value=p_value,
            better="neither",
        )

    numbers = [number("a", "n", 0.5), number("a", "f1", 0.04), number("b", "f1", 0.03)]
    found = put_main_first(("b:f1", "a:f1", "a:none"), [*numbers, number("b", "x", None)])
    # 2 · .03, and .04 raised to that.
    assert [(each.measure, each.name, each.p_holm) for each in found] == [
        ("b", "f1", pytest.approx(0.06)),
        ("a", "f1", pytest.approx(0.06)),
        ("a", "n", None),
        ("b", "x", None),
    ]
    # Of a task that names none, the first three that can be tested.
    assert [each.is_main for each in put_main_first((), numbers)] == [True, True, True]


def test_what_is_printed_and_what_python_shows_say_the_same(
    run: Callable[..., str], store: Path, write: Callable[..., str]
) -> None:
    compared = cg.compare("toy/mood", write(9), write(3), store=store)
    assert compared.note in " ".join(run().split())
    assert compared.note in str(compared)
