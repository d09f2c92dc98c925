"""The page on annotating can be followed from two new studies to a score."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import thorough
from tests.unit.play.rooms.conftest import Server

from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.players.guests import Stay
from commonground.play.rooms.players.rehearsing import gather, invite
from commonground.play.scenarios import get_scenario

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect-simmc-annotation.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
DIALOGUES = 24


@pytest.fixture
def follow(tmp_path: Path) -> Callable[[str], str]:
    """Runs the lines of a block in an empty folder; people come to what is served."""

    def run(block: str) -> str:
        for line in block.splitlines():
            words = shlex.split(line)[1:]
            if words[:2] == ["collect", "serve"]:
                said = str(let_people_in(tmp_path / words[2]))
            else:
                done = forks.run(*words, cwd=tmp_path)
                assert done.returncode == 0, f"{line}\n{done.stderr}"
                said = done.stdout
        return said

    return run


def let_people_in(folder: Path) -> list[Stay]:
    """Serves a study to scripted people, until all have done what they came for."""
    server = Server(folder)
    study = open_study(folder)
    try:
        alone = len(get_scenario(study.settings.scenario).rules.roles) == 1
        # Who labels has the next dialogue in hand when leaving, which another may have come for in
        # vain. Those who would do more than there is leave when all is done.
        sessions = DIALOGUES * 2 if alone else DIALOGUES
        guests = invite(study, server.address, sessions=sessions, speed=500, seed=3)
        return asyncio.run(gather(guests, None))
    finally:
        server.close()


@thorough
def test_from_two_studies_to_a_score(follow: Callable[[str], str], tmp_path: Path) -> None:
    _, collecting, scoring = BLOCKS
    follow(collecting)
    pictures = tmp_path / "shopped" / "images" / "simmc_fashion"
    assert [each.suffix for each in pictures.iterdir()].count(".png") > DIALOGUES
    files = [
        json.loads((tmp_path / name / "simmc_fashion/fashion_collected_dials.json").read_bytes())
        for name in ("shopped", "annotated")
    ]
    plain, labelled = (file["dialogue_data"] for file in files)
    assert len(plain) == len(labelled) == DIALOGUES
    assert [each["dialogue_idx"] for each in plain] == [each["dialogue_idx"] for each in labelled]
    assert all(turn["belief_state"] == [] for each in plain for turn in each["dialogue"])
    assert all(turn["belief_state"] for each in labelled for turn in each["dialogue"])
    said = follow(scoring)
    assert "linear" in said
    assert "Nothing found." in follow("commonground check simmc")


def test_a_first_dialogue_is_there(follow: Callable[[str], str], tmp_path: Path) -> None:
    make, serve = BLOCKS[0].splitlines()
    follow(make)
    assert serve == "commonground collect serve studies/try"
    assert len(open_study(tmp_path / "studies/try").stock) > DIALOGUES
