from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonground.cli import main
from commonground.corpora.simmc.tasks.dst.task import TASK
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring

FIRST = "User : one => Belief State : DA:ASK:GET [ fashion-O = OBJECT_1 ] <EOB> a <EOS>"
SECOND = "User : one System : a User : two => Belief State : ERR:UNSURE [  ] <EOB> b <EOS>"
THIRD = "User : three => Belief State : DA:ASK:GET [ color = red, size = M ] <EOB> c <EOS>"
LINES = (FIRST, SECOND, THIRD)


def score(folder: Path, gold: str, predicted: str, *, single: bool = False) -> Scoring:
    path = folder / ("fashion_dev_dials.json" if gold[0] == "{" else "fashion_dev_dials_target.txt")
    path.write_text(gold)
    (folder / "predicted").write_text(predicted)
    named = Gold(files=[path])
    return TASK.score_file(folder / "predicted", named, mode="single-round" if single else None)


def value(scoring: Scoring, name: str, measure: int = 0) -> float | None:
    chosen = TASK.measures[measure]
    return chosen.combine(sum_counts(each.counts[chosen.name] for each in scoring.instances))[name]


def kinds(scoring: Scoring) -> dict[str, int]:
    return {each.kind: each.count for each in scoring.problems}


def dials(*dialogues: tuple[int, list[Any]]) -> str:
    data = [
        {"dialogue_idx": number, "dialogue": [{"belief_state": state} for state in states]}
        for number, states in dialogues
    ]
    return json.dumps({"dialogue_data": data})


RED = [{"act": "ASK", "slots": [["fashion-color", "red, dark"]]}]
BLUE = [{"act": "ASK", "slots": [["fashion-color", "blue"]]}]


def test_right_lines_are_all_right(tmp_path: Path) -> None:
    scoring = score(tmp_path, "\n".join(LINES), "\n".join(LINES) + "\n")
    assert value(scoring, "joint_accuracy") == 1
    assert [each.instance_id for each in scoring.instances] == [
        "fashion-dev#0:0",
        "fashion-dev#0:1",
        "fashion-dev#1:0",
    ]
    assert not scoring.problems


def test_single_round_takes_last_turns(tmp_path: Path) -> None:
    scoring = score(tmp_path, "\n".join(LINES), "\n".join(LINES), single=True)
    assert [each.instance_id for each in scoring.instances] == [
        "fashion-dev#0:1",
        "fashion-dev#1:0",
    ]


@pytest.mark.parametrize(
    ("lines", "kind", "count"),
    [
        ((FIRST, SECOND), "missing turns", 1),
        ((*LINES, THIRD), "extra turns", 1),
        ((FIRST, SECOND, THIRD[:40]), "unparsed turns", 1),
        ((FIRST, "", THIRD), "empty lines", 1),
        ((FIRST, SECOND.replace("ERR:UNSURE [  ]", ""), THIRD), "lines without an act", 1),
        ((FIRST, SECOND, THIRD.replace("[", "(")), "lines without an act", 1),
        ((FIRST, FIRST, SECOND), "other contexts", 2),
        ((FIRST, SECOND.replace("[  ]", "[  ] ERR:X [  ]"), THIRD), "extra frames", 1),
    ],
)
def test_wrong_lines_are_told(
    tmp_path: Path, lines: tuple[str, ...], kind: str, count: int
) -> None:
    assert kinds(score(tmp_path, "\n".join(LINES), "\n".join(lines)))[kind] == count


@pytest.mark.parametrize("text", ["", "hello\nworld", "[1, 2]", '{"dialogue_data": [1]}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaskError, match="predicted"):
        score(tmp_path, "\n".join(LINES), text)


def test_json_is_compared_as_it_is(tmp_path: Path) -> None:
    other = [{"act": "ASK", "slots": [["fashion-color", "red"]]}]
    scoring = score(tmp_path, dials((1, [RED, RED])), dials((1, [RED, other])))
    # One of two frames is right: by way of a line "red, dark" would be "red", too.
    assert value(scoring, "joint_accuracy") == 0.5


def test_json_in_other_order_is_told(tmp_path: Path) -> None:
    scoring = score(tmp_path, dials((1, [RED]), (2, [BLUE])), dials((2, [BLUE]), (1, [RED])))
    assert value(scoring, "joint_accuracy", 0) == 0
    assert value(scoring, "joint_accuracy", 1) == 1
    assert kinds(scoring)["other order"] == 2


def test_json_dialogues_are_checked(tmp_path: Path) -> None:
    gold = dials((1, [RED, RED]), (2, [BLUE]))
    scoring = score(tmp_path, gold, dials((1, [RED]), (1, [RED]), (9, [RED])))
    found = kinds(scoring)
    names = ("missing turns", "unknown dialogues", "repeated dialogues", "extra turns")
    assert [found[name] for name in names] == [1, 1, 1, 1]


def test_json_turn_without_list_is_told(tmp_path: Path) -> None:
    scoring = score(tmp_path, dials((1, [RED])), dials((1, [{}])))
    assert kinds(scoring) == {"unparsed turns": 1, "divisions by zero": 2}


def test_public_form_is_no_gold(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="No belief state"):
        score(tmp_path, dials((1, [{}])), dials((1, [RED])))


def test_instances_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "fashion_dev_dials_target.txt"
    path.write_text("\n".join(LINES))
    found = list(TASK.instances(Gold(files=[path])))
    assert found[0].inputs["context"] == "User : one"
    assert all(set(each.inputs) <= set(TASK.allowed) for each in found)


def test_an_act_of_null_is_predicted_all_the_same(tmp_path: Path) -> None:
    nothing = [{"act": None, "slots": [["fashion-color", "red, dark"]]}]
    scoring = score(tmp_path, dials((1, [RED, RED])), dials((1, [nothing, RED])))
    # Two acts are predicted, one of them right; the official script looks whether "act" is there.
    assert value(scoring, "act_prec") == 0.5
    assert value(scoring, "slot_prec") == 1


def test_malformed_acts_and_slots_are_told(tmp_path: Path) -> None:
    odd = ["ASK", {"act": "ASK", "slots": [["fashion-color"], ["a", "b", "c"]]}, {"slots": "none"}]
    scoring = score(tmp_path, dials((1, [RED, RED])), dials((1, [odd, RED])))
    # A text for an act, two slots that are no pairs, and slots that are no list.
    assert kinds(scoring)["malformed acts or slots"] == 4


# evaluate_dst.py of facebookresearch/simmc@2747421 stops on each with a ZeroDivisionError.
STOPPED = {
    "nothing predicted": ("=> Belief State : <EOB>", 2),
    "no slot predicted": ("=> Belief State : DA:ASK:GET [  ] <EOB>", 1),
    "no act right": ("=> Belief State : ERR:UNSURE [ fashion-O = OBJECT_1 ] <EOB>", 1),
}


@pytest.mark.parametrize("name", STOPPED)
def test_where_the_script_divides_by_zero_is_told(tmp_path: Path, name: str) -> None:
    line, count = STOPPED[name]
    assert kinds(score(tmp_path, FIRST, line))["divisions by zero"] == count


def test_the_screen_says_what_is_undefined_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    score(tmp_path, FIRST, "=> Belief State : DA:ASK:GET [  ] <EOB>")
    gold = str(tmp_path / "fashion_dev_dials_target.txt")
    words = ["evaluate", "simmc/dst", "--predictions", str(tmp_path / "predicted"), "--gold", gold]
    monkeypatch.setattr("sys.argv", ["commonground", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    shown = " ".join(capsys.readouterr().out.split())
    assert "slot_prec is undefined: n_correct_slots is 0, n_pred_slots is 0" in shown
    counts = "n_correct_slots is 0, n_true_slots is 1, n_pred_slots is 0"
    assert f"1 × divisions by zero, such as {counts}" in shown


@pytest.mark.parametrize("words", [["--mode", "single-round"], ["--single-round"]])
def test_the_command_line_offers_the_mode(
    tmp_path: Path,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    score(tmp_path, f"{FIRST}\n{SECOND}", f"{FIRST}\n{SECOND}")
    gold = str(tmp_path / "fashion_dev_dials_target.txt")
    command = ["evaluate", "simmc/dst", "--predictions", str(tmp_path / "predicted")]
    monkeypatch.setattr("sys.argv", ["commonground", *command, "--gold", gold, "--json", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    result = json.loads(capsys.readouterr().out)
    assert (result["mode"], result["n"]) == ("single-round", 1)
