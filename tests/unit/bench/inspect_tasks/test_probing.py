"""Whether a model has memorised a corpus shows against a control."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import score as score_again
from inspect_ai._util.error import PrerequisiteError
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.saying import list_values, run, say_target

from commonground.bench.inspect_tasks.probing import (
    BEFORE,
    Overlap,
    measure_overlap,
    probe,
    recalled,
    summarise,
)
from commonground.cli import group

REAL = "I would like to fly from Rome to Oslo, please!"


@pytest.mark.parametrize(
    ("said", "overlap"),
    [
        # Ten words, so seven runs of four.
        (REAL, Overlap(1.0, 1.0, 1)),
        ("well, i would like to FLY from rome to oslo", Overlap(0.9, 6 / 7, 1)),
        # "to fly from" is the longest run.
        ("Shall we go to fly from here?", Overlap(0.3, 0.0, 0)),
        ("", Overlap(0.0, 0.0, 0)),
    ],
)
def test_overlap_is_of_the_real_turn(said: str, overlap: Overlap) -> None:
    assert measure_overlap(said, REAL) == overlap


def test_who_knows_by_heart_is_found(store: Path, tmp_path: Path) -> None:
    log = run(probe("frames", store=str(store)), say_target, tmp_path)
    values = list_values(log)
    assert values["run"] == values["verbatim"] == values["verbatim_low"] == 1
    assert values["run_more_low"] > 0
    again = score_again(log, recalled(), action="overwrite", display="none")
    assert list_values(again) == values
    done = CliRunner().invoke(group, ["report", log.location.removeprefix("file://"), "--json"])
    assert done.exit_code == 0, done.output
    (report,) = json.loads(done.stdout)
    assert report["task"] == "commonground/probe"
    assert report["rows"][0]["numbers"]["verbatim"]["low"] == 1


ECHOED = "I would like to fly from Rome"


@pytest.mark.parametrize(
    ("said", "overlap"),
    [
        # Who repeats what was shown has memorised nothing.
        (ECHOED, Overlap(0.0, 0.0, 0)),
        # New are three words, "to Oslo please", and the runs of four that end in one of them.
        (REAL, Overlap(1.0, 1.0, 0)),
        ("from rome to oslo", Overlap(2 / 3, 1 / 3, 0)),
    ],
)
def test_what_was_shown_does_not_count(said: str, overlap: Overlap) -> None:
    assert measure_overlap(said, REAL, ECHOED) == overlap


@pytest.mark.parametrize("corpus", a_few(["photobook", "frames", "taskmaster3"], ["frames"]))
def test_an_echo_scores_nothing(store: Path, tmp_path: Path, corpus: str) -> None:
    log = run(probe(corpus, store=str(store)), lambda state: state.input_text, tmp_path)
    assert set(list_values(log).values()) == {0}


def test_who_says_something_else_is_not(store: Path, tmp_path: Path) -> None:
    values = list_values(run(probe("frames", store=str(store)), lambda _state: "Hm.", tmp_path))
    assert values["run"] == values["run_control"] == values["verbatim"] == 0


def test_a_question_ends_before_the_turn_that_is_asked_for(store: Path) -> None:
    task = probe("frames", limit=3, store=str(store))
    assert len({(each.metadata or {})["dialogue_id"] for each in task.dataset}) == 3
    for each in task.dataset:
        assert isinstance(each.input, str)
        assert each.input.count("\n") >= BEFORE
        assert str(each.target) not in each.input
        assert measure_overlap(str(each.target), str(each.target), each.input).verbatim
        told = each.metadata or {}
        assert told["control_dialogue_id"] != told["dialogue_id"]


def test_differences_have_intervals() -> None:
    # Means of 1 and 0 and of 0 and 0: half, nothing, and half more.
    found = summarise([{"run": 1, "run_control": 0}, {"run": 0, "run_control": 0}])
    assert (found["run"], found["run_control"], found["run_more"]) == (0.5, 0.0, 0.5)
    assert (found["run_more_low"], found["run_more_high"]) == (0.0, 1.0)
    assert summarise([]) == {}


def test_nothing_to_ask_for_is_said(store: Path) -> None:
    with pytest.raises(PrerequisiteError, match="Fewer than two dialogues of split 'none'"):
        probe("frames", split="none", store=str(store))
