"""Every scenario that has a room, served and played by scripted people over real sockets."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from commonground.play.collect.erasing import erase_named
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.exports.replaying import list_played, replay_session
from commonground.play.collect.identities import Identities
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import Study, open_study
from commonground.play.rooms.players.guests import Stay
from commonground.play.rooms.players.rehearsing import gather, invite
from commonground.play.scenarios import get_scenario, iterate_scenarios
from commonground.store.access import import_files
from tests.thorough import a_few
from tests.unit.play.rooms.conftest import Server

SPEED = 400.0
SESSIONS = {"mpchat": 150, "photobook": 2}
"""Sessions of each scenario, 3 unless said: three must label a unit before it is released."""

MISHAPS = 0.11
NAMES = sorted(each.name for each in iterate_scenarios() if each.room.is_dir())
KINDS = ("photobook", "simmc-annotation", "taskmaster3")
"""Scenarios of turns together, of assigned work and of work alone."""


@pytest.fixture(scope="module", params=a_few(NAMES, KINDS))
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Study, list[Stay]]:
    """A study that people played through although the server was killed and lines were cut."""
    folder = tmp_path_factory.mktemp("guests") / "pilot"
    prepare_study(folder, request.param, material=None, languages=("en",))
    study = open_study(folder)
    # In a thread of its own, since other tests may leave an event loop running in this one.
    with ThreadPoolExecutor(1) as alone:
        return study, alone.submit(asyncio.run, _play_through_a_crash(study)).result()


def count_sessions(study: Study) -> int:
    return SESSIONS.get(study.settings.scenario, 3)


async def _play_through_a_crash(study: Study) -> list[Stay]:
    server = Server(study.folder)
    address = server.address
    guests = invite(
        study, address, sessions=count_sessions(study), speed=SPEED, seed=5, mishaps=MISHAPS
    )
    playing = asyncio.create_task(gather(guests))
    try:
        while sum(len(each.stay.counted) for each in guests) < 2 * len(guests):
            assert not playing.done(), "it was over before the crash"
            await asyncio.sleep(0.02)
        await asyncio.to_thread(server.kill)
        server.close()
        server = await asyncio.to_thread(Server, study.folder, server.port)
        return await asyncio.wait_for(playing, 900)
    finally:
        playing.cancel()
        server.close()


def test_everybody_comes_to_an_end_that_is_paid(played: tuple[Study, list[Stay]]) -> None:
    study, stays = played
    is_assigned = get_scenario(study.settings.scenario).assigner() is not None
    ways = {"completed", "stopped"} if is_assigned else {"completed"}
    assert {stay.way_out for stay in stays} <= ways
    assert sum(stay.sessions for stay in stays) >= count_sessions(study)
    assert sum(sum(stay.mishaps.values()) for stay in stays) > 0


def test_what_was_acknowledged_is_in_the_log_once(played: tuple[Study, list[Stay]]) -> None:
    study, stays = played
    with closing(study.open_log()) as log:
        kept = Counter(e.client_msg_id for e in log.read() if e.client_msg_id is not None)
    told = [name for stay in stays for name in stay.counted]
    assert len(told) == len(set(told))
    assert set(told) <= kept.keys()
    assert max(kept.values()) == 1


def test_the_log_leads_to_the_same_records(played: tuple[Study, list[Stay]]) -> None:
    study, _ = played
    rules = get_scenario(study.settings.scenario).rules
    with closing(study.open_log()) as log:
        sessions = list_played(list(log.read()))
    done = [each for each in sessions if each.reason == "completed"]
    assert len(done) >= count_sessions(study)
    assert all(rules.is_complete(replay_session(study, each)) for each in done)


def test_what_is_exported_is_imported_with_nothing_to_find(
    played: tuple[Study, list[Stay]], tmp_path: Path
) -> None:
    study, _ = played
    scenario = get_scenario(study.settings.scenario)
    exported = export_study(study, tmp_path / "OUT")
    assert exported.complete >= count_sessions(study)
    if not scenario.has_corpus:
        return
    opened = import_files(scenario.corpus.name, tmp_path / "OUT", store=tmp_path / "store")
    assert len(opened) > 0
    found = opened.rows("SELECT code, severity, message FROM findings WHERE severity != 'note'")
    assert found == []


def test_nothing_is_left_of_somebody_who_is_erased(
    played: tuple[Study, list[Stay]], tmp_path: Path
) -> None:
    study, stays = played
    copy = open_study(Path(shutil.copytree(study.folder, tmp_path / "pilot", symlinks=True)))
    export_study(copy, tmp_path / "OUT")
    with closing(Identities(copy.identities_path)) as identities:
        pid = identities.read_token(stays[0].token)
    assert pid is not None
    assert erase_named(copy, pid) > 0
    told = {name.encode() for name in (pid, *stays[0].counted)}
    for path in tmp_path.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.suffix not in (".png", ".jpg"):
            data = path.read_bytes()
            assert not [name for name in told if name in data], path
