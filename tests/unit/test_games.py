"""Playing and measuring games in Python, as a notebook does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import commonground as cg
from commonground.errors import UsageError


def test_games_are_played_measured_and_read(tmp_path: Path) -> None:
    made = cg.play("photobook", tmp_path / "played", games=3, seed=2, A="script")
    assert (made.played.complete, made.kept) == (3, None)
    assert made.rates["played"].count == 3
    assert repr(made).startswith("photobook A=script B=script: 3 of 3 games played to their end")
    measured = cg.measure("photobook", models=tmp_path / "played")
    assert measured.sets["models"].games == 3
    # Five pages and all of them, of each of the measures; declines and coupling come after.
    words = [row for row in measured.list_numbers() if row[2] == "words" and row[3] != "decline"]
    assert [row[3] for row in words] == [1, 2, 3, 4, 5, "all"]
    assert "models" in repr(measured)
    corpus = cg.import_files("photobook", tmp_path / "played", store=tmp_path / "store")
    assert len(corpus) == 3


def test_the_same_seed_plays_the_same_games(tmp_path: Path) -> None:
    for name in ("one", "other"):
        cg.play("photobook", tmp_path / name, games=1, seed=4)
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.json")}
        for name in ("one", "other")
    )
    assert one == other


def test_playing_is_there_whatever_was_imported_before() -> None:
    for first in ("import commonground.play.session", "import commonground.play", ""):
        code = f"{first}\nimport commonground as cg\nprint(callable(cg.play), cg.play.__name__)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.split() == ["True", "commonground.play"], done.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"C": "script"}, "no role 'C'"),
        ({"A": "nobody"}, "no player 'nobody'"),
        ({"A": "replay"}, "needs a schedule"),
        ({"max_calls": 3}, "none plays"),
    ],
)
def test_what_cannot_be_played_is_refused(
    tmp_path: Path, options: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        cg.play("photobook", tmp_path / "played", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "played").exists()


def test_no_set_of_games_is_no_measure() -> None:
    with pytest.raises(UsageError, match="No set of games"):
        cg.measure("photobook")
