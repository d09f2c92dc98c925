"""A play that is stopped keeps the games that were finished, and goes on with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from commonground.cli.play import command
from commonground.errors import UsageError
from commonground.play import sessions
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import play_sessions, seat_players
from commonground.play.sessions.keeping import KeptGames, name_kept


def read_all(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def play(out: Path, *words: str, games: int = 4) -> int:
    line = ["photobook", "--games", str(games), "--out", str(out), *words]
    return CliRunner().invoke(command, line, standalone_mode=False).exit_code


@pytest.fixture
def broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The output of a play that ended in its third game, with half a line after the second."""
    out, whole = tmp_path / "out", sessions.play_session
    games = iter(range(2))

    def break_off(*args: object) -> object:
        if next(games, None) is None:
            raise KeyboardInterrupt
        return whole(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(sessions, "play_session", break_off)
        assert play(out) != 0
    assert not out.exists()
    with name_kept(out).open("ab") as file:
        file.write(b'{"scenario":"photob')
    return out


def test_the_same_play_goes_on_with_what_was_finished(
    broken_off: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, played = sessions.play_session, []

    def count(*args: object) -> object:
        played.append(args)
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sessions, "play_session", count)
    assert play(broken_off) == 0
    assert len(played) == 2
    assert not name_kept(broken_off).exists()
    assert play(tmp_path / "at once") == 0
    assert read_all(broken_off) == read_all(tmp_path / "at once")


def test_another_play_is_told_of_them(broken_off: Path) -> None:
    scenario = get_scenario("photobook")
    seats, place = seat_players(scenario, {}), name_kept(broken_off)
    kept = KeptGames(place, scenario, seats)
    before = place.read_bytes()
    assert len(before.splitlines()) == 2
    broken_off.mkdir()
    with pytest.raises(UsageError, match="has games of an interrupted command"):
        play_sessions(scenario, seats, broken_off, sessions=4, seed=5, kept=kept)
    kept.close()
    assert place.read_bytes() == before


def test_games_that_a_shorter_play_leaves_are_kept(broken_off: Path) -> None:
    line = ["photobook", "--games", "1", "--out", str(broken_off)]
    done = CliRunner().invoke(command, line, standalone_mode=False)
    assert done.exit_code == 0
    place = name_kept(broken_off)
    assert f"Not asked for, and left in {place}: 1 game." in done.stderr
    assert len(place.read_bytes().splitlines()) == 2


def test_nothing_is_left_where_nothing_was_finished(tmp_path: Path) -> None:
    scenario = get_scenario("photobook")
    kept = KeptGames(name_kept(tmp_path / "out"), scenario, seat_players(scenario, {}))
    kept.close()
    assert list(tmp_path.iterdir()) == []
