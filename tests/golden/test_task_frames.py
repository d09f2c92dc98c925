"""The tasks of Frames from file to numbers, beside what the official script gives."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.frames_tracking import tracking_tables
from commonground.corpora.frames.tasks.gold import list_user_turns, load_dialogues
from commonground.corpora.frames.tasks.nlu.task import TASK as NLU
from commonground.corpora.frames.tasks.tracking.metrics import list_tags
from commonground.corpora.frames.tasks.tracking.task import TASK
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, Tally
from tests.golden.conftest import read_json


def score(golden: Path, name: str, split: str | None = None) -> Scoring:
    folder = golden / "frames"
    gold = Gold(files=[folder / "gold.json"], split=split)
    return TASK.score_file(folder / f"pred_{name}.json", gold)


def add_up(scoring: Scoring, measure: str = "frames_tracking") -> dict[str, float]:
    return sum_counts(each.counts[measure] for each in scoring.instances)


@pytest.mark.parametrize("table", ["cnt", "cnt_noanno", "cnt_comb"])
@pytest.mark.parametrize("name", ["gold", "hash"])
def test_official_sums(golden: Path, expected: Any, name: str, table: str) -> None:
    found = getattr(tracking_tables(add_up(score(golden, name))), table)
    assert found == pytest.approx(expected["frames"][f"{name}|foldNone"][table], rel=0, abs=1e-9)


@pytest.mark.parametrize("name", ["gold", "hash"])
def test_rows_of_the_printed_tables(golden: Path, expected: Any, name: str) -> None:
    values = TASK.measures[0].combine(add_up(score(golden, name)))
    by_tag, by_slot = expected["frames"][f"{name}|foldNone"]["tables"]
    kinds = ("accuracy", "loglik", "noanno_accuracy", "noanno_loglik")
    for line in [*by_tag.splitlines()[2:], *by_slot.splitlines()[2:]]:
        row, _count, *printed = line.split()
        for kind, number in zip(kinds, printed, strict=False):
            scale = 100 if kind.endswith("accuracy") else 1
            value = values[f"{row}_{kind}"]
            assert value is not None
            assert scale * value == pytest.approx(float(number), abs=0.0501)


@pytest.mark.parametrize("name", ["gold", "hash"])
def test_wrong_turns_and_warnings(golden: Path, expected: Any, name: str) -> None:
    scoring = score(golden, name)
    wrong = []
    for each in scoring.instances:
        counts = each.counts["frames_tracking"]
        if counts.get("tag/total_accuracy") != counts.get("tag/total_cnt"):
            wrong.append([each.dialogue_id, int(each.instance_id.rpartition(":")[2])])
    entry = expected["frames"][f"{name}|foldNone"]
    assert wrong == entry["wrong_turns"]
    assert sum(problem.count for problem in scoring.problems) == entry["warnings"]


def test_folds_add_up_to_all(golden: Path) -> None:
    whole = add_up(score(golden, "hash"))
    parts = [add_up(score(golden, "hash", f"fold-{fold}")) for fold in (1, 2)]
    assert sum_counts(parts) == pytest.approx(whole)


def test_predictions_by_id_are_the_same(golden: Path, tmp_path: Path) -> None:
    listed = read_json(golden / "frames" / "pred_hash.json")
    path = tmp_path / "by_id.json"
    path.write_text(json.dumps({each["id"]: each for each in listed}))
    found = TASK.score_file(path, Gold(files=[golden / "frames" / "gold.json"]))
    assert add_up(found) == add_up(score(golden, "hash"))


@pytest.fixture(scope="module")
def released() -> Gold:
    place = os.environ.get("COMMONGROUND_FRAMES")
    if not place:
        pytest.skip("COMMONGROUND_FRAMES names no frames.json, folder or zip")
    return Gold(files=[Path(place)])


def test_tags_of_the_example_script(released: Gold) -> None:
    # Counted with the functions of bin/frametracking-tagger, called as the script does.
    turns = (
        turn for dialogue in load_dialogues(released, Tally()) for turn in list_user_turns(dialogue)
    )
    found = Counter(tag for turn in turns for tag in list_tags(turn))
    assert found == {
        "framechange.switch_frame": 2101,
        "framechange.switch_frame.offer": 1626,
        "framechange.switch_frame.nooffer": 475,
        "framechange.switch_frame.noargs": 260,
        "framechange.valuechange": 1684,
        "noframechange": 6621,
        "noframechange.offer": 1251,
        "noframechange.nooffer": 4002,
        "reqcomp": 214,
        "noanno": 9247,
        "no_noanno": 1160,
    }


def test_acts_of_the_released_file(released: Gold, tmp_path: Path) -> None:
    path = tmp_path / "acts.jsonl"
    with path.open("w") as file:
        for each in NLU.instances(released):
            turn = int(each.instance_id.rpartition(":")[2])
            line = {"dialogue_id": each.dialogue_id, "turn": turn, "acts": each.gold}
            file.write(json.dumps(line) + "\n")
    scoring = NLU.score_file(path, released)
    assert (len(scoring.instances), scoring.problems) == (10407, [])
    assert all(each.counts["act_slot_f1"]["exact"] for each in scoring.instances)
