from __future__ import annotations

from pathlib import Path

import pytest

from commonground.dividing import decode_raw, divide_document
from commonground.formats import FileFormat
from commonground.roundtrip import roundtrip_document
from commonground.sources import Document

from .layouts import BOX, LINES, LIST, MAP, SPLITS


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
