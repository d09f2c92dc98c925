"""Talks that scripts play with a list of one's own, and their log."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from commonground.errors import FormatError
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.database import Invention, open_database
from commonground.play.session import replay_acts
from commonground.play.sessions import play_sessions, seat_players, session_logs
from commonground.play.sessions.session_logs import LOG_NAME, read_sessions


@pytest.fixture(scope="module")
def packages() -> bytes:
    database = open_database(Invention(1, 400))
    return msgspec.json.encode([database.package(each) for each in range(len(database.deals))])


def play(folder: Path, packages: bytes) -> Path:
    """Plays three talks with the same list; returns the log."""
    given, out = folder / "given", folder / "out"
    given.mkdir()
    out.mkdir()
    (given / "packages.json").write_bytes(packages)
    scenario = get_scenario("frames")
    play_sessions(scenario, seat_players(scenario, {}), out, sessions=3, seed=1, material=given)
    return out / LOG_NAME


def test_a_large_list_stands_in_the_log_once(
    tmp_path: Path, packages: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_logs, "LARGE", 10_000)
    log = play(tmp_path, packages)
    lines = log.read_bytes().splitlines()
    assert [line.count(b'"deals"') for line in lines] == [1, 0, 0]
    for session in read_sessions(log):
        material = msgspec.convert(session.material, FramesMaterial)
        state = replay_acts(SCENARIO, material, session.seed, session.acts)
        assert SCENARIO.is_complete(state)


def test_a_small_one_stands_in_each_line(tmp_path: Path, packages: bytes) -> None:
    lines = play(tmp_path, packages).read_bytes().splitlines()
    assert [line.count(b'"deals"') for line in lines] == [1, 1, 1]


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    log = tmp_path / LOG_NAME
    log.write_text('{"material": {}}\n')
    with pytest.raises(FormatError, match=LOG_NAME):
        next(read_sessions(log))
