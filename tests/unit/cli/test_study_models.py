"""``commonground study-models`` as a user types it; scripts stand in for people and models."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests import forks

from commonground.play.sessions.session_logs import read_sessions

PAIRS = ("people-people", "people-model", "model-people", "model-model")


def run(words: str, cwd: Path, code: int = 0) -> str:
    done = forks.run(*words.split(), cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


LINE = "study-models photobook --seats people,script --schedule released --games 3 --out pairs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    # The first game of this seed was left before its end, and is not of the study.
    run("simulate photobook released --dialogues 4", folder)
    told = run(LINE, folder)
    assert [each for each in PAIRS if each not in told] == []
    assert "Page by page: pairs/curves.svg" in told
    return folder


def test_all_pairings_have_the_same_pictures(folder: Path) -> None:
    logs = [list(read_sessions(folder / "pairs" / each / "sessions.jsonl")) for each in PAIRS]
    for games in zip(*logs, strict=True):
        assert [each.material for each in games] == [games[0].material] * 4
    seated = [each[0].players for each in logs]
    assert seated == [
        {"A": "people,script", "B": "people,script"},
        {"A": "replay", "B": "script"},
        {"A": "script", "B": "replay"},
        {"A": "script", "B": "script"},
    ]


def test_people_of_the_schedule_are_as_released(folder: Path) -> None:
    games = [json.loads(p.read_bytes()) for p in (folder / "released/logs").glob("*.json")]
    again = [json.loads(p.read_bytes()) for p in (folder / "pairs/people-people").rglob("*_*.json")]
    released = [[each["messages"] for each in game["rounds"]] for game in games]
    assert len(again) == 3
    for game in again:
        for each in game["rounds"]:
            for message in each["messages"]:
                message.pop("agent_id")
    for rounds in released:
        for each in rounds:
            for message in each:
                message.pop("agent_id")
    assert all([each["messages"] for each in game["rounds"]] in released for game in again)


def test_pairings_that_are_there_are_not_played_again(folder: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (folder / "pairs").rglob("sessions.jsonl")}
    rows = list(csv.DictReader(io.StringIO(run(f"{LINE} --csv", folder))))
    assert {each["set"] for each in rows} == set(PAIRS)
    printed = json.loads(run(f"{LINE} --json", folder))
    assert set(printed["sets"]) == set(PAIRS)
    assert printed["folders"]["people-model"] == "pairs/people-model"
    assert {p: p.stat().st_mtime_ns for p in before} == before
    other = LINE.replace("people,script", "people,random")
    assert "pairs/people-model" in run(other, folder, code=2)


def test_one_figure_has_all_pairings(folder: Path) -> None:
    drawn = list(csv.DictReader((folder / "pairs/curves.csv").read_text("utf-8").splitlines()))
    assert {each["set"] for each in drawn} == set(PAIRS)
    assert (folder / "pairs/curves.svg").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("photobook --seats people,script", "Name the games of people"),
        ("photobook --seats people --schedule released", "People need a partner"),
        ("photobook --seats script,script --schedule released", "named once"),
        ("taskmaster3 --seats people,script --schedule released", "not played in pairs"),
        ("frames --seats people,script --schedule released", "no measures of games"),
        ("photobook --seats people,script --schedule a --served b", "Name the games of people"),
    ],
)
def test_what_cannot_be_studied_is_refused(folder: Path, words: str, says: str) -> None:
    assert says in run(f"study-models {words} --out none", folder, code=2)
    assert not (folder / "none").exists()
