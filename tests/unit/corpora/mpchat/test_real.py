from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.files.formats import FileFormat, identify_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import Document, list_documents
from commonground.store.importing import import_corpus


@pytest.fixture(scope="module")
def released() -> Path:
    if "COMMONGROUND_DATA" not in os.environ:
        pytest.skip("COMMONGROUND_DATA names no folder of released files")
    folder = Path(os.environ["COMMONGROUND_DATA"], "mpchat")
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: MPChat has to be fetched by hand")
    return folder


@pytest.fixture(scope="module")
def documents(released: Path) -> list[tuple[Document, FileFormat]]:
    formats = get_corpus("mpchat").formats()
    listed = list_documents([released]).documents
    pairs = ((document, identify_document(document, formats)) for document in listed)
    return [(document, fmt) for document, fmt in pairs if fmt is not None]


def test_released_files_are_written_as_read(documents: list[tuple[Document, FileFormat]]) -> None:
    trips = [roundtrip_document(document, fmt) for document, fmt in documents]
    assert [trip for trip in trips if trip.difference is not None] == []


def test_every_released_thread_becomes_a_dialogue(released: Path, tmp_path: Path) -> None:
    manifest = import_corpus(get_corpus("mpchat"), [released], store=tmp_path).manifest
    mains = [each for each in manifest.sources if each.format in ("nrp", "gpp", "si")]
    assert sum(each.records for each in mains) == manifest.counts["dialogues"]
    assert "CG-DATA-001" not in manifest.findings
