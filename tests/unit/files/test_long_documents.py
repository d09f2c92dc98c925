"""Long documents give the records that they give when they are read whole."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.errors import SourceError
from commonground.files import long_documents, sources
from commonground.files.dividing import Division, decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.files.long_documents import (
    divide_stretch,
    is_long,
    iterate_divisions,
    recognise_file,
    scan_document,
)
from commonground.files.sources import Document, list_documents

from .layouts import BOX, LIST, MAP, SPLITS, Head

LAYOUTS = (LIST, BOX, SPLITS)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of a few bytes are long, and come in pieces that divide texts and escapes."""
    monkeypatch.setattr(long_documents, "LONG_BYTES", 40)
    monkeypatch.setattr(long_documents, "STRETCH_BYTES", 12)
    monkeypatch.setattr(long_documents, "PIECE_BYTES", 40)
    monkeypatch.setattr(sources, "PIECE_BYTES", 7)


def divided(folder: Path, data: bytes, fmt: FileFormat) -> tuple[Division, list[str]]:
    """Returns all records and findings of a document, and the kinds of its stretches."""
    path = folder / "f"
    path.write_bytes(data)
    document = Document("f", str(path), None, len(data))
    assert is_long(document, fmt)
    scan = scan_document(document, fmt)
    assert scan.sha256 == document.find_sha256()
    found = Division()
    for stretch in scan.stretches:
        division = divide_stretch(document, stretch, fmt)
        found.records.extend(division.records)
        found.findings.extend(division.findings)
    return found, [stretch.kind for stretch in scan.stretches]


TEXTS = st.text('ab"\\[]{},:\n é', max_size=9)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(VALUES, max_size=8)
DOCUMENTS = st.one_of(
    st.tuples(st.just(LIST), RECORDS),
    st.tuples(st.just(SPLITS), st.dictionaries(TEXTS, RECORDS | VALUES, max_size=4)),
    st.tuples(
        st.just(BOX), st.fixed_dictionaries({"version": VALUES, "all": RECORDS, "z": VALUES})
    ),
)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, st.sampled_from([None, 1]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_records_and_findings_are_those_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[FileFormat, object],
    indent: int | None,
    mark: bytes,
) -> None:
    fmt, value = case
    data = mark + json.dumps(value, indent=indent).encode() + b"\n" * 40
    found, kinds = divided(tmp_path_factory.mktemp("long"), data, fmt)
    assert found == divide_document("f", data, fmt)
    assert "rest" not in kinds


RELEASED = b'[{"size":1},\n{"size":22},\n{"size":333},\n{"size":4444},\n{"size":55555}]\n'


def test_a_long_document_is_several_stretches(tmp_path: Path) -> None:
    _, kinds = divided(tmp_path, RELEASED, LIST)
    assert kinds == ["frame", *["records"] * (len(kinds) - 1)]
    assert len(kinds) > 3


@pytest.mark.parametrize(
    "data",
    [
        RELEASED[:60],
        RELEASED[:-2],
        RELEASED + b"]",
        RELEASED.replace(b"},\n{", b"}\n{", 1),
        b'{"size": [' + RELEASED,
        RELEASED.replace(b"]", b"}"),
        RELEASED.replace(b"]", b",]"),
        b'{"all": 3}' + b" " * 40,
    ],
    ids=[
        "in a record",
        "no end",
        "behind",
        "comma",
        "an object",
        "bracket",
        "last comma",
        "no list",
    ],
)
def test_what_is_broken_is_told_where_the_whole_would_tell_it(tmp_path: Path, data: bytes) -> None:
    found, _ = divided(tmp_path, data, LIST)
    whole = divide_document("f", data, LIST)
    assert [each.message for each in found.findings] == [each.message for each in whole.findings]
    kept = [raw.data for raw in found.records]
    assert kept == [raw.data for raw in whole.records] or data.startswith(b"{")


def test_records_behind_one_that_is_broken_are_kept(tmp_path: Path) -> None:
    found, _ = divided(tmp_path, RELEASED.replace(b"22", b"2 2"), LIST)
    (finding,) = decode_raw("f", found.records[1], LIST).findings
    assert "(line 2, column 11). Left out: bytes 13 to 24." in finding.message
    assert [raw.path for raw in found.records][-2:] == ["$[3]", "$[4]"]


def test_splits_that_break_off_keep_their_whole_records(tmp_path: Path) -> None:
    data = b'{"train":[{"size":1},{"size":2}],"empty":[],"test":[{"size":3},{"size":4},{"si'
    found, kinds = divided(tmp_path, data, SPLITS)
    assert kinds[-1] == "rest"
    paths = [(raw.path, raw.split) for raw in found.records]
    assert paths == [
        ("$.train[0]", "train"),
        ("$.train[1]", "train"),
        ("$.test[0]", "test"),
        ("$.test[1]", "test"),
    ]
    (finding,) = found.findings
    assert "truncated (line 1, column 79)" in finding.message


def test_a_record_without_an_end_is_not_read_to_the_end_of_the_document(tmp_path: Path) -> None:
    data = b'[{"size":1},{"size":"' + b"x" * 200
    found, _ = divided(tmp_path, data, LIST)
    assert [raw.data for raw in found.records] == [b'{"size":1}']
    assert "Left out: bytes 12 to 51." in found.findings[0].message
    assert "Left out: bytes 212 to 220." in found.findings[-1].message


@pytest.mark.parametrize(
    "flawed", ['"size": "2', "[[[", '{"a": "b}', "{" * 90, '{"size":"' + "x" * 90]
)
@pytest.mark.parametrize("fmt", LAYOUTS, ids=lambda fmt: fmt.name)
def test_the_list_is_taken_up_again_behind_what_hides_the_ends_of_records(
    tmp_path: Path, fmt: FileFormat, flawed: str
) -> None:
    text = RELEASED.decode().strip().replace('{"size":22}', flawed)
    frames = {"list": text, "box": f'{{"version": 1, "all": {text}}}', "splits": f'{{"a": {text}}}'}
    found, _ = divided(tmp_path, frames[fmt.name].encode(), fmt)
    read = [decode_raw("f", raw, fmt).record for raw in found.records if not raw.is_envelope]
    assert [each.size for each in read if each] == [1, 333, 4444, 55555]
    assert found.findings
    if fmt is BOX:
        assert decode_raw("f", found.records[0], fmt).record == Head(version=1)


def test_entries_of_archives_are_divided_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("list.json", RELEASED)
    (document,) = list_documents([tmp_path / "a.zip"]).documents
    records = [raw for each in iterate_divisions(document, LIST) for raw in each.records]
    assert records == divide_document("f", RELEASED, LIST).records


def test_a_file_that_became_shorter_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(RELEASED)
    document = Document("f", str(path), None, len(RELEASED))
    *_, last = scan_document(document, LIST).stretches
    path.write_bytes(RELEASED[:20])
    with pytest.raises(SourceError, match="ends before"):
        divide_stretch(document, last, LIST)
    with pytest.raises(SourceError, match="does not have the size"):
        scan_document(document, LIST)


def test_a_file_of_another_name_is_known_by_its_beginning(tmp_path: Path) -> None:
    for fmt, text in ((LIST, "%s"), (SPLITS, '{"train": %s}'), (BOX, '{"all": %s}')):
        known = FileFormat(
            name="known",
            title="known",
            pattern="x",
            record=fmt.record,
            layout=fmt.layout,
            items=fmt.items,
            envelope=fmt.envelope,
            keys=frozenset({"size"}),
        )
        data = (text % RELEASED.decode()).encode()
        (tmp_path / "f").write_bytes(data)
        document = Document("f", str(tmp_path / "f"), None, len(data))
        assert recognise_file(document, [MAP, known]) is known
        other = FileFormat(
            name="o", title="o", pattern="x", record=fmt.record, keys=frozenset({"b"})
        )
        assert recognise_file(document, [other]) is None
