from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, message, small_log

from commonground.bench.evaluation.prompts import get_prompt, pose_question, read_answer
from commonground.corpora.photobook.tasks.marks.task import TASK, combine_labels
from commonground.errors import TaskError
from commonground.metric import Values
from commonground.play.scenarios.photobook.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Instance, Scoring


def make_log() -> dict[str, Any]:
    """The small log with a mark in round 2, which is wrong: A says that only A has the sun."""
    log = small_log()
    log["rounds"][1]["messages"] += [
        message("01:00:03.000000", 1, "A", f"<selection> <com> {SUN}"),
        message("01:00:04.000000", 1, "A", "no, I have not"),
        message("01:00:05.000000", 2, "A", f"<selection> <dif> {SUN}"),
        message("01:00:06.000000", 2, "B", "oh, I have"),
    ]
    return log


def write_gold(tmp_path: Path, log: dict[str, Any]) -> Gold:
    path = tmp_path / "12_7_9_3.json"
    path.write_text(json.dumps(log))
    return Gold(files=[path])


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    return write_gold(tmp_path, make_log())


def predict(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "predicted.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts))
    return path


def label(name: str, said: str) -> dict[str, str]:
    return {"instance_id": name, "label": said}


RIGHT = [label("12:1:A:1", "common"), label("12:1:B:1", "different"), label("12:2:A:1", "common")]


def values(scoring: Scoring, measure: str = "truth") -> Values:
    return combine_labels(
        sum_counts(s.counts[measure] for s in scoring.instances if measure in s.counts)
    )


def kinds(scoring: Scoring) -> dict[str, int]:
    return {problem.kind: problem.count for problem in scoring.problems}


def test_an_instance_is_a_marked_image_and_ends_with_its_last_mark(gold: Gold) -> None:
    sun, owl, again = TASK.instances(gold)
    assert [each.instance_id for each in (sun, owl, again)] == [x["instance_id"] for x in RIGHT]
    assert [each.event for each in (sun, owl, again)] == [2, 3, 11]
    assert [each.gold for each in (sun, owl, again)] == ["common", "different", "common"]
    before = [[1, "A", "a yellow sun?"], [1, "B", "yes"]]
    assert sun.inputs == {
        "player": "A",
        "round": 1,
        "images": [SUN, SEA],
        "image": SUN,
        "dialogue": before,
    }
    told = [[2, "B", "sun again"], [2, "A", "no, I have not"]]
    assert again.inputs["dialogue"] == [*before, *told]


def test_an_image_that_is_never_marked_or_not_highlighted_is_none(tmp_path: Path) -> None:
    log = make_log()
    log["rounds"][0]["messages"].insert(2, message("00:00:06", 2, "A", f"<selection> <com> {SEA}"))
    log["rounds"][0]["messages"].pop(4)
    found = [each.instance_id for each in TASK.instances(write_gold(tmp_path, log))]
    assert found == ["12:1:A:1", "12:2:A:1"]


def test_no_input_names_what_only_the_partner_sees(tmp_path: Path) -> None:
    simulate(tmp_path / "c", dialogues=4, seed=1)
    games = {
        str(game["game_id"]): game
        for path in (tmp_path / "c").rglob("*_*_*_*.json")
        for game in [json.loads(path.read_text())]
    }
    listed = list(TASK.instances(Gold(files=[tmp_path / "c"])))
    assert listed
    for each in listed:
        page = games[each.dialogue_id]["rounds"][each.inputs["round"] - 1]
        theirs = set(page["images"]["B" if each.inputs["player"] == "A" else "A"])
        only_theirs = theirs.difference(page["images"][each.inputs["player"]])
        told = json.dumps(each.inputs)
        assert only_theirs
        assert not any(image in told for image in only_theirs)


def test_both_golds_and_the_people(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, *RIGHT), gold)
    assert scoring.problems == []
    assert values(scoring)["accuracy"] == 1
    # A marked the sun of round 2 as different, which is wrong.
    assert values(scoring, "player")["accuracy"] == pytest.approx(2 / 3)
    assert values(scoring, "people")["accuracy"] == pytest.approx(2 / 3)
    mine = [*RIGHT[:2], label("12:2:A:1", "different")]
    again = TASK.score_file(predict(tmp_path, *mine), gold)
    assert values(again, "player")["accuracy"] == 1
    assert values(again)["accuracy"] == pytest.approx(2 / 3)
    assert values(again, "people") == values(scoring, "people")


def test_each_round_has_numbers_of_its_own(gold: Gold, tmp_path: Path) -> None:
    mine = [*RIGHT[:2], label("12:2:A:1", "different")]
    scoring = TASK.score_file(predict(tmp_path, *mine), gold)
    assert values(scoring, "truth_round_1")["accuracy"] == 1
    assert values(scoring, "truth_round_2")["accuracy"] == 0
    assert values(scoring, "truth_round_3")["accuracy"] is None


def test_labels_have_an_f1_each(gold: Gold, tmp_path: Path) -> None:
    lines = [label(each["instance_id"], "common") for each in RIGHT]
    found = values(TASK.score_file(predict(tmp_path, *lines), gold))
    # Two of three are common, and all three are said to be.
    assert found["common_precision"] == pytest.approx(2 / 3)
    assert found["common_recall"] == 1
    assert found["common_f1"] == pytest.approx(4 / 5)
    assert found["different_f1"] == 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("[1]", "lines that are not JSON objects"),
        ({"label": "common"}, "lines without instance_id"),
        (label("12:1:A:2", "common"), "unknown marks"),
        (RIGHT[0], "repeated marks"),
    ],
)
def test_lines_that_are_passed_over(gold: Gold, tmp_path: Path, line: Any, kind: str) -> None:
    scoring = TASK.score_file(predict(tmp_path, RIGHT[0], line, *RIGHT[1:]), gold)
    assert kinds(scoring) == {kind: 1}
    assert values(scoring)["accuracy"] == 1


@pytest.mark.parametrize("said", ["both", "Common", None, 1, ["common"], {"common": 1}])
def test_a_label_that_is_none_is_wrong(gold: Gold, tmp_path: Path, said: Any) -> None:
    scoring = TASK.score_file(predict(tmp_path, label("12:1:A:1", said), *RIGHT[1:]), gold)
    assert kinds(scoring) == {"lines without one of the two labels": 1}
    assert values(scoring)["accuracy"] == pytest.approx(2 / 3)


def test_a_missing_mark_is_told_and_wrong(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, *RIGHT[:2]), gold)
    assert kinds(scoring) == {"missing marks": 1}
    assert [each.is_missing for each in scoring.instances] == [False, False, True]
    assert values(scoring, "truth_round_2")["accuracy"] == 0


def test_nothing_to_score(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="No line of"):
        TASK.score_file(predict(tmp_path, label("12:9:A:1", "common")), gold)


def make_round(*sent: tuple[str, str], score: tuple[int, int] = (3, 3)) -> dict[str, Any]:
    """A round of two pages of three images, all highlighted, of which they share the sun."""
    log = small_log()
    log["rounds"] = log["rounds"][:1]
    log["rounds"][0] |= {
        "score": {"A": score[0], "B": score[1]},
        "images": {"A": [SUN, SEA, "x/1.jpg"], "B": [SUN, OWL, "x/2.jpg"]},
        "highlighted": {"A": [True] * 3, "B": [True] * 3},
        "messages": [
            message(f"00:00:{second:02}.000001", 0, speaker, text)
            for second, (speaker, text) in enumerate(sent)
        ],
    }
    return log


MARKS = [
    ("A", f"<selection> <com> {SUN}"),
    ("A", f"<selection> <dif> {SEA}"),
    ("A", "<selection> <dif> x/1.jpg"),
    ("B", f"<selection> <com> {SUN}"),
    ("B", f"<selection> <dif> {OWL}"),
    ("B", "<selection> <dif> x/2.jpg"),
]


@pytest.mark.parametrize(
    ("log", "counted"),
    [
        (make_round(("A", "hi"), *MARKS), 6),
        # A mark that was changed is the last one.
        (make_round(("A", "hi"), ("A", f"<selection> <dif> {SUN}"), *MARKS), 6),
        (make_round(("A", "hi"), *MARKS, score=(3, 2)), 0),
        (make_round(("A", "hi"), *MARKS[:5]), 0),
        (make_round(MARKS[0], ("A", "hi"), *MARKS[1:]), 0),
        # Before the first text stands a mark that was made again later.
        (make_round(MARKS[0], ("A", "hi"), *MARKS), 6),
    ],
)
def test_rounds_that_others_score(tmp_path: Path, log: dict[str, Any], counted: int) -> None:
    gold = write_gold(tmp_path, log)
    lines = [label(each.instance_id, str(each.gold)) for each in TASK.instances(gold)]
    scoring = TASK.score_file(predict(tmp_path, *lines), gold)
    assert sum("wu2023" in each.counts for each in scoring.instances) == counted


def ask(instance: Instance, text: str) -> object:
    prompt = get_prompt("photobook/marks")
    return read_answer(prompt, pose_question(prompt, instance), text)


@pytest.mark.parametrize(
    "text", ['{"label": "common"}', '"common"', '{"label": " Common"}', '{"answer": "common"}']
)
def test_a_reply_is_read_in_any_form(gold: Gold, text: str) -> None:
    assert ask(next(iter(TASK.instances(gold))), text) == "common"


def test_models_see_pictures_by_number(gold: Gold) -> None:
    prompt = get_prompt("photobook/marks")
    shown = pose_question(prompt, next(iter(TASK.instances(gold)))).instance
    assert shown.inputs["images"] == ["picture 1", "picture 2"]
    assert shown.inputs["image"] == "picture 1"
    assert SUN not in json.dumps(shown.inputs)
