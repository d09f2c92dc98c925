"""Files of an object store are read as those on a disk are, whatever goes wrong on the way."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import commonground as cg
from commonground.errors import SourceError, UsageError
from commonground.files import faults, remote
from commonground.files.remote import is_remote
from commonground.files.sources import list_documents
from commonground.store.importing import planning
from tests.thorough import a_few
from tests.unit.object_store import ObjectStore


@pytest.fixture
def talks(objects: ObjectStore) -> Path:
    return cg.simulate("taskmaster3", objects.folder / "talks/tm", dialogues=6)


def test_objects_are_listed_as_files_are(objects: ObjectStore) -> None:
    bucket = objects.folder / "talks/a b"
    for name in ("x.json", "deep/ü+.json", ".hidden/x.json", "deep/.x", "deep/z.json"):
        (bucket / name).parent.mkdir(parents=True, exist_ok=True)
        (bucket / name).write_text(name, encoding="utf-8")
    with zipfile.ZipFile(bucket / "more.zip", "w") as archive:
        archive.writestr("in.json", "zipped")
    found = list_documents(["s3://talks/a b"]).documents
    here = list_documents([bucket]).documents
    assert [(each.name, each.size) for each in found] == [(e.name, e.size) for e in here]
    assert [each.read() for each in found] == [each.read() for each in here]
    assert len(found) == 4
    (one,) = list_documents([Path("s3://talks/a b/deep/ü+.json")]).documents
    assert (one.name, one.read().decode()) == ("ü+.json", "deep/ü+.json")


def test_an_import_is_that_of_the_same_files_on_a_disk(
    objects: ObjectStore, talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = cg.import_files("taskmaster3", "s3://talks/tm", store=tmp_path / "there")
    here = cg.import_files("taskmaster3", talks, store=tmp_path / "here")
    assert there.manifest.sources == here.manifest.sources
    assert there.manifest.parts == here.manifest.parts
    assert there.manifest.simulated
    text = (tmp_path / "there/taskmaster3/manifest.json").read_text()
    assert "a-secret" not in text
    assert "s3:" not in text
    again = cg.import_files("taskmaster3", "s3://talks/tm", store=tmp_path / "there")
    assert again.manifest.data == there.manifest.data


def test_processes_read_for_themselves(
    objects: ObjectStore, talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", 1 << 16)
    monkeypatch.setattr("commonground.store.importing.PARALLEL_FROM_BYTES", 1)
    corpus = cg.import_files("taskmaster3", "s3://talks/tm", store=tmp_path / "store")
    assert len(corpus) == 6


@pytest.mark.parametrize("fault", ["refuse", "half"])
def test_a_request_that_fails_is_made_again(objects: ObjectStore, fault: str) -> None:
    (objects.folder / "talks/x.json").write_text("{}")
    (document,) = list_documents(["s3://talks"]).documents
    failed = iter([fault])
    objects.fault = lambda method, _: next(failed, None) if method == "GET" else None
    assert document.read() == b"{}"


@pytest.mark.parametrize("fault", ["refuse", "half"])
def test_the_beginning_is_read_without_the_rest(objects: ObjectStore, fault: str) -> None:
    data = bytes(range(256)) * 20
    (objects.folder / "talks/x.json").write_bytes(data)
    (document,) = list_documents(["s3://talks"]).documents
    failed = iter([fault])
    objects.fault = lambda method, _: next(failed, None) if method == "GET" else None
    assert document.read_start(900) == data[:900]


@pytest.mark.parametrize("fault", a_few(["refuse", "half", "hang"], ["hang"]))
def test_an_object_that_never_comes_is_an_error(objects: ObjectStore, fault: str) -> None:
    (objects.folder / "talks/x.json").write_text("{}")
    (document,) = list_documents(["s3://talks"]).documents
    objects.fault = lambda method, _: fault if method == "GET" else None
    with pytest.raises(SourceError, match=r"x\.json cannot be read: "):
        document.read()
    assert objects.requests.count(("GET", "talks/x.json")) == remote.TRIES


def test_the_others_are_read_nevertheless(objects: ObjectStore, talks: Path) -> None:
    objects.fault = lambda _, key: "half" if key.endswith("dev-aa.tsv") else None
    checked = cg.check("taskmaster3", "s3://talks/tm")
    found = [each for each in checked.findings if each.code == faults.UNREADABLE.code]
    assert [each.source_file for each in found] == ["splits/dev/dev-aa.tsv"]


def test_what_is_not_there_or_does_not_answer_is_an_error(objects: ObjectStore) -> None:
    with pytest.raises(SourceError, match="s3://talks/nothing does not exist"):
        list_documents(["s3://talks/nothing"])
    objects.fault = lambda *_: "refuse"
    with pytest.raises(SourceError, match="s3://talks/x cannot be listed"):
        list_documents(["s3://talks/x"])


def test_an_object_that_changed_meanwhile_is_not_taken(objects: ObjectStore) -> None:
    path = objects.folder / "talks/x.json"
    path.write_text("{}")
    (document,) = list_documents(["s3://talks"]).documents
    path.write_text("{  }")
    with pytest.raises(SourceError, match="does not have the size that it was listed with"):
        document.read()


@pytest.mark.parametrize(
    "address", ["s3://key:secret@talks/tm", "s3://talks/tm?endpoint_override=x", "az://talks/tm"]
)
def test_an_address_is_a_place_and_nothing_else(address: str) -> None:
    with pytest.raises(UsageError) as error:
        list_documents([address])
    assert "secret" not in str(error.value)


def test_a_folder_of_that_name_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_remote("s3://talks")
    Path("s3:/talks").mkdir(parents=True)
    Path("s3:/talks/x.json").write_text("{}")
    assert [each.read() for each in list_documents(["s3:/talks"]).documents] == [b"{}"]
