"""Whole games of a scripted person and a model through the server, to files that check clean."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import one_in, thorough
from tests.unit.bench.inspect_tasks.stub import serve
from tests.unit.play.rooms.minds import MODEL, answer_by, environment, play_anything, play_script
from tests.unit.play.rooms.test_model_seats import read_log, serve_with

import commonground.play.scenarios.frames.players.user as frames_user
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.players.rehearsing import gather, invite
from commonground.play.scenarios import get_scenario, iterate_scenarios
from commonground.store.access import import_files

pytest.importorskip("openai")

MOST_S = 120
SPEED = 500

# The model sits on either side over the games; one game each, since each takes a server. PhotoBook
# is played in test_model_conditions, on both sides.
GAMES = (
    ("frames", "wizard"),
    ("simmc-fashion", "user"),
    ("simmc-furniture", "assistant"),
)


def test_each_scenario_with_two_seats_is_played() -> None:
    shared = {each.name for each in iterate_scenarios() if len(each.rules.roles) == 2}
    assert shared == {"photobook", *(name for name, _ in GAMES)}


@thorough
@pytest.mark.parametrize(("name", "role"), GAMES)
def test_a_person_and_a_model_play_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, role: str
) -> None:
    # A person who is so fast would give up before the model has said a word.
    monkeypatch.setattr(frames_user, "_PATIENCE_S", 1e6)
    study = prepare_study(tmp_path / "pilot", name, material=None, languages=("en",))
    script = answer_by(play_script(study, role, SPEED))
    with serve(script) as stub, serve_with(study.folder, stub, role) as server:
        served = open_study(study.folder)
        guest = invite(served, server.address, sessions=1, speed=SPEED)[0]
        (stay,) = asyncio.run(asyncio.wait_for(gather([guest]), MOST_S))
    events = read_log(study.folder)
    left = [event.payload for event in events if event.type == "agent.left"]
    assert (stay.way_out, left) == ("completed", [])
    asked, answered = (
        [event.payload["number"] for event in events if event.type == kind]
        for kind in ("agent.request", "agent.reply")
    )
    # The person may end the game while the model is asked a last time.
    assert asked[: len(answered)] == answered == list(range(1, len(answered) + 1))
    assert len(asked) - len(answered) <= 1
    assert len(answered) <= len(stub.asked)
    said = {e.payload["text"] for e in events if e.type == "chat.message" and e.role == role}
    assert said

    exported = export_study(served, tmp_path / "out")
    assert (exported.sessions, exported.complete) == (1, 1)
    corpus = import_files(get_scenario(name).corpus.name, tmp_path / "out", store=tmp_path / "st")
    # Frames' format has what somebody writes in a row as one turn.
    written = "\n".join(event.text for event in corpus[0].events if event.text)
    assert {text for text in said if text not in written} == set()
    found = corpus.rows("SELECT code, message FROM findings WHERE severity <> 'note'")
    assert list(found) == []


ALONE = ("taskmaster3", "taskmaster4", "simmc-annotation")


@pytest.mark.parametrize("name", one_in(3, ALONE))
def test_a_model_works_alone_to_the_end(tmp_path: Path, name: str) -> None:
    """It knows nothing but what it is sent: the view, and the tools with their schemas."""
    (role,) = get_scenario(name).rules.roles
    out = tmp_path / "out"
    with serve(answer_by(play_anything)) as stub:
        done = forks.run(
            *("play", name, f"--{role}", MODEL, "--games", "2", "--out", out, "--json"),
            env={**os.environ, **environment(stub)},
            more=forks.MODELS,
            timeout_s=MOST_S,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert [each["fate"] for each in told["results"]] == ["done", "done"]
    tally = told["models"][MODEL]
    assert (tally["unreadable"], tally["refused"], tally["given_up"]) == (0, {}, 0)
    assert tally["calls"] == len(stub.asked)
    corpus = import_files(get_scenario(name).corpus.name, out, store=tmp_path / "store")
    assert len(corpus) == 2
    found = corpus.rows("SELECT code, message FROM findings WHERE severity = 'error'")
    assert list(found) == []
