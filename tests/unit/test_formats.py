from __future__ import annotations

from pathlib import Path

import pytest

from commonground.formats import (
    FileFormat,
    TextRecord,
    decode_raw,
    divide_document,
    identify_document,
    recognise_document,
    roundtrip_document,
)
from commonground.records import Record
from commonground.sources import Document


class Item(Record):
    size: int


class Head(Record):
    version: float


LIST = FileFormat(name="list", title="list", pattern=r".*\.json", record=Item, layout="array")
BOX = FileFormat(
    name="box", title="box", pattern="x", record=Item, layout="envelope", items="all", envelope=Head
)
SPLITS = FileFormat(name="splits", title="splits", pattern="x", record=Item, layout="splits")
MAP = FileFormat(name="map", title="map", pattern="x", record=Item, layout="map")
LINES = FileFormat(
    name="lines",
    title="lines",
    pattern="x",
    record=str,
    layout="text",
    parse_text=lambda data: [
        TextRecord(i, line, line) for i, line in enumerate(data.decode().splitlines(), 1)
    ],
    render_text=lambda lines: "".join(f"{line}\n" for line in lines).encode(),
)


@pytest.mark.parametrize(
    ("fmt", "text", "paths"),
    [
        (LIST, '[{"size":1},{"size":2}]', ["$[0]", "$[1]"]),
        (BOX, '{"version":1.0,"all":[{"size":1}]}', ["$", "$.all[0]"]),
        (SPLITS, '{"a":[{"size":1}],"b":[{"size":2}]}', ["$.a[0]", "$.b[0]"]),
        (MAP, '{"k":{"size":1}}', ['$["k"]']),
        (LINES, "one\ntwo\n", ["line 1", "line 2"]),
    ],
)
def test_layouts_divide_and_round_trip(
    fmt: FileFormat, text: str, paths: list[str], tmp_path: Path
) -> None:
    division = divide_document("f", text.encode(), fmt)
    assert [raw.path for raw in division.records] == paths
    assert not division.findings
    assert all(decode_raw("f", raw, fmt).record is not None for raw in division.records)
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, len(text)), fmt)
    assert result.difference is None
    assert result.records == len(paths)


def test_a_cut_off_list_keeps_its_whole_records() -> None:
    division = divide_document("f", b'[{"size":1},\n{"size":2},{"si', LIST)
    assert [raw.data for raw in division.records] == [b'{"size":1}', b'{"size":2}']
    (finding,) = division.findings
    assert finding.code == "CG-JSON-001"
    assert "(line 2, column" in finding.message


def test_a_cut_off_envelope_keeps_its_whole_records() -> None:
    division = divide_document("f", b'{"version":1.0,"all":[{"size":1},{"size', BOX)
    assert [(raw.path, raw.data) for raw in division.records] == [("$.all[0]", b'{"size":1}')]


def test_a_byte_order_mark_is_skipped_and_told() -> None:
    division = divide_document("f", b'\xef\xbb\xbf[{"size":1}]', LIST)
    assert [f.code for f in division.findings] == ["CG-JSON-005"]
    assert decode_raw("f", division.records[0], LIST).record == Item(size=1)


def test_bytes_that_are_not_utf8_are_told_with_their_line() -> None:
    raw = divide_document("f", b'[{"size":1},{\n"name":"\xff"}]', LIST).records[1]
    (finding,) = decode_raw("f", raw, LIST).findings
    assert (finding.code, finding.source_path) == ("CG-JSON-006", "$[1]")
    assert "(line 2, column 9)" in finding.message
    division = divide_document("f", b"one\n\xfftwo\n", LINES)
    assert [f.source_path for f in division.findings] == ["line 2"]


@pytest.mark.parametrize("text", [b"", b"nonsense", b"{}", b'{"size":1}', b"[" * 50_000])
def test_bad_lists_are_findings(text: bytes) -> None:
    division = divide_document("f", text, LIST)
    assert not division.records
    assert division.findings[0].severity == "error"


def test_an_empty_list_is_told() -> None:
    assert [f.code for f in divide_document("f", b"[]", LIST).findings] == ["CG-DATA-003"]


def test_structural_faults_are_findings_with_document_paths() -> None:
    raw = divide_document("f", b'[{"size":"big","more":1}]', LIST).records[0]
    read = decode_raw("f", raw, LIST)
    assert read.record is None
    assert [(f.code, f.source_path) for f in read.findings] == [
        ("CG-JSON-003", "$[0].size"),
        ("CG-JSON-004", "$[0].more"),
    ]


def test_a_round_trip_that_fails_says_where(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text('[{"size":1},{"size":"x"}]', encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, path.stat().st_size), LIST)
    assert result.difference == "$[1].size: A value has not the declared type."


def test_a_number_of_another_type_is_a_difference(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text('[{"size":1.0}]', encoding="utf-8")
    result = roundtrip_document(Document("f", str(path), None, path.stat().st_size), LIST)
    assert result.difference == "$[0].size: A value has not the declared type."


def test_files_are_known_by_name_or_by_their_fields() -> None:
    by_keys = FileFormat(
        name="k", title="k", pattern="k", record=Item, layout="array", keys=frozenset({"size"})
    )
    assert identify_document(Document("d/a.json", "", None, 0), [LIST]) is LIST
    assert identify_document(Document("d/a.txt", "", None, 0), [LIST]) is None
    assert recognise_document(b'[{"size":1,"x":2}]', [LIST, by_keys]) is by_keys
    assert recognise_document(b'[{"width":1}]', [by_keys]) is None
