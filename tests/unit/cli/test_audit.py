"""``commonground audit``: faults of simulated users, and people beside them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.test_play import run


def test_a_simulated_user_is_audited_and_set_beside_people(tmp_path: Path) -> None:
    run("play", "frames", "--games", 3, "--out", "played", cwd=tmp_path)
    run("simulate", "frames", "people", "--dialogues", 8, cwd=tmp_path)
    out = run("audit", "played", "--people", "people", cwd=tmp_path)
    assert out.startswith("frames user=script wizard=script\n")
    assert "says another value than it was given" in out
    assert "3 dialogues beside draws of 3 of people's 8" in out
    run("import", "frames", "people", "--store", "store", cwd=tmp_path)
    told = json.loads(run("audit", "played", "--people", "store", "--json", cwd=tmp_path))
    assert told["faults"]["empty"]["faults"] == 0
    assert told["fidelity"]["speaker"] == "user"
    assert "faults" in told


def test_people_of_another_part_of_the_corpus_are_no_measure(tmp_path: Path) -> None:
    run("play", "simmc-fashion", "--games", 2, "--out", "played", cwd=tmp_path)
    run("simulate", "simmc", "people", "--dialogues", 8, cwd=tmp_path)
    told = json.loads(run("audit", "played", "--people", "people", "--json", cwd=tmp_path))
    assert 2 <= told["fidelity"]["people"] < 8


def test_what_is_no_played_folder_is_said(tmp_path: Path) -> None:
    assert "sessions.jsonl" in run("audit", "nowhere", cwd=tmp_path, code=1)
    (tmp_path / "sessions.jsonl").touch()
    assert "no sessions of one scenario" in run("audit", ".", cwd=tmp_path, code=2)
