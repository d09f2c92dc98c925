"""Toy files to import, and what a store has of them afterwards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from commonground.store.importing import PARALLEL_FROM_BYTES
from commonground.store.layout.integrity import is_sound
from commonground.store.opening import open_store
from tests.faults.tracing import run

SMALL, LARGE = 7, 40
"""Dialogues of the previous files, and of those that an import with faults reads."""


def write_talks(folder: Path, dialogues: int, *, words: int = 3, files: int = 1) -> Path:
    """Writes toy talks, some in each of several files, and returns their folder."""
    folder.mkdir()
    for file in range(files):
        records = [
            {"talk_id": f"t{i}", "lines": [{"who": "ann", "says": f"{i} " + "word " * words}] * 2}
            for i in range(file, dialogues, files)
        ]
        text = json.dumps({"train": records})
        (folder / f"talks{file}.json").write_text(text, encoding="utf-8")
    return folder


def write_much(folder: Path) -> Path:
    """Writes as many talks as more than one process imports by default, and some more files."""
    words = PARALLEL_FROM_BYTES // (LARGE * 2 * len("word ")) * 5 // 4
    return write_talks(folder, LARGE, words=words, files=4)


def work_folder(path: Path, before: Path | None) -> Path:
    """Makes a folder to run commands in, with a copy of an earlier store."""
    path.mkdir()
    if before is not None:
        shutil.copytree(before, path / "commonground-store")
    return path


def imported_store(path: Path, files: Path) -> Path:
    """Imports files with the command in a new folder and returns the store."""
    done = run("import", "toy", str(files), cwd=work_folder(path, None))
    assert done.status == 0, done.output
    return path / "commonground-store"


def count_whole(store: Path) -> int:
    """Returns the number of toy dialogues in a store that is whole; 0 where there is no import."""
    if not (store / "toy" / "manifest.json").exists():
        return 0
    opened = open_store(store)
    assert opened.damaged == {}
    manifest = opened.manifests["toy"]
    assert is_sound(store, manifest)
    assert manifest.counts["events"] == 2 * manifest.counts["dialogues"]
    return manifest.counts["dialogues"]


def leftovers(store: Path) -> set[str]:
    """Returns the names of what lies in a corpus's folder and belongs to no whole import."""
    opened = open_store(store)
    known = {opened.manifests["toy"].data, "manifest.json", ".lock"}
    return {path.name for path in (store / "toy").iterdir()} - known
