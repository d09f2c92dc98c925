from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, message, small_log

from commonground.bench.evaluation.scoring import evaluate_predictions
from commonground.corpora.photobook.tasks.reference.task import TASK
from commonground.errors import TaskError
from commonground.metric import Values
from commonground.play.scenarios.photobook.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, select_inputs


def make_log() -> dict[str, Any]:
    """The small log with a click on the sun in round 2: segments 12:0 and 12:1."""
    log = small_log()
    click = message("01:00:01.500000", 1, "B", f"<selection> <com> {SUN}")
    log["rounds"][1]["messages"].insert(1, click)
    return log


def write_gold(tmp_path: Path, log: dict[str, Any]) -> Gold:
    path = tmp_path / "12_7_9_3.json"
    path.write_text(json.dumps(log))
    return Gold(files=[path])


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    return write_gold(tmp_path, make_log())


FIRST = {"instance_id": "12:0", "targets": [SUN, OWL]}
SECOND: dict[str, Any] = {"instance_id": "12:1", "scores": {SUN: 0.9, SEA: 0.2, OWL: 0.1}}


def predict(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "predicted.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts))
    return path


def values(scoring: Scoring, measure: str = "set_f1") -> Values:
    combine = next(m.combine for m in TASK.measures if m.name == measure)
    return combine(sum_counts(s.counts[measure] for s in scoring.instances if measure in s.counts))


def kinds(scoring: Scoring) -> dict[str, int]:
    return {problem.kind: problem.count for problem in scoring.problems}


def test_right_choices(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, FIRST, SECOND), gold)
    assert scoring.problems == []
    for measure in TASK.measures:
        assert set(values(scoring, measure.name).values()) == {1.0}


def test_first_and_later_mentions(gold: Gold, tmp_path: Path) -> None:
    wrong = {"instance_id": "12:1", "scores": {SUN: 0.1, SEA: 0.7, OWL: 0.0}}
    scoring = TASK.score_file(predict(tmp_path, FIRST, wrong), gold)
    assert values(scoring, "set_f1_first")["f1"] == 1
    later = values(scoring, "set_f1_later")
    # Of three images only the owl is judged right; the sun comes second.
    assert later["accuracy"] == pytest.approx(1 / 3)
    assert (later["f1"], later["mrr"]) == (0, 0.5)


def test_targets_go_before_scores(gold: Gold, tmp_path: Path) -> None:
    both = SECOND | {"targets": [SEA]}
    scoring = TASK.score_file(predict(tmp_path, FIRST, both), gold)
    assert scoring.instances[1].predicted == [SEA]
    found = values(scoring, "set_f1_later")
    assert (found["precision"], found["mrr"]) == (0, 1)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("{", "lines that are not JSON objects"),
        ("[1]", "lines that are not JSON objects"),
        ({"targets": []}, "lines without instance_id"),
        ({"instance_id": "12:9", "targets": []}, "unknown segments"),
        (FIRST, "repeated segments"),
    ],
)
def test_lines_that_are_passed_over(gold: Gold, tmp_path: Path, line: Any, kind: str) -> None:
    scoring = TASK.score_file(predict(tmp_path, FIRST, line, SECOND), gold)
    assert kinds(scoring) == {kind: 1}
    assert values(scoring)["exact"] == 1


@pytest.mark.parametrize("content", [{}, {"scores": [1]}, {"targets": SUN}, {"text": "hi"}])
def test_lines_without_a_choice(gold: Gold, tmp_path: Path, content: dict[str, Any]) -> None:
    scoring = TASK.score_file(predict(tmp_path, FIRST, {"instance_id": "12:1"} | content), gold)
    assert kinds(scoring) == {"lines without scores or targets": 1}


def test_missing_segments_are_not_right_in_anything(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, FIRST), gold)
    assert kinds(scoring) == {"missing segments": 1}
    found = values(scoring, "set_f1_later")
    assert (found["accuracy"], found["recall"], found["first"]) == (0, 0, 0)
    assert scoring.instances[1].predicted is None


def test_missing_segments_are_left_out_unless_the_split_is_asked_for(tmp_path: Path) -> None:
    gold = write_gold(tmp_path, make_log())
    other = {**make_log(), "game_id": 13}
    (tmp_path / "13_7_9_3.json").write_text(json.dumps(other))
    splits = {"train": [13], "val": [], "test": [12], "dev": []}
    (tmp_path / "data_splits.json").write_text(json.dumps(splits))
    files = [*gold.files, tmp_path / "13_7_9_3.json", tmp_path / "data_splits.json"]
    path = predict(tmp_path, FIRST)
    found = [
        evaluate_predictions(TASK, path, Gold(files=files, split=split), intervals=False).result
        for split in (None, "test")
    ]
    assert [result.n for result in found] == [1, 2]
    assert [result.split for result in found] == ["test", "test"]
    assert [(each.predicted, each.of) for r in found for each in r.coverage] == [(1, 2), (1, 2)]
    recall = [next(v.value for v in r.measures[0].values if v.name == "recall") for r in found]
    # Two images of the first segment, one of the second.
    assert recall == [1, pytest.approx(2 / 3)]


def test_a_split_whose_lines_lack_scores_counts(tmp_path: Path) -> None:
    gold = write_gold(tmp_path, make_log())
    (tmp_path / "13_7_9_3.json").write_text(json.dumps({**make_log(), "game_id": 13}))
    splits = {"train": [13], "val": [], "test": [12], "dev": []}
    (tmp_path / "data_splits.json").write_text(json.dumps(splits))
    files = [*gold.files, tmp_path / "13_7_9_3.json", tmp_path / "data_splits.json"]
    empty = [{"instance_id": f"13:{number}", "score": {}} for number in range(2)]
    path = predict(tmp_path, FIRST, SECOND, *empty)
    result = evaluate_predictions(TASK, path, Gold(files=files), intervals=False).result
    covered = {each.split: (each.predicted, each.of) for each in result.coverage}
    assert covered == {"train": (2, 2), "test": (2, 2)}
    assert [(each.kind, each.count) for each in result.problems] == [
        ("lines without scores or targets", 2)
    ]
    assert {v.name: v.value for v in result.measures[0].values}["exact"] == 0.5


@pytest.mark.parametrize("score", ["NaN", '"1"', "true", "null"])
def test_scores_that_are_not_numbers(gold: Gold, tmp_path: Path, score: str) -> None:
    line = json.dumps(SECOND).replace("0.9", score)
    scoring = TASK.score_file(predict(tmp_path, FIRST, line), gold)
    assert kinds(scoring) == {"scores that are not numbers": 1}
    assert values(scoring, "set_f1_later")["mrr"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("score", "found"),
    [
        (90, {"scores that are not probabilities": 1}),
        (-0.1, {"scores that are not probabilities": 1}),
        (math.inf, {"infinite scores": 1, "scores that are not probabilities": 1}),
        (10**400, {"infinite scores": 1, "scores that are not probabilities": 1}),
    ],
)
@pytest.mark.parametrize("with_targets", [True, False])
def test_scores_that_are_no_probabilities(
    gold: Gold, tmp_path: Path, score: float, found: dict[str, int], with_targets: bool
) -> None:
    line = {**SECOND, "scores": SECOND["scores"] | {SUN: score}}
    if with_targets:
        # Then scores say the order only.
        line["targets"], found = [SUN], {k: n for k, n in found.items() if k == "infinite scores"}
    else:
        line.pop("targets", None)
    assert kinds(TASK.score_file(predict(tmp_path, FIRST, line), gold)) == found


def test_images_without_a_score_or_not_displayed(gold: Gold, tmp_path: Path) -> None:
    line = {"instance_id": "12:1", "scores": {SUN: 1, "x.jpg": 2}, "targets": [SUN, "y.jpg", 3]}
    scoring = TASK.score_file(predict(tmp_path, FIRST, line), gold)
    assert kinds(scoring) == {
        "images that are not displayed": 3,
        "segments with images without a score": 1,
    }
    assert values(scoring)["exact"] == 1


def test_ties_are_told_and_do_not_help(gold: Gold, tmp_path: Path) -> None:
    line = {"instance_id": "12:1", "scores": dict.fromkeys((SUN, SEA, OWL), 0.5)}
    scoring = TASK.score_file(predict(tmp_path, FIRST, line), gold)
    assert kinds(scoring) == {"ties": 1}
    assert values(scoring, "set_f1_later")["mrr"] == pytest.approx(1 / 3)


def test_targets_that_are_not_displayed_are_left_out(tmp_path: Path) -> None:
    log = make_log()
    log["rounds"][1]["images"] = {"A": [SEA], "B": [OWL]}
    scoring = TASK.score_file(predict(tmp_path, FIRST), write_gold(tmp_path, log))
    assert kinds(scoring) == {"targets that are not displayed": 1}
    assert scoring.problems[0].skipped == 1
    assert len(scoring.instances) == 1


@pytest.mark.parametrize("line", ["x", {"instance_id": "1"}, {"instance_id": "12:0"}])
def test_nothing_to_score(gold: Gold, tmp_path: Path, line: Any) -> None:
    with pytest.raises(TaskError, match="No line of"):
        TASK.score_file(predict(tmp_path, line), gold)


def test_instances_with_and_without_history(gold: Gold) -> None:
    first, second = TASK.instances(gold)
    assert (first.event, first.gold, second.event, second.gold) == (0, [SUN, OWL], 7, [SUN])
    told = [["A", "a yellow sun?"], ["B", "yes"]]
    assert first.inputs["history"] == {SUN: [], SEA: [], OWL: []}
    assert second.inputs["history"] == {SUN: [told], SEA: [], OWL: [told]}
    without = select_inputs(TASK, second, ["segment", "images"])
    assert without == {"segment": [["B", "sun again"]], "images": [SUN, SEA, OWL]}


def test_gold_choices_of_a_simulated_corpus_are_right(tmp_path: Path) -> None:
    simulate(tmp_path / "c", dialogues=6, seed=1)
    gold = Gold(files=[tmp_path / "c"])
    lines = [{"instance_id": i.instance_id, "targets": i.gold} for i in TASK.instances(gold)]
    scoring = TASK.score_file(predict(tmp_path, *lines), gold)
    assert scoring.problems == []
    assert values(scoring)["exact"] == 1
