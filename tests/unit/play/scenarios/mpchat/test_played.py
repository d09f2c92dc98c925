"""A study that scripted people labelled, imported and drawn like released files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tests.unit.play.scenarios.mpchat.labelling import PLAIN

from commonground.corpora import get_corpus
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.files.formats import identify_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import list_documents
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.sessions import Played, play_sessions, seat_players
from commonground.play.sessions.session_logs import LOG_NAME, SessionLog
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

SESSIONS = 120


def play(out: Path, sessions: int, images: Path | None = None) -> Played:
    scenario = get_scenario("mpchat")
    out.mkdir()
    seats = seat_players(scenario, {"worker": "script"})
    return play_sessions(scenario, seats, out, sessions=sessions, seed=5, material=images)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played") / "files"
    played = play(out, SESSIONS)
    assert 0.8 * SESSIONS < played.complete == played.sessions <= SESSIONS
    assert not played.stuck
    return out


@pytest.fixture(scope="module")
def logs(folder: Path) -> list[SessionLog]:
    lines = (folder / LOG_NAME).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=SessionLog) for line in lines]


def test_people_come_again_and_nobody_gets_a_unit_twice(logs: list[SessionLog]) -> None:
    given = [(each.agents["worker"], each.material["id"]) for each in logs]
    assert len(set(given)) == len(given)
    assert len({person for person, _ in given}) == 10
    labelled = Counter(
        each.material["id"]
        for each in logs
        if not each.material["gold"] and each.acts[-1].type == "mpchat.submit"
    )
    assert set(labelled.values()) <= {1, 2, 3}
    assert sum(number == 3 for number in labelled.values()) > 0.9 * len(labelled)


def test_people_get_units_with_known_answers(logs: list[SessionLog]) -> None:
    known = Counter(each.agents["worker"] for each in logs if each.material["gold"])
    assert known
    assert max(known.values()) == 1


def test_what_was_labelled_is_imported_without_a_finding(folder: Path, tmp_path: Path) -> None:
    entry = get_corpus("mpchat")
    summary = import_corpus(entry, [folder], store=tmp_path, images=folder / "images", jobs=1)
    assert summary.manifest.findings == {}
    assert summary.manifest.counts["groundings"] > SESSIONS
    for document in list_documents([folder]).documents:
        fmt = identify_document(document, entry.formats())
        if fmt is not None:
            assert roundtrip_document(document, fmt).difference is None
    shell = Shell(links=Links(), corpora=["mpchat"], corpus="mpchat")
    for dialogue in open_store(tmp_path).corpus("mpchat").dialogues():
        drawn = draw_dialogue("mpchat", dialogue)
        assert dialogue.groundings or not dialogue.dialogue_id.startswith("nrp")
        assert "<html" in render_dialogue(drawn, msgspec.structs.replace(shell, drawn={}))


def test_what_was_labelled_can_be_labelled_again(folder: Path, tmp_path: Path) -> None:
    played = play(tmp_path / "again", 30, images=folder)
    assert played.complete == 30
    line = (tmp_path / "again" / LOG_NAME).read_bytes().splitlines()[0]
    unit = msgspec.convert(msgspec.json.decode(line)["material"], Unit)
    assert unit.known == {}
    pictures = [each.picture for each in unit.candidates]
    assert all(picture and (folder / picture).is_file() for picture in pictures)


def test_a_unit_of_no_thread_is_json_like_any_other() -> None:
    assert msgspec.json.decode(msgspec.json.encode(PLAIN), type=Unit) == PLAIN


def test_a_model_is_told_from_people(tmp_path: Path) -> None:
    scenario = get_scenario("mpchat")
    model = msgspec.structs.replace(scenario.player_kinds()["script"], name="model", model=True)
    played = play_sessions(scenario, {"worker": model}, tmp_path, sessions=6, seed=5)
    assert not (tmp_path / "mpchat_nrp.json").exists()
    votes = msgspec.json.decode((tmp_path / "extra" / "model_votes.json").read_bytes())
    assert len(votes) == played.complete > 0
