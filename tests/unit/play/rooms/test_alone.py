"""A scenario for one is prepared, served, paired at once and exported like any other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.play.rooms.conftest import COMMAND, Line, Server
from tests.unit.play.rooms.people import Visitor

TOYS = Path(__file__).parents[3] / "corpora"


def run(*words: str) -> str:
    command = [sys.executable, "-c", COMMAND, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("COMMONGROUND_CORPORA", str(TOYS))
    monkeypatch.setenv("COMMONGROUND_STORE", str(tmp_path / "store"))
    folder = tmp_path / "moods"
    run("collect", "new", str(folder), "--scenario", "toy-moods")
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("sessions_each = 1", "sessions_each = 9"), encoding="utf-8")
    server = Server(folder)
    yield server
    server.close()


def label(server: Server, visitor: Visitor) -> None:
    line = Line(server, visitor.token)
    game = line.hear("welcome")["view"]["game"]
    assert line.act("toy.label", in_round=None, mood="angry")["type"] == "reject"
    for _ in range(game["of"]):
        assert line.act("toy.label", in_round=None, mood="glad")["type"] == "ack"
    assert line.hear("ended")["reason"] == "completed"


def test_one_person_labels_without_waiting_and_it_comes_out(server: Server, tmp_path: Path) -> None:
    visitor = Visitor(server)
    assert "Partner" not in visitor.fill("consent", agree="yes")
    assert "how they feel" in Visitor(server, "/").page.text
    # Without a quiz and a warm-up the rules are read, and the game is on: nobody waits.
    page = visitor.fill("quiz")
    assert 'id="toy-line"' in page
    assert 'id="message-list"' not in page
    label(server, visitor)
    assert "You have labelled all of it" in visitor.look()
    # Another piece comes, and when all are seen there is no other game.
    assert 'id="toy-line"' in visitor.fill("ready")
    label(server, visitor)
    assert "Play another game" not in visitor.look()
    server.stop()

    said = run("collect", "export", str(server.folder), str(tmp_path / "OUT"))
    assert said.startswith("2 complete sessions")
    talks = json.loads((tmp_path / "OUT" / "talks.json").read_bytes())["train"]
    assert {talk["talk_id"][:2] for talk in talks} == {"h0", "h1"}
    assert {line["mood"] for talk in talks for line in talk["lines"]} == {"glad"}
    run("import", "toy", str(tmp_path / "OUT" / "talks.json"))
    assert "good day" in run("show", "toy", talks[0]["talk_id"])
    assert "labeller" in run("collect", "replay", str(server.folder), "s0001")
    told = json.loads(run("collect", "replay", str(server.folder), "s0001", "--json"))
    assert told["records"][0]["lines"] == talks[0]["lines"]
    assert json.loads(run("collect", "status", str(server.folder), "--json"))["completed"] == 2


def test_who_comes_back_finds_the_line_where_it_was(server: Server) -> None:
    visitor = Visitor(server)
    visitor.fill("consent", agree="yes")
    visitor.fill("quiz")
    line = Line(server, visitor.token)
    line.hear("welcome")
    line.act("toy.label", in_round=None, mood="sad")
    server.kill()
    again = Server(server.folder, server.port)
    try:
        back = Line(again, visitor.token)
        assert back.hear("welcome")["view"]["game"]["number"] == 2
    finally:
        again.close()
