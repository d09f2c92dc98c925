"""``commonground play`` as a user types it, in processes of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from tests import forks

from commonground.play.scenarios.photobook.material import PhotobookMaterial
from commonground.play.scenarios.photobook.rules import SCENARIO
from commonground.play.session import replay_acts
from commonground.play.sessions.session_logs import SessionLog

GAMES = 12
TOYS = Path(__file__).parents[2] / "corpora"


def run(*words: object, cwd: Path, code: int = 0, toys: bool = False) -> str:
    """Runs a command; returns what it printed, or its complaint where that is expected."""
    environment = {key: v for key, v in os.environ.items() if key != "COMMONGROUND_STORE"}
    if toys:
        environment["COMMONGROUND_CORPORA"] = str(TOYS)
    done = forks.run(*words, cwd=cwd, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr + done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with played games, imported."""
    folder = tmp_path_factory.mktemp("play")
    words = ("--a", "script", "--b", "script", "--games", GAMES, "--out", "played", "--seed", 4)
    out = run("play", "photobook", *words, cwd=folder)
    assert out.startswith(f"{GAMES} of {GAMES} games played to their end, in played")
    assert "0 refused" in out
    run("import", "photobook", "played", "--images", "played/images", cwd=folder)
    return folder


def ask(query: str, folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run("sql", query, "--format", "json", cwd=folder))
    return rows


def test_played_games_have_no_fault(folder: Path) -> None:
    faults = ask("select count(*) as n from findings where severity <> 'note'", folder)
    assert faults == [{"n": 0}]
    notes = ask("select distinct code from findings order by 1", folder)
    # People mark again, change their minds and chat after submitting, too.
    allowed = {f"CG-PHOTOBOOK-{number}" for number in ("055", "056", "067", "068")}
    assert {row["code"] for row in notes} <= allowed


def test_played_games_round_trip(folder: Path) -> None:
    assert f"{GAMES + 1} of {GAMES + 1} files equal" in run(
        "roundtrip", "photobook", "played", cwd=folder
    )


def test_played_games_are_in_the_tables_like_released_ones(folder: Path) -> None:
    query = """
        select count(distinct dialogue_id) as games, count(distinct segment) as rounds,
            count(distinct name) as names, min(at_s) as start from events
    """
    assert ask(query, folder) == [{"games": GAMES, "rounds": 5, "names": 4, "start": 0.0}]


def test_played_games_are_in_the_statistics(folder: Path) -> None:
    figures = json.loads(run("stats", "photobook", "--figure", "rounds", "--json", cwd=folder))
    (figure,) = figures["figures"]
    assert [row[:2] for row in figure["rows"]] == [[number, GAMES] for number in range(1, 6)]


def test_played_games_are_shown_and_are_in_the_tasks(folder: Path) -> None:
    assert " marks " in run("show", "photobook", "0", cwd=folder)
    run("tasks", "instances", "photobook/segments", "--out", "instances.jsonl", cwd=folder)
    lines = (folder / "instances.jsonl").read_text().splitlines()
    assert len({json.loads(line)["dialogue_id"] for line in lines}) == GAMES


def test_played_games_are_played_again_without_a_difference(folder: Path) -> None:
    found = json.loads(run("play", "photobook", "--replay", "played", "--json", cwd=folder))
    assert found["replay"]["sessions"] == GAMES
    assert found["replay"]["differences"] == []
    assert found["replay"]["equal"] == found["replay"]["compared"]


def test_the_log_gives_every_game_again(folder: Path) -> None:
    lines = (folder / "played" / "sessions.jsonl").read_bytes().splitlines()
    logs = [msgspec.json.decode(line, type=SessionLog) for line in lines]
    assert [log.number for log in logs] == list(range(GAMES))
    for log in logs:
        material = msgspec.convert(log.material, PhotobookMaterial)
        state = replay_acts(SCENARIO, material, log.seed, log.acts)
        assert SCENARIO.is_complete(state) == log.complete
        assert log.version == SCENARIO.version
        assert log.rejected == []


def test_the_same_seed_gives_the_same_bytes(folder: Path) -> None:
    words = ("--games", GAMES, "--out", "again", "--seed", 4)
    run("play", "photobook", *words, cwd=folder)
    first, second = folder / "played", folder / "again"
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    assert names == sorted(str(p.relative_to(second)) for p in second.rglob("*") if p.is_file())
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_games_are_played_with_images_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine" / "dogs").mkdir(parents=True)
    for number in range(12):
        picture = Image.new("RGB", (8, 6), (20 * number, 0, 0))
        picture.save(tmp_path / "mine" / "dogs" / f"dog {number}.png")
    out = run("play", "photobook", "--games", 3, "--images", "mine", "--out", "out", cwd=tmp_path)
    assert out.startswith("3 of 3 games")
    domains = (tmp_path / "out" / "domain_ids.txt").read_text().splitlines()
    assert set(domains) <= {"0: dogs", "1: dogs"}
    assert "commonground import photobook out --images mine" in out
    run("import", "photobook", "out", "--images", "mine", cwd=tmp_path)
    faults = "select code from findings where severity <> 'note'"
    assert json.loads(run("sql", faults, "--format", "json", cwd=tmp_path)) == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("photobook",), "Say where to write the games."),
        (("photobook", "--out", "x", "--c", "script"), "There is no option --c."),
        (("photobook", "--out", "x", "--gamse", "3"), "Did you mean --games"),
        (("photobook", "--out", "x", "--imagse", "3"), "Did you mean --images"),
        (("photobook", "--out", "x", "--a", "scrip"), "Did you mean script?"),
        (("photobook", "--out", "x", "--a"), "--a needs the name of a player."),
        (("photobook", "--out", "x", "script"), "'script' belongs to no option."),
        (("photobook", "--out", "x.json"), "is named like a file"),
        (("photobook", "--replay", "x", "--out", "y"), "--replay plays what is in the files"),
        (("photobook", "--replay", "x", "--schedule", "y"), "no --out, --material, --schedule"),
        (("photobook", "--replay", "x", "--log", "y"), "--schedule, --log or roles."),
        (("photobok", "--out", "x"), "Did you mean photobook?"),
        (("taskmaster3", "--out", "x", "--customer", "replay"), "cannot be replayed"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], complaint: str, tmp_path: Path) -> None:
    assert complaint in run("play", *words, cwd=tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "complaint", "code"),
    [
        (("--out", "full"), "full is not an empty folder.", 2),
        (("--out", "x", "--images", "nowhere"), "nowhere cannot be read", 1),
        (("--out", "x", "--images", "full"), "full holds no images.", 1),
        (("--replay", "nowhere"), "nowhere does not exist.", 1),
    ],
)
def test_what_is_not_there_is_said(
    words: tuple[str, ...], complaint: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    assert complaint in run("play", "photobook", *words, cwd=tmp_path, code=code)


def test_a_broken_log_is_named_and_the_others_are_played(folder: Path, tmp_path: Path) -> None:
    whole = next((folder / "played" / "logs").glob("*.json"))
    (tmp_path / whole.name).write_bytes(whole.read_bytes())
    (tmp_path / "9_1_2_0.json").write_bytes(b'{"game_id": 9')
    out = run("play", "photobook", "--replay", ".", cwd=tmp_path, code=1)
    assert "9_1_2_0.json was not played: " in out
    assert "1 game played again" in out


def test_a_scenario_is_a_folder(tmp_path: Path) -> None:
    """The toy's roles and material are found without any other edit, and no player is needed."""
    words = ("toy", "--ann", "random", "--games", 5, "--out", "out")
    out = run("play", *words, cwd=tmp_path, toys=True)
    assert out.startswith("5 of 5 ")
    run("import", "toy", "out", cwd=tmp_path, toys=True)
    query = "select distinct speaker from events order by 1"
    found = json.loads(run("sql", query, "--format", "json", cwd=tmp_path, toys=True))
    assert [row["speaker"] for row in found] == ["ann", "bob"]
    complaint = run("play", "toy", "--replay", "out", cwd=tmp_path, toys=True, code=2)
    assert "cannot be played again" in complaint


def test_sessions_that_go_on_no_more_are_counted(tmp_path: Path) -> None:
    words = ("toy", "--bob", "mute", "--games", 2, "--out", "out")
    out = run("play", *words, cwd=tmp_path, toys=True, code=1)
    assert "0 of 2" in out
    assert "1 got stuck: Nobody acts after 1 act." in out
    lines = (tmp_path / "out" / "sessions.jsonl").read_bytes().splitlines()
    logs = [msgspec.json.decode(line, type=SessionLog) for line in lines]
    assert [(log.complete, len(log.acts)) for log in logs] == [(False, 1)] * 2


def test_what_became_of_games_stands_in_a_table_and_in_json(folder: Path, tmp_path: Path) -> None:
    words = ("--schedule", folder / "played", "--a", "replay", "--games", 2, "--out")
    out = run("play", "photobook", *words, "one", cwd=tmp_path)
    assert "mean of right marks" in out
    assert "aborted" in out
    told = json.loads(run("play", "photobook", *words, "two", "--json", cwd=tmp_path))
    assert told["name"] == "photobook A=replay B=script"
    assert told["rates"]["aborted"]["count"] == 0
    assert told["rates"]["score"]["of"] == 2
    assert [each["number"] for each in told["results"]] == [0, 1]
    assert {each["best"] for each in told["results"]} == {30.0}


def test_nobody_is_replayed_without_a_schedule(tmp_path: Path) -> None:
    out = run("play", "photobook", "--a", "replay", "--out", "x", cwd=tmp_path, code=2)
    assert "Name it: --schedule FILE." in out


def test_what_cannot_be_imported_yet_is_said(tmp_path: Path) -> None:
    # A response is labelled by three people before its thread is done.
    out = run("play", "mpchat", "--games", 1, "--out", "labelled", cwd=tmp_path)
    assert "No thread is complete enough to be released, so there is nothing to import." in out
    assert "To import them" not in out
