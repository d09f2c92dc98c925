from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonground.files.dividing import decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.files.joining import DocumentPiece, join_pieces
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import Document

from .layouts import BOX, LINES, LIST, MAP, SPLITS


@pytest.mark.parametrize(
    ("fmt", "text", "paths"),
    [
        (LIST, '[{"size":1},{"size":2}]', ["$[0]", "$[1]"]),
        (BOX, '{"version":1.0,"all":[{"size":1}]}', ["$", "$.all[0]"]),
        (SPLITS, '{"a":[{"size":1}],"b":[{"size":2}]}', ["$.a[0]", "$.b[0]"]),
        (MAP, '{"k":{"size":1}}', ['$["k"]']),
        (LINES, "one\ntwo\n", ["line 1", "line 2"]),
        (BOX, '{"all":[{"size":1}],"version":1.0}', ["$", "$.all[0]"]),
        (BOX, '{"version":1.0}', ["$"]),
        (BOX, '{"all":[], "version":1.0}', ["$"]),
        (SPLITS, '{"a":[],"b":[{"size":2}],"c":[]}', ["$.a", "$.b[0]", "$.c"]),
        (SPLITS, '{"a[0]":[{"size":2}],"b[1]":[]}', ['$["a[0]"][0]', '$["b[1]"]']),
    ],
)
def test_layouts_divide_and_round_trip(
    fmt: FileFormat, text: str, paths: list[str], tmp_path: Path
) -> None:
    division = divide_document("f", text.encode(), fmt)
    assert [raw.path for raw in division.records] == paths
    assert [f.code for f in division.findings] == (
        [] if any(not raw.is_envelope for raw in division.records) else ["CG-DATA-003"]
    )
    assert all(decode_raw("f", raw, fmt).record is not None for raw in division.records)
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, len(text)), fmt)
    assert result.difference is None
    assert result.records == len(paths)


@pytest.mark.parametrize(
    ("fmt", "text", "difference"),
    [
        (LIST, '[{"size":1,"size":1}]', "$[0].size: An object has a key twice."),
        (BOX, '{"version":1.0,"version":1.0,"all":[]}', "$.version: An object has a key twice."),
        (BOX, '{"version":1.0,"all":[],"all":[{"size":1}]}', "$.all: An object has a key twice."),
        (BOX, '{"version":1.0,"all":{}}', "$.all: A value does not have the declared type."),
        (SPLITS, '{"a":[],"a":[{"size":1}]}', "$.a: An object has a key twice."),
        (SPLITS, '{"a":[{"size":1}],"b":1}', "$.b: A value does not have the declared type."),
        (MAP, '{"k":{"size":1},"k":{"size":1}}', "$.k: An object has a key twice."),
    ],
)
def test_keys_that_repeat_and_no_lists_are_differences(
    fmt: FileFormat, text: str, difference: str, tmp_path: Path
) -> None:
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, len(text)), fmt)
    assert result.difference == difference
    pieces = [
        DocumentPiece(r.path, r.data.decode())
        for r in divide_document("f", text.encode(), fmt).records
    ]
    written = "".join(join_pieces(pieces, fmt))
    assert json.loads(written, object_pairs_hook=list) == json.loads(text, object_pairs_hook=list)


def test_records_without_what_stood_around_them_are_written_all_the_same() -> None:
    written = "".join(join_pieces([DocumentPiece("$.all[3]", '{"size":1}')], BOX))
    assert json.loads(written) == {"all": [{"size": 1}]}
    around = [DocumentPiece("$", '{"version":1.0}'), DocumentPiece("$.all[3]", '{"size":1}')]
    assert json.loads("".join(join_pieces(around, BOX))) == {"version": 1.0, "all": [{"size": 1}]}


def test_a_round_trip_that_fails_says_where(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text('[{"size":1},{"size":"x"}]', encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, path.stat().st_size), LIST)
    assert result.difference == "$[1].size: A value does not have the declared type."


def test_a_number_of_another_type_is_a_difference(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text('[{"size":1.0}]', encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, path.stat().st_size), LIST)
    assert result.difference == "$[0].size: A value does not have the declared type."


def test_what_a_repeated_key_hides_must_be_json_too(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b'{"version":"\xff","all":[],"version":1.0}')
    assert decode_raw("f", divide_document("f", path.read_bytes(), BOX).records[0], BOX).findings
