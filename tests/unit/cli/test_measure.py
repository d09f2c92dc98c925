"""``commonground play --measure``: sets side by side, on one schedule."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.test_play import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games, and the same games with one player or both of today."""
    folder = tmp_path_factory.mktemp("measured")
    run("play", "photobook", "--games", 4, "--out", "people", cwd=folder)
    same = ("play", "photobook", "--schedule", "people", "--games", 4, "--seed", 1)
    run(*same, "--a", "replay", "--out", "mixed", cwd=folder)
    run(*same, "--out", "scripts", cwd=folder)
    run("play", "photobook", "--games", 2, "--seed", 9, "--out", "others", cwd=folder)
    return folder


def test_conditions_of_one_schedule_stand_in_one_figure(folder: Path) -> None:
    pytest.importorskip("vl_convert")
    sets = ("people-people=people", "people-script=mixed", "script-script=scripts")
    out = run("play", "photobook", "--measure", *sets, "--same", "--out", "curves", cwd=folder)
    assert "people-people  4 games" in out
    assert "never met" in out
    svg = (folder / "curves" / "curves.svg").read_text("utf-8")
    assert all(each.partition("=")[0] in svg for each in sets)
    assert "area mark" in svg
    lines = (folder / "curves" / "curves.csv").read_text("utf-8").splitlines()
    assert lines[0].startswith("set,page,score,score_low,score_high,words,")
    assert len(lines) == 1 + 3 * 5


def test_an_export_is_divided_by_who_sat_where(folder: Path) -> None:
    export = folder / "export"
    (export / "extra").mkdir(parents=True)
    shutil.copytree(folder / "scripts" / "logs", export / "logs")
    lines: list[dict[str, Any]] = [
        {"record": 1, "role": "A"},
        {"record": 3, "role": "B"},
        {"record": None, "role": "B"},
    ]
    said = [json.dumps({**each, "model": "mockllm/model", "cost": 0}) for each in lines]
    (export / "extra" / "models.jsonl").write_text("\n".join([*said, ""]))
    words = (
        "play",
        "photobook",
        "--measure",
        "then=people",
        "now=export",
        "--conditions",
        "--json",
    )
    sets = json.loads(run(*words, cwd=folder))["sets"]
    assert {name: each["games"] for name, each in sets.items()} == {
        "then": 4,
        "now model-people": 1,
        "now people-model": 1,
        "now people-people": 2,
    }


def test_a_store_is_a_set_and_programs_read_it(folder: Path) -> None:
    run("import", "photobook", "people", "--store", "store", cwd=folder)
    words = ("play", "photobook", "--measure", "a=store", "b=people", "--json")
    told = json.loads(run(*words, cwd=folder))
    assert told["sets"]["a"] == told["sets"]["b"]
    assert told["sets"]["a"]["games"] == 4


@pytest.mark.parametrize(
    ("words", "complaint", "code"),
    [
        (("photobook", "people"), "'people' names no set.", 2),
        (("photobook", "a=people", "a=mixed"), "two sets called a", 2),
        (("photobook", "a=people", "b=others", "--same"), "No material was played in every", 2),
        (("frames", "a=people"), "frames has no measures of games.", 2),
        (("photobook", "a=nowhere"), "nowhere", 1),
        (("photobook",), "--measure needs sets of games.", 2),
        (("photobook", "a=people", "--b=script"), "There is no option --b with --measure.", 2),
        (("photobook", "a=people", "--games", "2"), "--games has no effect with --measure.", 2),
    ],
)
def test_what_is_wrong_is_said(
    words: tuple[str, ...], complaint: str, code: int, folder: Path
) -> None:
    assert complaint in run("play", *words, "--measure", cwd=folder, code=code)


def test_options_of_measuring_need_it(folder: Path) -> None:
    words = ("play", "photobook", "--same", "--out", "new")
    assert "--same needs --measure." in run(*words, cwd=folder, code=2)
    assert not (folder / "new").exists()
