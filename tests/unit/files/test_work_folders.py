"""Hidden folders: removed where nobody writes them any more, and only there."""

from __future__ import annotations

import os
import subprocess
import sys
import timeit
from pathlib import Path

import pytest

from commonground.files.work_folders import clear_leftovers, clear_work_folders, hidden_folder

KILLED = """
import os, sys
from pathlib import Path
from commonground.files.work_folders import hidden_folder
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

    monkeypatch.setattr("portalocker.portalocker.LOCKER", refuse)
    with hidden_folder(tmp_path / "out", "new") as mine:
        clear_leftovers(tmp_path / "out")
        assert names(tmp_path) == [mine.name]
    assert names(tmp_path) == []


ABANDONING = """
import os, sys
from pathlib import Path
from commonground.files.work_folders import clear_work_folders, hidden_folder, temporary_folder
clear_work_folders()
with hidden_folder(Path(sys.argv[1]), "new"), temporary_folder() as folder:
    (folder / "large").touch()
    print("ready", flush=True)
    input()
    os.kill(os.getpid(), 9)
"""


def abandon(out: Path, tmp_path: Path) -> subprocess.Popen[str]:
    """Starts a process that has two places, and dies when it is sent a line."""
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", ABANDONING, str(out)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_the_next_command_of_any_kind_clears_what_the_dead_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("far", "tmp"):
        (tmp_path / name).mkdir()
    living, dead = (abandon(tmp_path / "far" / name, tmp_path) for name in ("a", "b"))
    dead.communicate("\n")
    words = [sys.executable, "-c", "from commonground.cli import main; main()", "tasks"]
    subprocess.run(words, check=True, capture_output=True, cwd=tmp_path)
    assert [name[:7] for name in names(tmp_path / "far")] == [".a.new-"]
    assert len(names(tmp_path / "tmp")) == 1
    living.communicate("\n")
    clear_work_folders()
    assert names(tmp_path / "far") + names(tmp_path / "tmp") == []
    assert list((tmp_path / "cache" / "commonground").glob("places-*/*")) == []


def test_a_listed_place_that_is_none_of_ours_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with hidden_folder(tmp_path / "out", "new"):
        (listing,) = (tmp_path / "cache" / "commonground").iterdir()
    for number, name in enumerate(("thesis", ".thesis.new-", "commonground-store")):
        (tmp_path / name).mkdir()
        (listing / str(number)).symlink_to(tmp_path / name)
    clear_work_folders()
    assert names(tmp_path) == [".thesis.new-", "cache", "commonground-store", "thesis"]


def test_looking_for_places_costs_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with hidden_folder(tmp_path / "out", "new"):
        pass
    took = min(timeit.repeat(clear_work_folders, number=10, repeat=5)) / 10
    assert took < 0.001


def test_a_folder_that_is_cleared_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make = Path.mkdir
    calls = []

    def make_late(path: Path, *args: object, **options: object) -> None:
        if ".new-" in path.name:
            calls.append(path)
            if len(calls) == 1:
                clear_work_folders()  # finds it listed and not yet there
        make(path, *args, **options)  # type: ignore[arg-type]
        if ".new-" in path.name and len(calls) == 2:
            clear_work_folders()  # finds it there and not yet locked

    monkeypatch.setattr(Path, "mkdir", make_late)
    listing = tmp_path / "cache" / "commonground"
    with hidden_folder(tmp_path / "a", "new") as first:
        assert [link.readlink() for link in listing.glob("*/*")] == [first]
        with hidden_folder(tmp_path / "b", "new") as second:
            assert len(calls) == 3
            assert second.is_dir()
            assert second in [link.readlink() for link in listing.glob("*/*")]
