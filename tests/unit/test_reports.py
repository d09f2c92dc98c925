"""Results beside published ones in Python, as a notebook shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commonground as cg


def test_results_stand_beside_published_ones(tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=10, seed=1)
    cg.import_files("photobook", files, store=tmp_path / "store")
    made = cg.run_baselines(
        "photobook/reference", "random", out=tmp_path / "runs", store=tmp_path / "store"
    )
    (result,) = made
    (file,) = (tmp_path / "runs").glob("result-*.json")
    found = cg.report(file)
    (task,) = found.tasks
    assert task.task == "photobook/reference"
    assert not task.rows[0].is_published
    assert "photobook/reference" in repr(found)
    assert cg.report(result) == found


def test_without_results_there_are_the_published_ones() -> None:
    found = cg.report(task="simmc/actions")
    assert [each.task for each in found.tasks] == ["simmc/actions"]
    assert all(row.is_published for row in found.tasks[0].rows)
    lines = found.sheet().rows
    assert {line[0] for line in lines} == {"simmc/actions"}
    assert all(line[4] != "–" for line in lines)


def test_what_is_no_result_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"a": 1}), encoding="utf-8")
    with pytest.raises(cg.CommongroundError, match=r"x\.json"):
        cg.report(tmp_path / "x.json")
