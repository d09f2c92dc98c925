"""Released files that are not as they should be, and the part of them that is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.simmc.tasks import actions
from commonground.corpora.simmc.tasks.released import read_released
from commonground.corpora.simmc.tasks.retrieval import task as retrieval
from commonground.errors import TaskError
from commonground.task import Gold

CALLS: list[dict[str, Any]] = [
    {"dialog_id": 1, "actions": [{"action": "None"}], "focus_images": [0]},
    {"dialog_id": 2, "actions": [], "focus_images": []},
]
RANKED = {
    "system_transcript_pool": ["hi", "bye"],
    "retrieval_candidates": [
        {"dialogue_idx": 1, "retrieval_candidates": [{"retrieval_candidates": [1, 0]}]}
    ],
}


def write(path: Path, value: Any) -> Gold:
    path.write_text(json.dumps(value))
    return Gold(files=(path,))


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([{"actions": []}], r"missing required field `dialog_id` - at `\$\[0\]`"),
        (
            [{"dialog_id": "1", "actions": []}],
            r"Expected `int`, got `str` - at `\$\[0\].dialog_id`",
        ),
        ([{"dialog_id": 1, "actions": ["None"]}], r"Expected `object`.*`\$\[0\].actions\[0\]`"),
    ],
)
def test_damaged_calls_are_told(tmp_path: Path, calls: Any, told: str) -> None:
    gold = write(tmp_path / "fashion_dev_dials_api_calls.json", calls)
    with pytest.raises(TaskError, match=rf"API calls .*{told}"):
        list(actions.TASK.instances(gold))


@pytest.mark.parametrize(
    "choice", [{}, {"retrieval_candidates": "1"}, {"retrieval_candidates": [None]}]
)
def test_damaged_candidates_are_told(tmp_path: Path, choice: Any) -> None:
    damaged = [{"dialogue_idx": 1, "retrieval_candidates": [choice]}]
    gold = write(tmp_path / "candidates.json", RANKED | {"retrieval_candidates": damaged})
    with pytest.raises(TaskError, match="not have the form of a released file of candidates"):
        list(retrieval.TASK.instances(gold))


def test_records_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "fashion_dev_dials_api_calls.json", CALLS)
    (path,) = gold.files
    path.write_text(path.read_text().replace('"dialog_id": 2', '"dialog_id": None'))
    turn = {"turn_id": 0, "action": "None", "action_log_prob": {"None": 0.0}}
    write(tmp_path / "p.json", [{"dialog_id": 1, "predictions": [turn]}])
    scoring = actions.TASK.score_file(tmp_path / "p.json", gold)
    assert [each.instance_id for each in scoring.instances] == ["fashion-1:0"]
    assert [(each.kind, each.skipped) for each in scoring.problems] == [("unreadable records", 1)]


def test_candidates_beyond_the_pool_are_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "candidates.json", RANKED | {"system_transcript_pool": ["hi"]})
    (found,) = read_released(gold, ("retrieval",))
    assert next(found.dialogues()).look_up([0]) == ["hi"]
    with pytest.raises(TaskError, match=r"names candidate 1, but .* has 1 answer"):
        list(retrieval.TASK.instances(gold))


def test_dialogues_that_are_not_to_be_kept_are_left_out(tmp_path: Path) -> None:
    gold = write(tmp_path / "fashion_dev_dials_api_calls.json", CALLS)
    gold.dialogues = frozenset({"fashion-2"})
    (found,) = read_released(gold, ("api_calls",))
    assert [each["dialog_id"] for each in found.records] == [2]
    # Lines get their numbers from whole files.
    (whole,) = read_released(gold, ("api_calls", "targets"))
    assert len(whole.records) == 2


def test_a_folder_is_read_for_its_split(tmp_path: Path) -> None:
    for split in ("dev", "devtest"):
        write(tmp_path / f"fashion_{split}_dials_api_calls.json", CALLS)
    (tmp_path / "notes.md").write_text("Nothing of SIMMC.")
    both = read_released(Gold(files=(tmp_path,)), ("api_calls",))
    assert [(each.domain, len(each.records)) for each in both] == [("fashion", 2)] * 2
    (one,) = read_released(Gold(files=(tmp_path,), split="dev"), ("api_calls",))
    assert one.name == "fashion_dev_dials_api_calls.json"
    with pytest.raises(TaskError, match=r"There are no right answers in .* for split 'train'"):
        read_released(Gold(files=(tmp_path,), split="train"), ("api_calls",))
