"""The page on labelling for MPChat says what the code does, and its commands lead to a figure."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from tests import forks
from tests.thorough import thorough

from commonground.play.collect.setup.plan import read_plan
from commonground.play.labelling import assigning, ballots
from commonground.play.scenarios import get_scenario

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect-mpchat.md"
TEXT = PAGE.read_text(encoding="utf-8")


def run(line: str, folder: Path) -> str:
    words = line.split()
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "store")}
    done = forks.run(*words[1:], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@thorough
def test_the_commands_lead_from_a_study_to_a_figure(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    done = {line: run(line, tmp_path) for line in lines if not re.search("serve|FOLDER", line)}
    assert "Nothing found." in done["commonground check mpchat"]
    assert "Krippendorff's alpha" in done["commonground stats mpchat --figure agreement"]
    assert "commonground collect export studies/labels OUT" in TEXT
    run("commonground collect export studies/labels EXPORTED", tmp_path)


def test_a_study_of_ones_own_is_made_of_the_files_that_are_named(tmp_path: Path) -> None:
    run("commonground simulate mpchat mine --dialogues 6", tmp_path)
    (tmp_path / "FOLDER").mkdir()
    for name in ("mpchat_nrp.json", "images"):
        assert f"`{name}" in TEXT
        (tmp_path / "mine" / name).rename(tmp_path / "FOLDER" / name)
    run("commonground collect new studies/mine --scenario mpchat --material FOLDER", tmp_path)
    log = json.loads((tmp_path / "studies" / "mine" / "material.json").read_bytes())
    assert log["pieces"]


def test_the_numbers_are_those_of_the_code() -> None:
    plan = read_plan(get_scenario("mpchat").room)
    assert f"({plan.study.sessions_each} by default" in TEXT
    assert assigning.GOLD_EVERY == 10
    assert "Every tenth response" in TEXT
    assert f"Anyone who has labelled {assigning.REVIEW_AFTER} responses" in TEXT
    assert f"(kappa below {assigning.REVIEW_BELOW})" in TEXT
    assert ballots.MOST_SKIPS == 3
