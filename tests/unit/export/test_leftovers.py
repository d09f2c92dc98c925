"""Hidden folders: removed where nobody writes them any more, and only there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from commonground.export.leftovers import clear_leftovers, hidden_folder

KILLED = """
import os, sys
from pathlib import Path
from commonground.export.leftovers import hidden_folder
target = Path(sys.argv[1])
with hidden_folder(target, sys.argv[2]) as folder:
    if target.exists():
        target.rename(folder / target.name)
    os.kill(os.getpid(), 9)
"""


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("kind", ["new", "old"])
def test_what_a_killed_process_left_is_removed(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    subprocess.run([sys.executable, "-c", KILLED, str(out), kind], check=False)
    assert [name[:9] for name in names(tmp_path)] == [f".out.{kind}-"]
    clear_leftovers(out)
    assert names(tmp_path) == []


def test_an_export_that_a_killed_process_put_aside_comes_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "events.csv").write_text("a\n", encoding="utf-8")
    subprocess.run([sys.executable, "-c", KILLED, str(out), "old"], check=False)
    assert not out.exists()
    clear_leftovers(out)
    assert names(tmp_path) == ["out"]
    assert (out / "events.csv").read_text(encoding="utf-8") == "a\n"


def test_folders_of_others_stay(tmp_path: Path) -> None:
    others = [".out.new-", ".out.new-12", ".out2.new-abcdefgh", ".out.new-abcdefgh.d", "out"]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / ".out.new-abcdefgh").write_text("a file", encoding="utf-8")
    with hidden_folder(tmp_path / "out", "new") as mine:
        clear_leftovers(tmp_path / "out")
        assert names(tmp_path) == sorted([*others, ".out.new-abcdefgh", mine.name])
    assert names(tmp_path) == sorted([*others, ".out.new-abcdefgh"])


def test_without_locks_folders_are_made_and_none_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    with hidden_folder(tmp_path / "out", "new") as mine:
        clear_leftovers(tmp_path / "out")
        assert names(tmp_path) == [mine.name]
    assert names(tmp_path) == []
