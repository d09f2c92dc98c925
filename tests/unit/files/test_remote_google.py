"""What is in Google's object store is read and written as what is in Amazon's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import commonground as cg
from commonground.corpora import get_corpus
from commonground.errors import SourceError, StoreError
from commonground.files import remote
from commonground.files.remote import _describe, parse_address, upload_files
from commonground.files.sources import list_documents
from commonground.store.importing import import_corpus
from tests.thorough import thorough
from tests.unit.object_store import ObjectStore


def test_objects_are_listed_as_files_are(google: ObjectStore) -> None:
    bucket = google.folder / "talks/a b"
    for name in ("x.json", "deep/ü+.json", ".hidden/x.json", "deep/z.json"):
        (bucket / name).parent.mkdir(parents=True, exist_ok=True)
        (bucket / name).write_text(name, encoding="utf-8")
    found = list_documents(["gs://talks/a b"]).documents
    here = list_documents([bucket]).documents
    assert [(each.name, each.size) for each in found] == [(each.name, each.size) for each in here]
    assert [each.read() for each in found] == [each.read() for each in here]
    assert len(found) == 3
    (one,) = list_documents([Path("gs://talks/a b/deep/ü+.json")]).documents
    assert (one.name, one.read().decode()) == ("ü+.json", "deep/ü+.json")


def test_source_and_store_are_those_of_a_disk(google: ObjectStore, tmp_path: Path) -> None:
    talks = cg.simulate("taskmaster3", google.folder / "talks/tm", dialogues=6)
    here = cg.import_files("taskmaster3", talks, store=tmp_path / "here")
    there = cg.import_files("taskmaster3", "gs://talks/tm", store="gs://talks/st")
    assert there.manifest.parts == here.manifest.parts
    again = cg.load("taskmaster3", "gs://talks/st")
    assert again.rows("select count(*) from dialogues") == [(6,)]
    replaced = import_corpus(
        get_corpus("taskmaster3"), ["gs://talks/tm"], store=Path("gs://talks/st"), force=True
    )
    left = {each.path.split("/")[2:][1] for each in parse_address("gs://talks/st").list()}
    assert left == {"manifest.json", replaced.manifest.data}
    assert replaced.manifest.data != there.manifest.data


def test_a_large_file_arrives_whole(google: ObjectStore, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(os.urandom(20_000_000))
    upload_files(["large"], tmp_path, parse_address("gs://talks/deep"))
    assert (google.folder / "talks/deep/large").read_bytes() == large.read_bytes()
    (document,) = list_documents(["gs://talks/deep"]).documents
    assert document.read() == large.read_bytes()


@pytest.mark.parametrize("fault", ["refuse", "half"])
def test_a_request_that_fails_is_made_again(
    google: ObjectStore, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    (google.folder / "talks/x.json").write_text("{}")
    (document,) = list_documents(["gs://talks"]).documents
    monkeypatch.setattr(remote, "TRIES", 2)
    failed = iter([fault])
    google.fault = lambda method, _: next(failed, None) if method == "GET" else None
    assert document.read() == b"{}"


@thorough
def test_an_object_that_never_comes_is_an_error(google: ObjectStore) -> None:
    (google.folder / "talks/x.json").write_text("{}")
    (document,) = list_documents(["gs://talks"]).documents
    google.fault = lambda *_: "refuse"
    with pytest.raises(SourceError) as error:
        document.read()
    assert str(error.value).startswith("x.json cannot be read: UNAVAILABLE: Not now.")


def test_what_is_not_there_is_an_error(google: ObjectStore) -> None:
    with pytest.raises(SourceError, match="gs://talks/nothing does not exist"):
        list_documents(["gs://talks/nothing"])
    with pytest.raises(StoreError, match="There is no store in gs://talks/none"):
        cg.open_store("gs://talks/none")


def test_an_error_of_google_is_half_a_sentence() -> None:
    told = 'google::cloud::Status(NOT_FOUND: Permanent error, with a last message of {"error": '
    told += '{"code": 404, "message": "No such object."}} error_info={reason=}). Detail: [errno 2]'
    assert _describe(OSError(told)) == "NOT_FOUND: No such object"
