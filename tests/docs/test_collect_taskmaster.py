"""The page on self-dialogs says what the code does, and its commands lead to a figure."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import thorough

from commonground.corpora.taskmaster.script_language import parse_script
from commonground.play.scenarios import get_scenario, iterate_scenarios

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect-taskmaster.md"
TEXT = PAGE.read_text(encoding="utf-8")
(SCRIPT,) = re.findall(r"```\n(\*THE SCENE.*?)```", TEXT, flags=re.DOTALL)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command of the page says, in their order."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "Order a drink.script").write_text(SCRIPT, encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    said = {line: run(line, folder) for line in lines if "collect serve" not in line}
    said["records"] = "".join(path.read_text() for path in folder.glob("OUT/data/*.json"))
    said["export"] = run("commonground collect export studies/first EXPORTED", folder)
    return said


def run(line: str, folder: Path) -> str:
    words = shlex.split(line)
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "store")}
    done = forks.run(*words[1:], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def find(done: dict[str, str], start: str) -> str:
    (said,) = (each for line, each in done.items() if line.startswith(f"commonground {start}"))
    return said


@thorough
def test_the_script_is_looked_over(done: dict[str, str]) -> None:
    assert find(done, "collect lint-scripts") == "Scripts: 1; errors: 0, warnings: 0, notes: 0.\n"
    assert "with material for 1 dialogue" in find(done, "collect new studies/drinks")


@thorough
def test_the_commands_lead_from_a_study_to_a_figure(done: dict[str, str]) -> None:
    assert "30 of 30 sessions complete" in find(done, "collect rehearse")
    assert "Nothing found." in find(done, "check")
    assert "book_tickets" in find(done, "stats")
    assert "derived_holdout" in find(done, "baseline")
    assert "0 complete sessions" in done["export"]
    assert "There is nothing to import yet." in done["export"]
    record = json.loads(done["records"])[0]
    assert parse_script(record["instructions"]).conversation is not None


def test_all_scenarios_with_scripts_are_named() -> None:
    rows = set(re.findall(r"^\| `(taskmaster\d)` \|", TEXT, flags=re.MULTILINE))
    assert rows == {each.name for each in iterate_scenarios() if each.scripting() is not None}


def test_all_directives_are_explained() -> None:
    known = set(re.findall(r"\{\{([A-Z]+)", TEXT))
    assert known == {"LIST", "HIDE", "ENTER", "RAND", "CHECK", "CONVERSATION"}


def test_the_pictures_are_there_and_small() -> None:
    names = re.findall(r"\.\./images/([\w-]+\.webp)", TEXT)
    assert len(names) == 2
    for name in names:
        assert (PAGE.parents[1] / "images" / name).stat().st_size < 150_000


def test_refused_turns_are_those_of_the_rules() -> None:
    refusals = get_scenario("taskmaster3").rules.refusals
    assert {"copies_hint", "value_missing", "form_of_address"} <= refusals
