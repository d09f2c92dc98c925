"""Files of predictions as bytes and as JSON, whatever wrote them."""

from __future__ import annotations

import gzip
import math
import zipfile
from pathlib import Path

import msgspec
import pytest

from commonground.errors import SourceError, TaskError
from commonground.files.predictions import (
    decode_json,
    decode_typed,
    find_encoding_problems,
    read_predictions,
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_marks_of_encodings_are_taken_off(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "p.json"
    path.write_text('["é"]', encoding=encoding)
    assert read_predictions(path) == '["é"]'.encode()


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (b'["\xc3\xa9"]\n', []),
        (b"\xef\xbb\xbf[1]", [("byte-order mark", 1)]),
        ("[1]".encode("utf-16"), [("UTF-16", 1)]),
        (b"a\n\xe9\n\xc3\xa9\nb\xff\xff", [("lines that are not UTF-8", 2)]),
    ],
)
def test_whatever_is_not_plain_utf_8_is_told(
    tmp_path: Path, data: bytes, kinds: list[tuple[str, int]]
) -> None:
    (tmp_path / "p").write_bytes(data)
    found = find_encoding_problems(tmp_path / "p")
    assert [(each.kind, each.count) for each in found] == kinds
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.write(tmp_path / "p", "p")
    found = find_encoding_problems(tmp_path / "p.zip")
    assert [(each.kind, each.count) for each in found] == kinds


def test_an_archive_of_one_file_is_opened_and_of_two_is_not(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    for number, name in enumerate(("a.json", "b.json")):
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(name, "[1]")
        if not number:
            assert read_predictions(path) == b"[1]"
    with pytest.raises(TaskError, match="holds 2 files"):
        read_predictions(path)
    path.rename(tmp_path / "p.json")
    with pytest.raises(TaskError, match="compressed"):
        read_predictions(tmp_path / "p.json")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    with pytest.raises(SourceError, match="No such file"):
        read_predictions(path)
    with pytest.raises(SourceError, match="Is a directory"):
        read_predictions(tmp_path)
    path.write_bytes(gzip.compress(b"[1]"))
    with pytest.raises(TaskError, match=f"is compressed. Unpack it: mv {path} {path}.gz && gunzip"):
        read_predictions(path)
    path.rename(tmp_path / "p.gz")
    with pytest.raises(TaskError, match=f"Unpack it: gunzip -k {tmp_path}/p.gz"):
        read_predictions(tmp_path / "p.gz")
    path.write_text(" \n")
    with pytest.raises(TaskError, match="is empty"):
        read_predictions(path)


def test_numbers_that_are_none_and_halves_of_characters() -> None:
    found = decode_json(b'[NaN, -Infinity, {"\\ud83d": "a\\uDE00"}]')
    assert math.isnan(found[0])
    assert found[1:] == [-math.inf, {"?": "a?"}]
    # Both halves are a character.
    assert decode_json(b'["\\ud83d\\ude00", NaN]')[0] == "\U0001f600"


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xed\xa0\x80", b"[1", b"text", b'"\xff"'])
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_json(data)


def test_json_of_a_type() -> None:
    assert decode_typed(b"[1, Infinity]", list[float]) == [1, math.inf]
    with pytest.raises(msgspec.ValidationError):
        decode_typed(b'["\\ud800"]', list[int])
