"""An import in the place of another: nothing goes without a word, whatever runs it."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.errors import StoreError
from commonground.store.access import import_files
from commonground.store.layout.manifest import data_folder
from commonground.store.opening import open_store
from tests.faults.stores import (
    LARGE,
    SMALL,
    count_whole,
    imported_store,
    leftovers,
    work_folder,
    write_much,
    write_talks,
)
from tests.faults.tracing import command, environment, run


@pytest.fixture
def store(toy: Entry, tmp_path: Path) -> Path:
    """A store of many talks, beside a folder that has few of them."""
    write_talks(tmp_path / "few", SMALL)
    return imported_store(tmp_path / "work", write_talks(tmp_path / "many", LARGE))


def test_most_of_a_corpus_goes_only_if_that_is_meant(store: Path) -> None:
    refused = run("import", "toy", "../few", cwd=store.parent)
    assert refused.status == 1
    assert f"this would replace {LARGE} talks imported on" in refused.output
    assert f"by {SMALL}; {LARGE - SMALL} of the old ones are not among the new" in " ".join(
        refused.output.split()
    )
    assert "--replace" in refused.output
    assert count_whole(store) == LARGE
    assert leftovers(store) == set()
    done = run("import", "toy", "../few", "--replace", cwd=store.parent)
    assert done.status == 0
    assert f"replaced: {LARGE} talks" in done.output
    assert count_whole(store) == SMALL


def test_more_dialogues_replace_fewer_without_a_question(store: Path, tmp_path: Path) -> None:
    write_talks(tmp_path / "more", LARGE + 1)
    done = run("import", "toy", "../more", cwd=store.parent)
    assert done.status == 0
    assert f"by {LARGE + 1}; all of the old ones are among the new" in " ".join(done.output.split())


def test_python_refuses_as_the_command_does(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="this would replace"):
        import_files("toy", tmp_path / "few", store=store)
    assert len(import_files("toy", tmp_path / "few", store=store, replace=True)) == SMALL


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", LARGE), (b"y\n", SMALL)])
def test_on_a_terminal_it_is_asked(store: Path, answer: bytes, left: int) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("import", "toy", "../few"),
        cwd=store.parent,
        env={**environment(), "TERM": "dumb"},
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        while b"Go on?" not in shown:
            shown += os.read(ours, 1024)
        os.write(ours, answer)
        process.wait(timeout=300)
    os.close(ours)
    assert b"This replaces 40 talks" in shown
    assert count_whole(store) == left


def test_any_number_of_processes_gives_the_same_bytes(toy: Entry, tmp_path: Path) -> None:
    files = write_much(tmp_path / "files")
    held = []
    for jobs in ("1", "2", "3"):
        work = work_folder(tmp_path / f"jobs-{jobs}", None)
        assert run("import", "toy", str(files), "--jobs", jobs, cwd=work).status == 0
        store = work / "commonground-store"
        manifest = open_store(store).manifests["toy"]
        folder = data_folder(store, manifest)
        held.append(
            {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
            | {"sources": manifest.sources, "files": manifest.files, "counts": manifest.counts}
        )
    assert len(held[0]) > 8  # several shards
    assert held[0] == held[1] == held[2]
