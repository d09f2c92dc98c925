from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

import commonground.files.sources as sources
from commonground.errors import SourceError
from commonground.files.sources import find_path, is_outside, list_documents, safe_name


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_zip(path: Path, entries: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def test_folders_files_and_archives_are_one_list(tmp_path: Path) -> None:
    write(tmp_path / "data/b.json", "bb")
    write(tmp_path / "data/sub/a.json")
    write(tmp_path / "data/.hidden")
    write_zip(tmp_path / "data/z.zip", {"in/c.json": "ccc", "__MACOSX/c.json": "-"})
    listing = list_documents([tmp_path / "data", write(tmp_path / "one.txt")])
    assert [(d.name, d.size) for d in listing.documents] == [
        ("b.json", 2),
        ("one.txt", 1),
        ("sub/a.json", 1),
        ("z.zip/in/c.json", 3),
    ]
    assert [d.read() for d in listing.documents] == [b"bb", b"x", b"x", b"ccc"]


def test_same_names_of_two_folders_get_the_folders_name(tmp_path: Path) -> None:
    write(tmp_path / "one/data.json")
    write(tmp_path / "two/data.json")
    listing = list_documents([tmp_path / "one", tmp_path / "two"])
    assert [d.name for d in listing.documents] == ["data.json", "two/data.json"]


def test_a_missing_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere does not exist"):
        list_documents([tmp_path / "nowhere"])


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is empty"):
        list_documents([tmp_path])


@pytest.mark.parametrize("name", ["../up.json", "/etc/x.json", "a/../../b.json", "C:/x", "..\\x"])
def test_names_that_leave_the_archive(name: str) -> None:
    assert is_outside(name)


def test_an_entry_that_points_outside_is_a_finding(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bad.zip", {"../out.json": "x", "in.json": "y"})
    listing = list_documents([path])
    assert [d.name for d in listing.documents] == ["bad.zip/in.json"]
    assert [f.code for f in listing.findings] == ["CG-SOURCE-002"]


def test_a_zip_bomb_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "RATIO_FROM_BYTES", 1 << 20)
    path = write_zip(tmp_path / "bomb.zip", {"bomb.json": "0" * (4 << 20), "in.json": "y"})
    listing = list_documents([path])
    assert [d.name for d in listing.documents] == ["bomb.zip/in.json"]
    assert [f.code for f in listing.findings] == ["CG-SOURCE-003"]
    assert "4,194,304 bytes" in (listing.findings[0].found or "")


def test_a_file_that_is_no_zip_is_a_finding(tmp_path: Path) -> None:
    listing = list_documents([write(tmp_path / "no.zip")])
    assert [f.code for f in listing.findings] == ["CG-SOURCE-004"]


def test_a_vanished_file_cannot_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json")
    document = list_documents([tmp_path]).documents[0]
    path.unlink()
    with pytest.raises(SourceError, match=r"a\.json cannot be read: No such file"):
        document.read()


def test_a_broken_link_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path / "a.json")
    os.symlink(tmp_path / "gone", tmp_path / "link.json")  # noqa: PTH211 - made broken on purpose
    listing = list_documents([tmp_path])
    assert [d.name for d in listing.documents] == ["a.json"]
    assert [f.source_file for f in listing.findings] == ["link.json"]


def test_an_archive_of_too_many_entries_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_ENTRIES", 2)
    path = write_zip(tmp_path / "many.zip", {f"{n}.json": "x" for n in range(3)})
    listing = list_documents([path])
    assert not listing.documents
    (finding,) = listing.findings
    assert (finding.code, finding.source_file) == ("CG-SOURCE-003", "many.zip")
    assert finding.found == "3 entries"


def test_an_archive_of_too_much_in_all_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_ARCHIVE_BYTES", 10)
    path = write_zip(tmp_path / "big.zip", {f"{n}.json": "12345" for n in range(3)})
    (finding,) = list_documents([path]).findings
    assert (finding.code, finding.source_file) == ("CG-SOURCE-003", "big.zip")
    assert "15 bytes in 3 entries" in (finding.found or "")


def test_a_damaged_entry_cannot_be_read(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bad.zip", {"a.json": "".join(map(str, range(500)))})
    data = bytearray(path.read_bytes())
    data[60:70] = b"\xff" * 10
    path.write_bytes(data)
    (document,) = list_documents([path]).documents
    with pytest.raises(SourceError, match=r"bad\.zip/a\.json cannot be read"):
        document.read()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_entries_of_one_name_the_last_is_read_and_the_other_told(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "first")
        archive.writestr("a.json", "last")
    listing = list_documents([path])
    assert [document.read() for document in listing.documents] == [b"last"]
    assert [f.code for f in listing.findings] == ["CG-SOURCE-004"]


def test_a_file_named_twice_is_one_and_namesakes_are_all_there(tmp_path: Path) -> None:
    paths = [write(tmp_path / name / "same/a.json", name) for name in ("one", "two", "three")]
    listing = list_documents([*(path.parent for path in paths), paths[0]])
    found = {document.name: document.read() for document in listing.documents}
    assert found == {"a.json": b"one", "same/a.json": b"two", "same/a.json~2": b"three"}


def test_a_file_that_grows_without_end_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_UNKNOWN_BYTES", 10)
    assert sources.read_path(write(tmp_path / "a", "x" * 50)) == b"x" * 50
    with pytest.raises(SourceError, match="has more than it says"):
        sources.read_path("/proc/self/status")


def test_safe_names_lead_back_to_their_files(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"a\xff\xc3b")
    plain = tmp_path / "a\\xff"
    for path in (odd, plain):
        path.write_text("x")
        assert find_path(safe_name(str(path))) == path
    assert safe_name(str(odd)).endswith("/a\\xff\\xc3b")


def test_a_large_file_that_grew_meanwhile_has_no_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "WHOLE_BYTES", 4)
    path = tmp_path / "talks.json"
    path.write_bytes(b"[1, 2]")
    (document,) = list_documents([path]).documents
    assert document.find_sha256() == hashlib.sha256(b"[1, 2]").hexdigest()
    path.write_bytes(b"[1, 2, 3]")
    with pytest.raises(SourceError, match="does not have the size that it was listed with"):
        document.find_sha256()
