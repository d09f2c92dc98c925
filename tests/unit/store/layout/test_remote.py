"""A store in an object store is read and written as one on a disk is, and is whole at any time."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from tests.unit.object_store import ObjectStore

import commonground as cg
from commonground.cli import group
from commonground.corpora import Entry
from commonground.errors import StoreError
from commonground.files import remote
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import StoreManifest

STORE = "s3://talks/st"
Write = Callable[..., Path]


@pytest.fixture
def import_remotely(
    toy: Entry, objects: ObjectStore, write_talks: Write, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Imports toy talks into a store in the bucket."""
    # Between two tries the library waits longer than all else here takes.
    monkeypatch.setattr(remote, "TRIES", 1)

    def run(**talks: list[str]) -> None:
        import_corpus(toy, [write_talks(talks)], store=Path(STORE), replace=True)

    return run


def folder_of(objects: ObjectStore) -> Path:
    return objects.folder / "talks/st/toy"


def read_manifest(objects: ObjectStore) -> StoreManifest:
    data = (folder_of(objects) / "manifest.json").read_bytes()
    return msgspec.json.decode(data, type=StoreManifest)


def refuse_writing(what: str, method: str, key: str) -> str | None:
    return "refuse" if method == "PUT" and what in key else None


def on_another_machine(tmp_path: Path) -> None:
    """Leaves nothing that a machine keeps of what it read."""
    shutil.rmtree(tmp_path / "cache")


def texts() -> list[str]:
    return [text for (text,) in cg.load("toy", STORE).rows("select text from events order by 1")]


def test_it_has_the_bytes_that_a_store_on_a_disk_has(
    objects: ObjectStore, import_remotely: Callable[..., None], toy: Entry, tmp_path: Path
) -> None:
    import_remotely(t1=["hi", "bye"])
    here = import_corpus(toy, [tmp_path / "talks.json"], store=tmp_path / "here").manifest
    there = read_manifest(objects)
    assert there.parts == here.parts
    for part in here.parts:
        made = (tmp_path / "here/toy" / here.data / part.name).read_bytes()
        assert (folder_of(objects) / there.data / part.name).read_bytes() == made
    assert sorted(each.name for each in folder_of(objects).iterdir()) == [
        there.data,
        "manifest.json",
    ]


@pytest.mark.usefixtures("import_remotely")
def test_another_machine_reads_it(import_remotely: Callable[..., None], tmp_path: Path) -> None:
    import_remotely(t1=["hi", "bye"])
    on_another_machine(tmp_path)
    assert texts() == ["bye", "hi"]
    store = cg.open_store(STORE)
    assert store.corpora() == ["toy"]
    assert repr(store) == f"<Store {STORE}: toy>"
    assert store.rows("select count(*) from events") == [(2,)]
    assert cg.check("toy", store=STORE).errors == 0


def test_only_what_changed_is_fetched_again(
    objects: ObjectStore, import_remotely: Callable[..., None]
) -> None:
    import_remotely(t1=["hi"])
    texts()
    objects.requests.clear()
    texts()
    assert {key for _, key in objects.requests} == {"talks/st/toy/manifest.json"}


def test_an_import_elsewhere_is_seen_and_the_old_one_removed(
    objects: ObjectStore,
    import_remotely: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import_remotely(t1=["hi"])
    opened = cg.load("toy", STORE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    import_remotely(t1=["hi"], t2=["new"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert texts() == ["hi", "new"]
    assert opened.rows("select text from events") == [("hi",)]
    assert len(list(folder_of(objects).glob("data-*/native-*"))) == 1


def test_an_upload_that_fails_leaves_what_was_there(
    objects: ObjectStore, import_remotely: Callable[..., None], tmp_path: Path
) -> None:
    import_remotely(t1=["hi"])
    for what in ("native", "manifest.json"):
        objects.fault = partial(refuse_writing, what)
        with pytest.raises(StoreError, match=r"s3://talks/st cannot be written: .*untouched"):
            import_remotely(t1=["new"])
    objects.fault = lambda *_: None
    assert texts() == ["hi"]
    on_another_machine(tmp_path)
    assert texts() == ["hi"]
    import_remotely(t1=["new"])
    assert texts() == ["new"]


def test_a_manifest_that_was_written_counts_even_if_no_answer_came(
    objects: ObjectStore, import_remotely: Callable[..., None]
) -> None:
    objects.fault = lambda method, key: "deaf" if method == "PUT" and "manifest" in key else None
    import_remotely(t1=["hi"])
    assert texts() == ["hi"]


def test_an_import_that_ends_later_than_another_gives_up(
    objects: ObjectStore, import_remotely: Callable[..., None], tmp_path: Path
) -> None:
    import_remotely(t1=["hi"])
    manifest = folder_of(objects) / "manifest.json"
    others = manifest.read_bytes().replace(b'"simulated": false', b'"simulated": true')

    def meanwhile(method: str, key: str) -> None:
        if method == "PUT" and "native" in key:
            manifest.write_bytes(others)

    objects.fault = meanwhile
    with pytest.raises(StoreError, match="has ended meanwhile"):
        import_remotely(t1=["new"])
    assert manifest.read_bytes() == others
    assert texts() == ["hi"]


def test_parts_of_uploads_that_were_given_up_go_after_a_day(
    objects: ObjectStore, import_remotely: Callable[..., None]
) -> None:
    folder = folder_of(objects)
    for name in ("data-old", "shards-old", "data-new"):
        (folder / name).mkdir(parents=True)
        (folder / name / "x-0.parquet").touch()
        if name != "data-new":
            os.utime(folder / name / "x-0.parquet", (0, 0))
    import_remotely(t1=["hi"])
    left = {path.parent.name for path in folder.glob("*/*.parquet")}
    assert left == {"data-new", read_manifest(objects).data}


def test_what_is_damaged_is_said_to_be_and_mended_by_an_import(
    objects: ObjectStore, import_remotely: Callable[..., None], tmp_path: Path
) -> None:
    import_remotely(t1=["hi"])
    (part,) = folder_of(objects).glob("data-*/native-*.parquet")
    part.write_bytes(part.read_bytes().upper())
    on_another_machine(tmp_path)
    with pytest.raises(StoreError, match=r"in s3://talks/st is damaged: native.*--store s3://"):
        texts()
    import_remotely(t1=["hi"])
    on_another_machine(tmp_path)
    assert texts() == ["hi"]


@pytest.mark.parametrize("field", ["data", "part"])
def test_a_manifest_cannot_name_files_outside(
    objects: ObjectStore, import_remotely: Callable[..., None], tmp_path: Path, field: str
) -> None:
    import_remotely(t1=["hi"])
    path = folder_of(objects) / "manifest.json"
    told = json.loads(path.read_text())
    if field == "data":
        told["data"] = "../../data-1"
    else:
        told["parts"][0]["name"] = "../../native-00000.parquet"
    path.write_text(json.dumps(told))
    with pytest.raises(StoreError, match="names files that imports do not write"):
        texts()


def test_a_store_that_is_not_there_or_does_not_answer(objects: ObjectStore) -> None:
    with pytest.raises(StoreError, match="There is no store in s3://talks/none"):
        cg.open_store("s3://talks/none")
    with pytest.raises(StoreError, match="There is no store in s3://talks/none"):
        cg.load("frames", "s3://talks/none")
    objects.fault = lambda *_: "refuse"
    with pytest.raises(StoreError, match="s3://talks/none cannot be read: "):
        cg.load("frames", "s3://talks/none")


def test_a_corpus_that_was_removed_there_is_not_here_either(
    objects: ObjectStore, import_remotely: Callable[..., None]
) -> None:
    import_remotely(t1=["hi"])
    shutil.rmtree(folder_of(objects))
    with pytest.raises(StoreError, match="There is no store"):
        cg.open_store(STORE)


def test_commands_name_it_as_the_user_did(
    import_remotely: Callable[..., None], tmp_path: Path, write_talks: Write
) -> None:
    words = ["import", "toy", str(write_talks({"t1": ["hi"]})), "--store", STORE]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    assert f"written to {STORE} in" in " ".join(done.output.split())
    for line in ("check --integrity", "info", "info toy", "sql 'select text from events'"):
        done = CliRunner().invoke(group, [*shlex.split(line), "--store", STORE])
        assert done.exit_code == 0, done.output
        assert str(tmp_path) not in done.output


def test_a_machine_without_a_place_for_it_says_so(
    objects: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="No folder can be made for what s3://talks/st has"):
        cg.open_store(STORE)
