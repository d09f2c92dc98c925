"""Outputs: whole or not at all, in the place and with the permissions of what they replace."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commonground.errors import SourceError, UsageError
from commonground.files.listings import LISTING
from commonground.files.outputs import new_file, new_files, new_folder, write_file

SOURCE = Path(__file__).parents[3] / "src" / "commonground"
WITHIN = (
    *("corpora/", "exports/", "play/scenarios/", "store/", "explorer/static_site/"),
    *("files/listings.py", "files/outputs.py", "play/sessions/", "files/simulated.py"),
    *("play/collect/exports/exporting.py", "play/collect/setup/study.py"),
)
"""Writers of files in a folder that ``files.outputs`` or an import made for them."""
MAKERS = frozenset(
    {"write_text", "write_bytes", "TemporaryDirectory", "NamedTemporaryFile", "mkdtemp", "mkstemp"}
)
RESUMING = ("fetching.py", "play/sessions/keeping.py")
"""What goes on where it broke off, and so must keep what it has."""

STAGED = re.compile(r"\b(beside|staged)\b")
"""What a file is called that stands beside its place until it is whole."""


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
    with new_folder(out, "thing", kept={}) as beside:
        (beside / "old").touch()
    with new_folder(out, "thing", kept={}) as beside:
        (beside / "new").touch()
        assert names(out) == [LISTING, "old"]
        (out / "just now").touch()
    assert (names(out), names(tmp_path)) == ([LISTING, "just now", "new"], ["out"])
    assert out.stat().st_mode & 0o777 == 0o750


def write(out: Path, **files: str) -> None:
    with new_folder(out, "thing", kept={}) as beside:
        for name, text in files.items():
            (beside / "sub").mkdir(exist_ok=True)
            (beside / "sub" / name).write_text(text)


def test_what_was_added_to_a_folder_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, page="old", other="old")
    (out / ".git/objects").mkdir(parents=True)
    (out / ".git/HEAD").write_text("main")
    (out / "sub/private").mkdir(mode=0o700)
    (out / "sub/private/decided.csv").write_text("yes")
    (out / "CNAME").write_text("talks.example")
    (out / "beyond").symlink_to(tmp_path)
    (out / "dangling").symlink_to("nothing")
    write(out, page="new")
    assert names(out / "sub") == ["page", "private"]
    assert (out / "sub/page").read_text() == "new"
    assert (out / ".git/HEAD").read_text() == "main"
    assert (out / ".git/objects").is_dir()
    assert (out / "sub/private").stat().st_mode & 0o777 == 0o700
    assert (out / "sub/private/decided.csv").read_text() == "yes"
    assert (out / "beyond").readlink() == tmp_path
    assert (out / "dangling").is_symlink()


def test_where_files_have_no_second_names_they_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "out", page="old")
    (tmp_path / "out/mine").write_text("mine")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path / "out", page="new")
    assert (tmp_path / "out/mine").read_text() == "mine"


def test_what_was_changed_or_is_in_the_way_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, page="old")
    (out / "sub/page").write_text("by hand")
    with pytest.raises(UsageError, match=r"would be lost: .*/out/sub/page\."):
        write(out, page="new")
    assert (out / "sub/page").read_text() == "by hand"
    (out / "sub/page").unlink()
    (out / "sub/later").write_text("mine")
    with pytest.raises(UsageError, match=r"would be lost: .*/out/sub/later\."):
        write(out, page="new", later="new")
    (out / "sub/later").unlink()
    shutil.rmtree(out / "sub")
    (out / "sub").write_text("a file where a folder is to be")
    with pytest.raises(UsageError, match=r"would be lost: .*/out/sub\."):
        write(out, page="new")
    assert (out / "sub").read_text() == "a file where a folder is to be"
    assert names(tmp_path) == ["out"]


def test_a_list_that_says_something_else_makes_no_output_ours(tmp_path: Path) -> None:
    write(tmp_path / "out", page="old")
    for of, what in (("other", "thing"), ("", "export")):
        with (
            pytest.raises(UsageError, match=r"another study|holds no export"),
            new_folder(tmp_path / "out", what, kept={}, of=of),
        ):
            pass
    (tmp_path / "out" / LISTING).write_text("{")
    with pytest.raises(UsageError, match="holds no thing written by commonground"):
        write(tmp_path / "out", page="new")


def test_a_folder_in_which_something_is_mounted_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "the out"
    write(out, page="old")
    mounts = tmp_path / "mountinfo"
    place = str(out / "disk").replace(" ", "\\040")
    mounts.write_text(f"36 35 98:0 / {place} rw,noatime shared:1 - ext4 /dev/sdb1 rw\n")
    monkeypatch.setattr("commonground.files.listings._MOUNTS", mounts)
    with pytest.raises(UsageError, match=f"mounted, at {out}/disk"):
        write(out, page="new")


def test_where_a_disk_is_mounted_a_folder_in_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda _: True)
    with (
        pytest.raises(UsageError, match=r"disk is mounted.*Name a folder in it"),
        new_folder(tmp_path, "site", kept={}),
    ):
        pass


@pytest.mark.parametrize("name", ["out.csv", "new/out.csv", "toy/out.csv", "toy/data-1/out.csv"])
def test_nothing_is_written_into_a_store(tmp_path: Path, name: str) -> None:
    (tmp_path / "store/toy/data-1").mkdir(parents=True)
    (tmp_path / "store/new").mkdir()
    (tmp_path / "store/toy/manifest.json").write_text('{\n "schema_version": 1\n}')
    out = tmp_path / "store" / name
    with pytest.raises(UsageError, match=f"is in the store {tmp_path}/store"):
        write_file(out, b"")
    with pytest.raises(UsageError, match="is in the store"), new_files(out.parent / "more"):
        pass
    with (
        pytest.raises(UsageError, match="is in the store"),
        new_folder(out.with_suffix(""), "thing", kept={}),
    ):
        pass
    write_file(tmp_path / "out.csv", b"beside it")
    write_file(out, b"its own", in_store=True)


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
            loose[name] = [each for each in _writes(text) if not STAGED.search(lines[each - 1])]
    assert {name: lines for name, lines in loose.items() if lines} == {}


def test_what_writes_is_recognised() -> None:
    assert _writes("open('x', 'w')\npath.open(mode='wb')\npath.write_text('')") == [1, 2, 3]
    assert _writes("open('wax')\npath.open('rb')\nshelf.open()\ntempfile.mkdtemp()") == [4]
