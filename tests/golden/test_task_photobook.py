"""PhotoBook's tasks on the real games: the authors' segments and numbers come out of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.photobook.tasks.marks import task as marks
from commonground.corpora.photobook.tasks.reference import task as reference
from commonground.corpora.photobook.tasks.segments import task as segments
from commonground.metric import Values
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, Task
from tests.thorough import a_few, thorough


def combine(task: Task, scoring: Scoring, measure: str) -> Values:
    found = next(each for each in task.measures if each.name == measure)
    return found.combine(sum_counts(s.counts[measure] for s in scoring.instances))


@pytest.fixture(scope="module", params=a_few(["val", "dev"], ["dev"]))
def split(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def gold(data: Path, split: str) -> Gold:
    folder = data / "photobook"
    return Gold(files=[folder / "logs", folder / "data_splits.json"], split=split)


@pytest.fixture(scope="module")
def scoring(gold: Gold, tmp_path_factory: pytest.TempPathFactory) -> Scoring:
    path = tmp_path_factory.mktemp("right") / "segments.json"
    rows = [row for each in segments.TASK.instances(gold) for row in each.gold]
    path.write_text(json.dumps(rows))
    return segments.TASK.score_file(path, gold)


def test_segments(scoring: Scoring, expected: Any, split: str) -> None:
    wanted = expected["photobook_segmentation"][split]
    for released in (
        [row for each in scoring.instances for row in each.predicted],
        [row for each in scoring.instances for row in each.gold],
    ):
        digest = hashlib.sha256(json.dumps(sorted(released)).encode()).hexdigest()
        assert digest == wanted["sha256_sorted"]
    assert scoring.problems == []
    assert set(combine(segments.TASK, scoring, "segment_f1").values()) == {1.0}
    assert combine(segments.TASK, scoring, "gold_cases") == wanted["cases"]


@thorough
def test_right_segments_of_the_test_split_are_right(data: Path, tmp_path: Path) -> None:
    # In game 2437 the heuristic has an empty segment come after one with texts.
    folder = data / "photobook"
    gold = Gold(files=[folder / "logs", folder / "data_splits.json"], split="test")
    path = tmp_path / "segments.json"
    path.write_text(json.dumps([row for e in segments.TASK.instances(gold) for row in e.gold]))
    found = combine(segments.TASK, segments.TASK.score_file(path, gold), "segment_f1")
    assert set(found.values()) == {1.0}


@pytest.mark.parametrize("measure", ["statistics", "gold_statistics"])
def test_statistics(scoring: Scoring, expected: Any, split: str, measure: str) -> None:
    wanted = expected["photobook_segmentation"][split]
    found = combine(segments.TASK, scoring, measure)
    names = ("games", "segments", "messages_per_segment_mean", "empty_segments", "chains")
    for name in (*names, "mean_chain", "chains_ge2"):
        assert found.pop(name) == pytest.approx(wanted[name], abs=1e-9), name
    for name in ("targets_per_segment", "share", "segments_per_chain"):
        for length, value in wanted[name].items():
            assert found.pop(f"{name}_{length}") == pytest.approx(value, abs=1e-9)
    assert not found


def test_reference_knows_every_segment(
    gold: Gold, expected: Any, split: str, tmp_path: Path
) -> None:
    path = tmp_path / "reference.jsonl"
    rows = [
        {"instance_id": i.instance_id, "targets": i.gold} for i in reference.TASK.instances(gold)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scoring = reference.TASK.score_file(path, gold)
    skipped = sum(problem.skipped for problem in scoring.problems)
    wanted = expected["photobook_segmentation"][split]["segments"]
    assert len(scoring.instances) + skipped == wanted
    assert set(combine(reference.TASK, scoring, "set_f1").values()) == {1.0}


def test_people_mark_as_the_pages_show_nearly_always(data: Path, tmp_path: Path) -> None:
    folder = data / "photobook"
    gold = Gold(files=[folder / "logs", folder / "data_splits.json"], split="test")
    listed = list(marks.TASK.instances(gold))
    # Of 11,220 highlighted images two were never marked.
    assert len(listed) == 11_218
    assert sum(each.gold == "common" for each in listed) == 6_325
    path = tmp_path / "marks.jsonl"
    rows = [{"instance_id": each.instance_id, "label": each.right.player} for each in listed]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scoring = marks.TASK.score_file(path, gold)
    assert combine(marks.TASK, scoring, "player")["accuracy"] == 1
    for measure in ("truth", "people"):
        assert combine(marks.TASK, scoring, measure)["accuracy"] == 10_652 / 11_218


def test_wu_and_others_score_11088_marks(data: Path) -> None:
    """Their test games are those of six image folders; 6,435 of their labels are "common"."""
    themes = "person_refrigerator chair_couch car_motorcycle cake_dining_table cup_dining_table"
    folders = {*themes.split(), "bus_truck"}
    listed = [
        each
        for each in marks.TASK.instances(Gold(files=[data / "photobook" / "logs"]))
        if each.inputs["image"].partition("/")[0] in folders
    ]
    assert (len(listed), len({each.dialogue_id for each in listed})) == (14_970, 499)
    scored = [each.right for each in listed if each.right.is_in_wu2023]
    assert len(scored) == 11_088
    assert sum(each.player == "common" for each in scored) == 6_435
    assert sum(each.player != each.truth for each in scored) == 6
