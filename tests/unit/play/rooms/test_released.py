"""What a server collected is read, checked, shown and counted like what was released."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.unit.play.rooms.conftest import COMMAND, Server
from tests.unit.play.rooms.playing import play_game, seat

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server.app import create_app
from commonground.store.opening import open_store

GAMES = 3


def run(*words: object) -> str:
    command = [sys.executable, "-c", COMMAND, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Collected:
    """A study that was served, its export, and the store that has it.

    Args:
        folder: for all of it.
        template: a fresh study.
    """

    def __init__(self, folder: Path, template: Path) -> None:
        self.out, self.store = folder / "OUT", folder / "store"
        study = Path(shutil.copytree(template, folder / "pilot"))
        server = Server(study)
        try:
            for _ in range(GAMES):
                play_game(server, seat(server, 1))
            seat(server, 1)  # under way when the server stops
            server.stop()
        finally:
            server.close()
        run("collect", "export", study, self.out)
        images = ("--images", study / "images")
        self.imported = run("import", "photobook", self.out, *images, "--store", self.store)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Collected:
    return Collected(tmp_path_factory.mktemp("collected"), template)


def test_it_is_imported_without_an_error_or_a_warning(collected: Collected) -> None:
    assert "no errors" in collected.imported
    checked = json.loads(run("check", "photobook", "--store", collected.store, "--json"))
    assert {rule["severity"] for rule in checked["rules"]} <= {"note"}
    asked = "select count(*) as games, sum(n_utterances) as texts from dialogues"
    (counted,) = json.loads(run("sql", asked, "--store", collected.store, "--json"))
    assert counted == {"games": GAMES, "texts": GAMES * 2 * 5 * 3}


def test_it_is_written_back_as_it_was_and_replayed(collected: Collected) -> None:
    logs = collected.out / "logs"
    assert f"{GAMES} of {GAMES} files equal" in run("roundtrip", "photobook", logs)
    replay = json.loads(run("play", "photobook", "--replay", logs, "--json"))["replay"]
    assert replay["sessions"] == GAMES
    assert replay["differences"] == []


def test_the_explorer_shows_it(collected: Collected) -> None:
    client = TestClient(create_app(OpenCorpora(open_store(collected.store))))
    for number in range(GAMES):
        page = client.get(f"/photobook/d/{number}")
        assert page.status_code == 200
        assert "as before" in page.text
        pictures = set(re.findall(r'src="(/photobook/[^"]+)"', page.text))
        assert len(pictures) == 12
        for picture in pictures:
            assert client.get(picture).headers["content-type"] == "image/jpeg"


def test_statistics_count_it(collected: Collected) -> None:
    said = run("stats", "photobook", "--figure", "rounds", "--store", collected.store, "--json")
    (figure,) = json.loads(said)["figures"]
    assert len(figure["rows"]) == 5


@pytest.mark.parametrize("task", ["photobook/marks", "photobook/reference", "photobook/segments"])
def test_tasks_have_instances_of_it(collected: Collected, tmp_path: Path, task: str) -> None:
    out = tmp_path / "instances.jsonl"
    run("tasks", "instances", task, "--store", collected.store, "--out", out)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {row["dialogue_id"] for row in rows} == {str(number) for number in range(GAMES)}


def test_the_extra_file_has_what_the_format_cannot_hold(collected: Collected) -> None:
    lines = (collected.out / "extra" / "events.jsonl").read_bytes().splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]
    counts = Counter(event["type"] for event in events)
    people = 2 * GAMES
    assert counts["act.refused"] == counts["chat.typing"] == 5 * people
    assert counts["photobook.review"] == 5 * people
    assert counts["participant.returned"] >= 5 * people
    # Each page is shown when it comes, and once more when it is loaded anew.
    assert counts["page.shown"] == 2 * 5 * people + 2
    shown = [each for each in events if each["type"] == "page.shown"]
    assert {len(each["payload"]["pictures"]) for each in shown} == {6}
    assert {each["round"] for each in shown} == {1, 2, 3, 4, 5}
    with (collected.out / "extra" / "sessions.csv").open(encoding="utf-8-sig") as stream:
        assert len(stream.readlines()) == 1 + GAMES + 1
