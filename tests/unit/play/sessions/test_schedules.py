"""Schedules: the same material and seeds for others, and the people of a record in their seats."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import commonground as cg
from commonground.errors import FormatError, UsageError
from commonground.play.player import Moment, Move, PlayerKind
from commonground.play.scenario import Act, Allowed
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import Played, play_sessions, seat_players
from commonground.play.sessions.schedules import ReplayPlayer, make_replay_kind, read_schedule
from commonground.play.sessions.session_logs import read_sessions

GAMES = 3
SECOND_US = 1_000_000


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schedules") / "played"
    folder.mkdir()
    scenario = get_scenario("photobook")
    play_sessions(scenario, seat_players(scenario, {}), folder, sessions=GAMES, seed=7)
    return folder


def play_again(path: Path, out: Path, *replayed: str) -> Played:
    scenario, schedule = get_scenario("photobook"), read_schedule(get_scenario("photobook"), path)
    kind: PlayerKind = make_replay_kind(schedule)
    seats = seat_players(scenario, {}) | dict.fromkeys(replayed, kind)
    out.mkdir()
    return play_sessions(scenario, seats, out, sessions=GAMES, seed=99, schedule=schedule)


def test_games_of_a_schedule_have_its_material_and_seeds(played: Path, tmp_path: Path) -> None:
    again = play_again(played, tmp_path / "again")
    assert again.complete == GAMES
    first = list(read_sessions(played / "sessions.jsonl"))
    second = list(read_sessions(tmp_path / "again" / "sessions.jsonl"))
    assert [each.material for each in first] == [each.material for each in second]
    assert [each.seed for each in first] == [each.seed for each in second]


def test_who_is_replayed_does_what_was_done_then(played: Path, tmp_path: Path) -> None:
    play_again(played, tmp_path / "again", "A", "B")
    first = read_sessions(played / "sessions.jsonl")
    second = read_sessions(tmp_path / "again" / "sessions.jsonl")
    for one, other in zip(first, second, strict=True):
        assert other.players == {"A": "replay", "B": "replay"}
        for role in ("A", "B"):
            kept = [(each.type, each.payload) for each in one.acts if each.role == role]
            assert [(e.type, e.payload) for e in other.acts if e.role == role] == kept


def test_what_was_played_twice_comes_last(played: Path, tmp_path: Path) -> None:
    lines = (played / "sessions.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "sessions.jsonl").write_text("".join([lines[0], *lines]), "utf-8")
    found = read_schedule(get_scenario("photobook"), tmp_path)
    assert [each.name for each in found] == ["0", "1", "2", "0"]


def test_a_slow_partner_does_not_rush_the_pages_that_follow() -> None:
    acts = [
        Act(
            "chat.message",
            "B",
            {"text": str(page)},
            at_us=page * 100 * SECOND_US + at_us,
            round=page,
        )
        for page in (1, 2)
        for at_us in (0, 10 * SECOND_US)
    ]
    player = ReplayPlayer("B", acts)
    delays = []
    # The first page took an hour longer than it did when it was recorded.
    for page, at_s in ((1, 0), (2, 3_600)):
        for _ in range(2):
            allowed = [Allowed("chat.message", {})]
            moment = Moment("B", {"round": page}, allowed, at_us=at_s * SECOND_US)
            move = player.next_move(moment, Random(0))
            assert isinstance(move, Move)
            delays.append(move.delay_s)
    assert delays == [0.2, 10.0, 0.2, 10.0]


def test_released_games_are_a_schedule(played: Path, tmp_path: Path) -> None:
    done = play_again(played / "logs", tmp_path / "again", "A")
    assert done.complete == GAMES
    logs = list(read_sessions(tmp_path / "again" / "sessions.jsonl"))
    assert all(each.players == {"A": "replay", "B": "script"} for each in logs)
    assert "repeat what was said" in (tmp_path / "again/SIMULATED.txt").read_text(encoding="utf-8")


def test_what_is_no_schedule_is_said(played: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="session 0 is of photobook"):
        read_schedule(get_scenario("frames"), played)
    with pytest.raises(UsageError, match="cannot be a schedule"):
        read_schedule(get_scenario("mpchat"), tmp_path)


def test_what_all_sessions_share_is_compared_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cg.simulate("frames", tmp_path, dialogues=8)
    encode, written = msgspec.json.encode, []

    def note(value: object, **options: Any) -> bytes:
        written.append(value)
        return encode(value, **options)

    monkeypatch.setattr(msgspec.json, "encode", note)
    materials = [each.material for each in read_schedule(get_scenario("frames"), tmp_path)]
    databases = {id(each.packages) for each in materials}
    assert len(databases) < len(materials)
    assert not {id(each) for each in materials} & {id(each) for each in written}
    assert sum(id(each) in databases for each in written) == len(databases)
