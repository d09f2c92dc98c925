"""Invented data is known as such, wherever it is imported from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from commonground.corpora import Entry
from commonground.exports.format import get_export
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from commonground.files import simulated
from commonground.play.simulating import simulate_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store

Importing = Callable[..., ImportSummary]


@pytest.fixture
def files(toy: Entry, tmp_path: Path) -> Path:
    """A simulated folder."""
    folder = tmp_path / "demo"
    folder.mkdir()
    simulate_corpus(toy, folder, dialogues=4, seed=0)
    return folder


def test_the_mark_says_what_it_is(files: Path) -> None:
    text = (files / simulated.NAME).read_text(encoding="utf-8")
    assert "Invented with commonground, in the format of its corpus toy." in text


def test_a_simulated_folder_is_known(files: Path, import_toy: Importing) -> None:
    summary = import_toy(files)
    assert summary.manifest.simulated
    assert summary.left_alone == []


def test_a_file_of_a_simulated_folder_is_known(files: Path, import_toy: Importing) -> None:
    file = files / "talks.json"
    assert import_toy(file).manifest.simulated


def test_an_archive_of_a_simulated_folder_is_known(
    files: Path, tmp_path: Path, import_toy: Importing
) -> None:
    (tmp_path / "sent").mkdir()
    path = tmp_path / "sent" / "demo.zip"
    with ZipFile(path, "w") as archive:
        for file in files.rglob("*.*"):
            archive.write(file, f"demo/{file.relative_to(files)}")
    assert import_toy(path).manifest.simulated


def test_released_files_are_not_taken_for_simulated(files: Path, import_toy: Importing) -> None:
    (files / simulated.NAME).unlink()
    assert not import_toy(files).manifest.simulated


def test_what_is_exported_of_it_keeps_the_mark(
    files: Path, tmp_path: Path, import_toy: Importing
) -> None:
    import_toy(files)
    out = tmp_path / "out"
    run_export(get_export("native"), Selection(open_store(tmp_path / "store")), out)
    shutil.rmtree(tmp_path / "store")
    assert import_toy(out / "toy").manifest.simulated
