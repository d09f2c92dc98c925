from __future__ import annotations

import json

import pytest

from commonground.files.dividing import (
    decode_raw,
    divide_document,
    recognise_document,
    split_object,
)
from commonground.files.formats import FileFormat

from .layouts import BOX, LINES, LIST, Item


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a":1,"b":{"c":":"}}', ["a", "b"]),
        ('{"a:b":1,"c":"x"}', ["a:b", "c"]),
        ('{"a\\u003ab" : 1, "c" : [], "c" : {"d":[{}],"e":"]}\\"" } }', ["a:b", "c", "c"]),
        ('{"a:b":1,"a\\u003Ab":2}', ["a:b", "a:b"]),
        ("{}", []),
    ],
)
def test_objects_are_split_with_all_their_keys(text: str, keys: list[str]) -> None:
    fields = split_object(text.encode())
    assert [key for key, _ in fields] == keys
    pairs = json.loads(text, object_pairs_hook=list)
    assert [[key, json.loads(bytes(value), object_pairs_hook=list)] for key, value in fields] == [
        list(pair) for pair in pairs
    ]


def test_a_cut_off_list_keeps_its_whole_records() -> None:
    division = divide_document("f", b'[{"size":1},\n{"size":2},{"si', LIST)
    assert [raw.data for raw in division.records] == [b'{"size":1}', b'{"size":2}']
    (finding,) = division.findings
    assert finding.code == "CG-JSON-001"
    assert "(line 2, column" in finding.message


def test_a_cut_off_envelope_keeps_its_whole_records() -> None:
    division = divide_document("f", b'{"version":1.0,"all":[{"size":1},{"size', BOX)
    assert [(raw.path, raw.data) for raw in division.records] == [
        ("$", b'{"version":1.0,"all":[]}'),
        ("$.all[0]", b'{"size":1}'),
    ]


def test_a_cut_off_list_keeps_records_that_are_not_utf8_to_report_them() -> None:
    raws = divide_document("f", b'[{"size":1},{"a":"\xff"},{"si', LIST).records
    assert [raw.data for raw in raws] == [b'{"size":1}', b'{"a":"\xff"}']


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
    assert [raw.data for raw in division.records] == [b"one", b"\\xfftwo"]


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


def test_a_file_is_recognised_by_the_fields_of_its_first_record() -> None:
    by_keys = FileFormat(
        name="k", title="k", pattern="k", record=Item, layout="array", keys=frozenset({"size"})
    )
    # LIST names no keys, so that no file is recognised as one.
    assert recognise_document(b'[{"size":1,"x":2}]', [LIST, by_keys]) is by_keys
    assert recognise_document(b'[{"width":1}]', [by_keys]) is None
    assert recognise_document(b"nonsense", [by_keys]) is None
