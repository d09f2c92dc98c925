"""Language understanding on simulated dialogues, and how odd predictions are answered."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.frames.tasks.nlu.task import OFFICIAL, TASK
from commonground.errors import SourceError, TaskError
from commonground.metric import Values
from commonground.play.scenarios.frames.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    folder = tmp_path_factory.mktemp("frames")
    simulate(folder, dialogues=3, seed=4)
    return Gold(files=[folder / "frames.json"])


@pytest.fixture
def lines(gold: Gold) -> list[dict[str, Any]]:
    """Right predictions."""
    found = []
    for instance in TASK.instances(gold):
        turn = int(instance.instance_id.rpartition(":")[2])
        line = {"dialogue_id": instance.dialogue_id, "turn": turn, "acts": instance.gold}
        found.append(line)
    return found


def score(folder: Path, gold: Gold, lines: list[Any]) -> Scoring:
    path = folder / "predictions.jsonl"
    path.write_text(
        "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    )
    return TASK.score_file(path, gold)


def values_of(scoring: Scoring) -> Values:
    return TASK.measures[0].combine(sum_counts(e.counts["act_slot_f1"] for e in scoring.instances))


def kinds(scoring: Scoring) -> dict[str, int]:
    assert all(each.official == OFFICIAL[each.kind] for each in scoring.problems)
    return {each.kind: each.count for each in scoring.problems}


def test_right_acts(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    scoring = score(tmp_path, gold, lines)
    assert kinds(scoring) == {}
    assert set(values_of(scoring).values()) == {1.0}


def test_a_wrong_value(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    slots = [s for line in lines for act in line["acts"] for s in act["args"] if s["val"]]
    slots[0]["val"] = "elsewhere"
    values = values_of(score(tmp_path, gold, lines))
    assert values["slot_f1"] == 1
    assert values["value_f1"] is not None
    assert values["value_f1"] < 1


def test_what_differs_in_capitals_is_told(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    texts = [
        slot
        for line in lines
        for act in line["acts"]
        for slot in act["args"]
        if isinstance(slot["val"], str) and slot["val"].upper() != slot["val"]
    ]
    texts[0]["val"] = texts[0]["val"].upper()
    lines[-1]["acts"][0]["name"] = lines[-1]["acts"][0]["name"].upper()
    scoring = score(tmp_path, gold, lines)
    parts = 2 + len(lines[-1]["acts"][0]["args"])  # the slots of an act go with its name
    assert kinds(scoring) == {"other capitals": parts}
    assert values_of(scoring)["value_f1"] != 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_values_that_are_no_usual_numbers(
    gold: Gold, lines: list[Any], tmp_path: Path, value: float
) -> None:
    slots = [s for line in lines for act in line["acts"] for s in act["args"] if s["val"]]
    slots[0]["val"] = value
    scoring = score(tmp_path, gold, lines)
    assert kinds(scoring) == ({"not a number": 1} if value != value else {})
    assert values_of(scoring)["value_f1"] != 1


def test_missing_turns_count_as_empty(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    scoring = score(tmp_path, gold, lines[1:])
    values = values_of(scoring)
    assert kinds(scoring) == {"missing turns": 1}
    assert len(scoring.instances) == len(lines)
    assert values["act_precision"] == 1
    assert values["act_recall"] is not None
    assert values["act_recall"] < 1


def test_a_line_that_names_a_turn_is_wrong(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0]["act"] = lines[0].pop("acts")
    scoring = score(tmp_path, gold, lines)
    assert kinds(scoring) == {"unreadable lines": 1}
    assert "missing required field `acts`" in scoring.problems[0].example
    assert (scoring.instances[0].is_missing, scoring.instances[0].answer) == (False, None)
    assert values_of(scoring)["exact"] == 1 - 1 / len(lines)


def test_the_last_of_repeated_turns_counts(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    scoring = score(tmp_path, gold, [lines[0] | {"acts": []}, *lines])
    assert kinds(scoring) == {"repeated turns": 1}
    assert values_of(scoring)["exact"] == 1


def test_turns_of_nobody_are_left_out(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    wizard = lines[0] | {"turn": 1}
    assert kinds(score(tmp_path, gold, [*lines, wizard])) == {"unknown turns": 1}


def test_cut_off_and_other_lines(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    cut = json.dumps(lines[-1])[:-3]
    found = kinds(score(tmp_path, gold, [*lines[:-1], "", '{"scores": [NaN]}', cut]))
    assert found == {"unreadable lines": 2, "missing turns": 1}


@pytest.mark.parametrize("text", ["[1]", '{"dialogue_id": "x", "scores": [1]}'])
def test_another_file_is_refused(gold: Gold, tmp_path: Path, text: str) -> None:
    with pytest.raises(TaskError, match="no line that predicts a turn"):
        score(tmp_path, gold, [text])


def test_other_dialogues_are_refused(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"Nothing in .* can be scored: .* unknown turns: 1"):
        score(tmp_path, gold, [{"dialogue_id": "nobody", "turn": 0, "acts": []}])


def test_a_missing_file_is_told(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(tmp_path / "none.jsonl", gold)


def test_instances_have_the_allowed_inputs_only(gold: Gold) -> None:
    for instance in TASK.instances(gold):
        assert instance.inputs.keys() == TASK.allowed.keys()


def test_an_archive_beside_its_file_counts_once(gold: Gold, tmp_path: Path) -> None:
    (tmp_path / "frames.json").write_bytes(gold.files[0].read_bytes())
    with zipfile.ZipFile(tmp_path / "original.zip", "w") as archive:
        archive.write(gold.files[0], "frames.json")
    assert list(TASK.instances(Gold(files=[tmp_path]))) == list(TASK.instances(gold))
    (tmp_path / "frames.json").unlink()
    assert list(TASK.instances(Gold(files=[tmp_path]))) == list(TASK.instances(gold))
