"""Every leaf of every released record is in a table, or the manifest names it with a reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import Entry, get_corpus
from commonground.model import Dialogue
from commonground.play.simulating import simulate_corpus
from commonground.store.identify import identify_documents
from tests.contract.leaves import Files, Report, Sampler, Tables, check_leaves
from tests.thorough import a_few

DATA = os.environ.get("COMMONGROUND_DATA")
SCANNED = None if os.environ.get("COMMONGROUND_ALL") else 200
"""Released records of a file that are looked through for paths; ``COMMONGROUND_ALL=1``: all."""

LEAVES = 2 if os.environ.get("COMMONGROUND_ALL") else 1
"""Leaves of each path of invented records that are changed."""

FOLDERS = {
    "frames": os.environ.get("COMMONGROUND_FRAMES"),
    "mpchat": f"{DATA}/mpchat",
    "photobook": f"{DATA}/photobook",
    "simmc": f"{DATA}/simmc1",
    "simmc2": f"{DATA}/simmc2",
    **{f"taskmaster{n}": f"{DATA}/taskmaster{n}" for n in range(1, 5)},
}
"""Where the released files of a corpus are, if anywhere."""


def covers(declared: str, path: str) -> bool:
    """Says whether what is declared is a path, or what it lies in."""
    return path == declared or path.startswith((f"{declared}.", f"{declared}[", f"{declared}{{"))


def compare(entry: Entry, report: Report) -> tuple[list[str], list[str]]:
    """Returns the paths that are in no table unexplained, and the explained ones that are."""
    declared = entry.manifest.native_only
    lost = [path for path, kept in report.items() if not kept]
    unexplained = [path for path in lost if not any(covers(d, path) for d in declared)]
    tried = [d for d in declared if any(covers(d, path) for path in report)]
    return unexplained, [d for d in tried if not any(covers(d, path) for path in lost)]


def read_files(entry: Entry, folder: Path) -> Files:
    known = identify_documents(entry, [folder]).known
    return {document.name: (fmt, document.read()) for document, fmt in known}


def test_every_leaf_of_simulated_records_is_in_a_table(entry: Entry, tmp_path: Path) -> None:
    # Those of SIMMC are large, and many are in each file.
    dialogues = 2 if entry.name == "simmc" else 4
    simulate_corpus(entry, tmp_path / "files", dialogues=dialogues, seed=3)
    tables = Tables(entry, read_files(entry, tmp_path / "files"), tmp_path / "copy", None)
    report = check_leaves(tables, LEAVES)
    assert compare(entry, report) == ([], [])
    # What is declared is there to be tried.
    tried = {d for d in entry.manifest.native_only if any(covers(d, path) for path in report)}
    assert tried == set(entry.manifest.native_only)


@pytest.mark.parametrize("name", a_few(FOLDERS, FOLDERS.keys() - {"simmc"}))
def test_every_leaf_of_released_records_is_in_a_table(name: str, tmp_path: Path) -> None:
    folder = FOLDERS[name]
    if folder is None or DATA is None or not Path(folder).exists():
        pytest.skip(f"the released files of {name} are not there")
    entry = get_corpus(name)
    files = Sampler(identify_documents(entry, [folder]).known, SCANNED).choose()
    report = check_leaves(Tables(entry, files, tmp_path, None), 1)
    assert len(report) > 5
    assert not compare(entry, report)[0]


@pytest.mark.parametrize(
    ("part", "lost"), [("events", "talk .lines[].says"), ("speakers", "talk .lines[].who")]
)
def test_what_a_converter_drops_is_found(
    part: str, lost: str, toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    simulate_corpus(toy, tmp_path / "files", dialogues=2, seed=3)
    files = read_files(toy, tmp_path / "files")
    assert all(check_leaves(Tables(toy, files, tmp_path / "all", None), 1).values())
    convert = toy.converter().convert

    def forget(*given: Any) -> Dialogue:
        dialogue = convert(*given)
        for event in dialogue.events:
            event.speaker = "somebody"
        setattr(dialogue, part, [])
        return dialogue

    monkeypatch.setattr(toy.module("convert"), "convert", forget)
    report = check_leaves(Tables(toy, files, tmp_path / "less", None), 1)
    assert [path for path, kept in report.items() if not kept] == [lost]
