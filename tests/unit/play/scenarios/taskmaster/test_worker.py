from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.thorough import a_few
from tests.unit.play.scenarios.taskmaster.sessions import FREE, released_scripts

from commonground.corpora.taskmaster.script_language import Hint, parse_script
from commonground.play.player import Seat
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.material import TaskmasterMaterial
from commonground.play.scenarios.taskmaster.players.worker import load_phrases
from commonground.play.scenarios.taskmaster.taskmaster1.script import PLAYER as ERRANDS
from commonground.play.session import Session, play
from commonground.play.sessions import play_sessions, seat_players
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

NAMES = ("taskmaster1", "taskmaster3", "taskmaster4")


def write(name: str, material: TaskmasterMaterial, seed: int = 1) -> Session[Any]:
    scenario = get_scenario(name)
    player = scenario.player_kinds()["script"].enter(Seat("worker", material, seed))
    return play(scenario.rules, material, seed, {"worker": player})


@pytest.mark.parametrize("name", NAMES)
def test_what_scripts_play_is_imported_without_findings(name: str, tmp_path: Path) -> None:
    scenario = get_scenario(name)
    seats = seat_players(scenario, {})
    played = play_sessions(scenario, seats, tmp_path, sessions=12, seed=3)
    assert played.complete == 12
    import_corpus(scenario.corpus, [tmp_path], store=tmp_path / "store", jobs=1)
    corpus = open_store(tmp_path / "store").corpus(name)
    assert corpus.table("dialogues").num_rows == 12
    assert corpus.table("findings").num_rows == 0


@pytest.mark.parametrize("name", ["taskmaster3", "taskmaster4"])
def test_every_invented_hint_has_words_of_its_own(name: str) -> None:
    phrases = load_phrases(name)
    for material in get_scenario(name).material_source().invent(200, 5):
        for line in parse_script(material.script).lines:
            if isinstance(line, Hint):
                found = [each for each in phrases.say if re.search(each.hint, line.text, re.I)]
                assert found, line.text


def test_people_take_minutes() -> None:
    material = get_scenario("taskmaster3").material_source().invent(8, 1)[0]
    acts = write("taskmaster3", material).acts
    minutes = (acts[-1].at_us - acts[0].at_us) / 60_000_000
    assert 1 < minutes < 30
    assert acts[0].at_us > 3_000_000  # it reads before it types


def test_different_seeds_write_differently() -> None:
    material = get_scenario("taskmaster4").material_source().invent(8, 1)[0]
    texts = {
        tuple(act.payload.get("text") for act in write("taskmaster4", material, seed).acts)
        for seed in range(8)
    }
    assert len(texts) > 4


def test_other_free_scripts_are_written_too() -> None:
    session = write("taskmaster1", TaskmasterMaterial("Nothing known", FREE))
    assert len(session.state.written) == 10


def test_an_errand_that_fails_is_marked_as_such() -> None:
    material = get_scenario("taskmaster1").material_source().invent(1, 1)[0]
    endings = set()
    for seed in range(20):
        player = ERRANDS.enter(Seat("worker", material, seed))
        rules = get_scenario("taskmaster1").rules
        state = play(rules, material, seed, {"worker": player}).state
        endings.add(frozenset(each.label.rpartition(".")[2] for each in state.marked))
    assert endings == {frozenset({"accept"}), frozenset({"reject"})}


@pytest.mark.parametrize("name", a_few(["taskmaster3", "taskmaster4"], ["taskmaster3"]))
def test_released_scripts_can_be_played(name: str) -> None:
    scenario = get_scenario(name)
    assert isinstance(scenario.rules, SelfDialog)
    for text, title in released_scripts(name).items():
        session = write(name, TaskmasterMaterial(title, text))
        assert scenario.rules.is_complete(session.state)
