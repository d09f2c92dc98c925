"""Outputs: whole or not at all, in the place and with the permissions of what they replace."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commonground.errors import SourceError, UsageError
from commonground.files.outputs import new_file, new_files, new_folder, write_file

SOURCE = Path(__file__).parents[3] / "src" / "commonground"
WITHIN = (
    *("export/", "corpora/", "store/", "site/static_"),
    *("files/outputs.py", "playing.py", "files/simulated.py"),
    *("collect/exports/exporting.py", "collect/setup/study.py"),
)
"""Writers of files in a folder that ``files.outputs`` or an import made for them."""
MAKERS = frozenset(
    {"write_text", "write_bytes", "TemporaryDirectory", "NamedTemporaryFile", "mkdtemp", "mkstemp"}
)
RESUMING = ("fetching.py",)
"""What goes on where it broke off, and so must keep what it has."""


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(0o640)
    with new_file(out) as beside:
        beside.write_text("new")
        assert out.read_text() == "old"
    assert out.read_text() == "new"
    assert out.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["out.csv"]


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    write_file(tmp_path / "out", b"old")

    def fail(error: Exception) -> None:
        with new_file(tmp_path / "out") as beside:
            beside.write_text("half")
            raise error

    with pytest.raises(ValueError, match="no"):
        fail(ValueError("no"))
    with pytest.raises(SourceError, match="out cannot be written: No space"):
        fail(OSError(28, "No space left on device"))
    assert (tmp_path / "out").read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("none/out", "No such file or directory. Name a file in a folder that"), (".", "directory")],
)
def test_where_nothing_can_be_written_it_is_told(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        write_file(tmp_path / name, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write whatever it likes")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    (tmp_path / "out").touch(0o400)
    with pytest.raises(SourceError, match="Permission denied"):
        write_file(tmp_path / "out", b"")


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_what_is_open_is_written_to(tmp_path: Path) -> None:
    code = "from commonground.files.outputs import write_file; from pathlib import Path;"
    code += "write_file(Path('/dev/stdout'), b'sent')"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"sent"
    with (tmp_path / "redirected").open("wb") as file:
        subprocess.run(words, stdout=file, check=True)
        assert os.fstat(file.fileno()).st_nlink == 1  # it was not replaced
    assert (tmp_path / "redirected").read_bytes() == b"sent"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    name = "é" * 127
    write_file(tmp_path / name, b"")
    assert names(tmp_path) == [name]


def test_files_of_others_stay_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "a.csv").write_text("old")
    with new_files(tmp_path) as beside:
        (beside / "a.csv").write_text("new")
        (beside / "sub").mkdir()
        (beside / "sub" / "b.csv").write_text("b")
        assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv", "mine.txt", "sub"]
    assert (tmp_path / "a.csv").read_text() == "new"


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_folder_is_replaced_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanged: bool
) -> None:
    if not exchanged:  # as where two folders cannot change places in one step
        monkeypatch.setattr("commonground.files.outputs._exchange", lambda *_: False)
    out = tmp_path / "out"
    out.mkdir(mode=0o750)
    (out / "old").touch()
    with new_folder(out, "thing", is_ours=lambda _: True, kept={}) as beside:
        (beside / "new").touch()
        assert names(out) == ["old"]
    assert (names(out), names(tmp_path)) == (["new"], ["out"])
    assert out.stat().st_mode & 0o777 == 0o750


def test_where_a_disk_is_mounted_a_folder_in_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda _: True)
    with (
        pytest.raises(UsageError, match=r"disk is mounted.*Name a folder in it"),
        new_folder(tmp_path, "site", is_ours=None, kept={}),
    ):
        pass


def _writes(source: str) -> list[int]:
    """Lists lines that open a file to write it, or make a temporary one."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute)
        name = getattr(node.func, "attr" if method else "id", "")
        given = node.args[:1] if method else node.args[1:2]
        given += [each.value for each in node.keywords if each.arg == "mode"]
        modes = [str(each.value) for each in given if isinstance(each, ast.Constant)]
        to_write = any(set(mode) <= set("rwxabt+") and set(mode) & set("wxa+") for mode in modes)
        if name in MAKERS or (name == "open" and to_write):
            found.append(node.lineno)
    return found


def test_every_output_goes_through_one_place() -> None:
    """A file that is opened to be written stands beside its place, or is named here with why."""
    loose = {}
    for path in SOURCE.rglob("*.py"):
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if not name.startswith(WITHIN) and name not in RESUMING:
            lines = text.splitlines()
            loose[name] = [each for each in _writes(text) if "beside" not in lines[each - 1]]
    assert {name: lines for name, lines in loose.items() if lines} == {}


def test_what_writes_is_recognised() -> None:
    assert _writes("open('x', 'w')\npath.open(mode='wb')\npath.write_text('')") == [1, 2, 3]
    assert _writes("open('wax')\npath.open('rb')\nshelf.open()\ntempfile.mkdtemp()") == [4]
