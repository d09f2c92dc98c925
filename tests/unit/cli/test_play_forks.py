"""``commonground play --fork`` as a user types it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests import forks

from commonground.files.simulated import is_marked
from commonground.play.sessions.session_logs import read_sessions


def run(words: str, cwd: Path, code: int = 0) -> str:
    done = forks.run(*words.split(), cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forks")
    run("simulate photobook released --dialogues 3 --seed 2", folder)
    words = "play photobook --schedule released --fork 0@20 --fork 1@mark --seat B=script --seed 1"
    told = run(f"{words} --out forked", folder)
    assert "compared with what people did" in told
    assert "people's own acts ended: other words" in told
    assert "By act: forked/effects/effects.svg" in told
    return folder


def test_logs_say_where_forks_come_from(folder: Path) -> None:
    logs = list(read_sessions(folder / "forked" / "sessions.jsonl"))
    assert {each.fork.game for each in logs if each.fork} == {"0", "1"}
    assert all(each.players == {"A": "people,script", "B": "script"} for each in logs)
    assert is_marked([folder / "forked"])
    assert "fork from earlier ones" in (folder / "forked" / "SIMULATED.txt").read_text("utf-8")


def test_forks_are_no_set_of_games(folder: Path) -> None:
    told = run("play photobook --measure forks=forked", folder, code=2)
    assert "fork from others" in told


def test_forks_of_people_alone_change_nothing(folder: Path) -> None:
    words = "play photobook --schedule released --forks 9 --out alone --json"
    effects = json.loads(run(words, folder))["effects"]
    assert len(effects["forks"]) == 9
    assert effects["ended"] == {}
    for each in (*effects["points"], *effects["by_act"]):
        assert each["difference"] == 0


def test_effects_are_csv(folder: Path) -> None:
    words = "play photobook --schedule released --fork 2@all --b script --out all --csv"
    rows = list(csv.DictReader(io.StringIO(run(words, folder))))
    assert [each["measure"] for each in rows[:3]] == ["score", "words", "turns"]
    assert all(each["act"] == "" for each in rows[:3])
    # One game tells nothing of how games differ.
    assert all(each["low"] == "" for each in rows)
    drawn = list(
        csv.DictReader((folder / "all/effects/effects.csv").read_text("utf-8").split("\n"))
    )
    assert sum(int(each["forks"]) for each in drawn) == int(rows[0]["forks"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--fork 0@3", "Name it: --schedule"),
        ("--schedule released --fork 0", "names no act"),
        ("--schedule released --fork 0@3 --games 2", "has no effect with --fork"),
        ("--schedule released --a people", "only where a game forks"),
        ("--schedule released --fork 0@3 --seat B", "names no player"),
        ("--schedule released --fork 0@3 --a people,nobody", "no player 'nobody'"),
    ],
)
def test_what_cannot_fork_is_refused(folder: Path, words: str, says: str) -> None:
    assert says in run(f"play photobook {words} --out none", folder, code=2)
    assert not (folder / "none").exists()
