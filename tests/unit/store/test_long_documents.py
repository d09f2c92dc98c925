"""Imports of documents that are longer than a worker's memory may be."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest

import commonground as cg
from commonground.corpora import get_corpus
from commonground.files import long_documents, sources
from commonground.files.sources import Document
from commonground.store.importing import import_corpus, planning
from commonground.store.importing.summary import ImportSummary

LONG = 64 << 10

TABLES = ("native", "dialogues", "events", "entries", "findings")


@pytest.fixture
def long_documents_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of some kilobytes are long, and are never read whole."""
    monkeypatch.setattr(long_documents, "LONG_BYTES", LONG)
    monkeypatch.setattr(long_documents, "STRETCH_BYTES", 16 << 10)
    monkeypatch.setattr(sources, "PIECE_BYTES", 32 << 10)
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", 48 << 10)
    read = Document.read

    def read_short(document: Document) -> bytes:
        assert document.size <= LONG or not document.name.endswith(".json")
        return read(document)

    monkeypatch.setattr(Document, "read", read_short)


def imported(corpus: str, files: Path, store: Path) -> ImportSummary:
    return import_corpus(get_corpus(corpus), [files], store=store, jobs=1, force=True)


def rows_of(corpus: str, store: Path) -> dict[str, list[tuple[object, ...]]]:
    held = cg.load(corpus, store)
    return {table: held.rows(f"select * from {table}") for table in TABLES}


@pytest.mark.parametrize("corpus", ["frames", "mpchat", "simmc"])
def test_tables_and_files_are_those_of_documents_that_are_read_whole(
    corpus: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files = cg.simulate(corpus, tmp_path / "files", dialogues=20)
    whole = imported(corpus, files, tmp_path / "whole")
    request.getfixturevalue("long_documents_only")
    parts = imported(corpus, files, tmp_path / "parts")
    assert parts.shards > whole.shards
    assert parts.manifest.sources == whole.manifest.sources
    assert parts.manifest.findings == whole.manifest.findings
    assert rows_of(corpus, tmp_path / "parts") == rows_of(corpus, tmp_path / "whole")
    again = import_corpus(get_corpus(corpus), [files], store=tmp_path / "parts", jobs=1)
    assert again.unchanged


@pytest.mark.usefixtures("long_documents_only")
@pytest.mark.parametrize("code", ["CG-JSON-008", "CG-SOURCE-005"])
def test_a_long_document_that_is_disguised_is_named_once(code: str, tmp_path: Path) -> None:
    files = cg.simulate("taskmaster1", tmp_path / "files", dialogues=60)
    released = files / "self-dialogs.json"
    lines = msgspec.json.Encoder().encode_lines(json.loads(released.read_bytes())) * 3
    stored = gzip.compress(lines, compresslevel=0)
    released.write_bytes(lines if code == "CG-JSON-008" else stored)
    assert released.stat().st_size > LONG
    summary = imported("taskmaster1", files, tmp_path / "store")
    assert {each.name: each.code for each in summary.unreadable} == {"self-dialogs.json": code}
    assert summary.manifest.findings[code] == 1
    again = import_corpus(get_corpus("taskmaster1"), [files], store=tmp_path / "store", jobs=1)
    assert again.unchanged


@pytest.mark.usefixtures("long_documents_only")
def test_a_long_document_that_breaks_off_keeps_what_is_whole(tmp_path: Path) -> None:
    files = cg.simulate("frames", tmp_path / "files", dialogues=20)
    (released,) = files.rglob("frames.json")
    released.write_bytes(released.read_bytes()[:-9000])
    summary = imported("frames", files, tmp_path / "store")
    assert 10 < summary.manifest.counts["dialogues"] < 20
    assert summary.manifest.findings["CG-JSON-001"] == 1
    assert len(cg.load("frames", tmp_path / "store")) == summary.manifest.counts["dialogues"]


def test_a_file_that_needs_more_memory_than_there_is_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=3)
    read = Document.read
    too_large = min(files.rglob("*_*_*_*.json")).name

    def read_or_fail(document: Document) -> bytes:
        if document.base == too_large:
            raise MemoryError
        return read(document)

    monkeypatch.setattr(Document, "read", read_or_fail)
    summary = imported("photobook", files, tmp_path / "store")
    assert summary.manifest.counts["dialogues"] == 2
    (found,) = cg.load("photobook", tmp_path / "store").rows(
        "select source_file, found from findings where code = 'CG-SOURCE-001'"
    )
    assert found[0].endswith(too_large)
    assert "larger than the memory left" in found[1]
