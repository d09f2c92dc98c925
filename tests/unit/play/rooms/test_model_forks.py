"""A model that goes on with somebody's game, in a seat of its own and in place of the person."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests import forks
from tests.unit.bench.inspect_tasks.stub import serve
from tests.unit.play.rooms.minds import MODEL, answer_by, environment, play_anything

import commonground as cg
from commonground.play.sessions.session_logs import read_sessions

pytest.importorskip("openai")

MOST_S = 120


def test_a_model_goes_on_with_a_game(tmp_path: Path) -> None:
    cg.simulate("photobook", tmp_path / "released", dialogues=2, seed=2)
    seats = ("--a", f"people,{MODEL}", "--seat", f"B={MODEL}")
    with serve(answer_by(play_anything)) as stub:
        done = forks.run(
            *("play", "photobook", "--schedule", "released", "--fork", "1@60", *seats),
            *("--material", "released/images", "--out", "forked", "--json"),
            cwd=tmp_path,
            env={**os.environ, **environment(stub)},
            more=forks.MODELS,
            timeout_s=MOST_S,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    tally = told["models"][MODEL]
    assert tally["calls"] == len(stub.asked) > 0
    assert tally["given_up"] == 0
    (effect,) = told["effects"]["forks"]
    assert (effect["game"], effect["act"]) == ("1", 60)
    assert effect["ended"] == {"A": "other words"}
    (log,) = read_sessions(tmp_path / "forked" / "sessions.jsonl")
    assert log.players == {"A": f"people,{MODEL}", "B": MODEL}
    assert set(log.prompts) == {"A", "B"}
