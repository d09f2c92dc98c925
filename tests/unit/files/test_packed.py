"""Files that are packed are refused with a command that unpacks them."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from commonground.files.packed import find_command, unpacked_name
from commonground.files.sources import Document, list_documents


def command_of(path: str, entry: str | None = None, changed: str = "") -> str | None:
    name = path.rpartition("/")[2] + (f"/{entry}" if entry else "")
    return find_command(Document(name, path, entry, 0, changed))


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("in/a.json.gz", "gunzip -k in/a.json.gz"),
        ("in/a.json.bz2", "bunzip2 -k in/a.json.bz2"),
        ("in/a.json.XZ", "unxz -k in/a.json.XZ"),
        ("in/a.json.zst", "unzstd in/a.json.zst"),
        ("in/a.tar", "tar -xf in/a.tar -C in"),
        ("in/a.tar.gz", "tar -xf in/a.tar.gz -C in"),
        ("in/a.tgz", "tar -xf in/a.tgz -C in"),
        ("in/a.tar.zst", "tar -xf in/a.tar.zst -C in"),
        ("in/a.7z", "7z x in/a.7z -oin"),
        ("it's in/a b.tgz", """tar -xf 'it'"'"'s in/a b.tgz' -C 'it'"'"'s in'"""),
        ("-a.json.gz", "gunzip -k ./-a.json.gz"),
        ("in/a.json", None),
    ],
)
def test_the_command_of_a_file(path: str, command: str | None) -> None:
    assert command_of(path) == command


def test_what_is_in_an_archive_is_taken_out_first() -> None:
    assert command_of("in/o.zip", "i.zip") == "unzip in/o.zip i.zip -d in/o"
    assert command_of("in/o.zip", "b/a.json.gz") == (
        "unzip in/o.zip b/a.json.gz -d in/o && gunzip -k in/o/b/a.json.gz"
    )
    assert command_of("in/o.zip", "a[1].zip") == "unzip in/o.zip 'a[[]1].zip' -d in/o"


def test_a_file_of_an_object_store_is_unpacked_where_it_was_downloaded_to() -> None:
    assert command_of("s3://talks/in/a.json.gz", changed="then") == "gunzip -k a.json.gz"


def test_the_file_in_a_packed_one() -> None:
    assert unpacked_name(Document("in/a.json.gz", "", None, 0)) == "in/a.json"
    assert unpacked_name(Document("in/a.tar.gz", "", None, 0)) is None


@pytest.mark.parametrize("ending", [".tar.gz", ".gz", ".zip"])
def test_the_commands_unpack(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    (folder / "a.json").write_text("[]")
    if ending == ".zip":
        with zipfile.ZipFile(folder / "i.zip", "w") as inner:
            inner.write(folder / "a.json", "a.json")
        with zipfile.ZipFile(folder / "o.zip", "w") as outer:
            outer.write(folder / "i.zip", "i [1].zip")
        (folder / "i.zip").unlink()
    else:
        words = ["tar", "-czf", "a.tar.gz", "a.json"] if ending == ".tar.gz" else ["gzip", "a.json"]
        subprocess.run(words, cwd=folder, check=True)
    (folder / "a.json").unlink(missing_ok=True)
    (document,) = list_documents([folder]).documents
    command = find_command(document)
    assert command is not None
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed")
    subprocess.run(["bash", "-c", command], check=True)
    assert "a.json" in {each.base for each in list_documents([folder]).documents}
