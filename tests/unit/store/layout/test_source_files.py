"""Where an import has many files, they stand in a part of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.store.importing.summary import ImportSummary
from commonground.store.layout import source_files as listing
from commonground.store.layout.integrity import verify_import
from commonground.store.layout.manifest import load_manifest
from commonground.store.opening import open_store

ImportToy = Callable[..., ImportSummary]


@pytest.fixture
def files(tmp_path: Path, write_talks: Callable[..., Path]) -> Path:
    """Three talks, each in a file, and a file that is left alone."""
    for number in range(3):
        write_talks({f"t{number}": ["hello"]}, f"talks{number}.json")
    (tmp_path / "README.md").write_text("No talk.", encoding="utf-8")
    return tmp_path


@pytest.fixture
def imported(files: Path, import_toy: ImportToy, monkeypatch: pytest.MonkeyPatch) -> ImportSummary:
    monkeypatch.setattr(listing, "MOST_IN_MANIFEST", 2)
    return import_toy(*sorted(files.iterdir()))


def test_the_same_files_are_listed(
    files: Path, import_toy: ImportToy, imported: ImportSummary, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert imported.manifest.sources == []
    found = open_store(files / "store").sources("toy")
    monkeypatch.setattr(listing, "MOST_IN_MANIFEST", 100)
    inline = import_toy(*sorted(files.glob("*.*")), force=True).manifest.sources
    assert found == inline
    assert [each.name for each in found] == ["README.md", *(f"talks{n}.json" for n in range(3))]


def test_the_store_is_whole(files: Path, imported: ImportSummary) -> None:
    store = files / "store"
    manifest = load_manifest(store, "toy")
    assert manifest == imported.manifest
    assert list(verify_import(store, imported.manifest)) == []
    assert open_store(store).rows("select count(*) from dialogues") == [(3,)]


def test_the_same_files_again_are_a_no_op(
    files: Path, import_toy: ImportToy, imported: ImportSummary
) -> None:
    paths = [files / "README.md", *files.glob("talks*.json")]
    assert not imported.unchanged
    assert import_toy(*paths).unchanged
    (part,) = (files / "store/toy" / imported.manifest.data).glob("sources-*.parquet")
    part.write_bytes(b"x" * part.stat().st_size)
    assert not import_toy(*paths).unchanged  # a damaged list is written again
    assert import_toy(*paths).unchanged


def test_a_list_of_another_length_is_damage(
    toy: Entry, files: Path, imported: ImportSummary
) -> None:
    (part,) = (each for each in imported.manifest.parts if each.table == "sources")
    assert part.rows == 4
    (files / "store" / toy.name / imported.manifest.data / part.name).unlink()
    (damage,) = verify_import(files / "store", imported.manifest)
    assert (damage.where, damage.what) == ("sources-00000.parquet", "is missing")
