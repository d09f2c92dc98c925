"""A disk that is full from any write of an import on, in any of its processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.corpora import Entry
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
from tests.faults.tracing import needs_strace, points, run, run_with_fault
from tests.thorough import a_few, thorough

WRITES = ["write", "pwrite64", "fsync", "mkdir", "rename"]


@needs_strace
@pytest.mark.parametrize("several", a_few([False, True], [True]), ids=["one process", "several"])
def test_a_disk_may_be_full_at_any_write(toy: Entry, tmp_path: Path, several: bool) -> None:
    before = imported_store(tmp_path / "before", write_talks(tmp_path / "old", SMALL))
    make = write_much if several else (lambda folder: write_talks(folder, LARGE))
    files = make(tmp_path / "new")
    told = 0
    # Processes speak to each other by pipes, whose writes no full disk refuses.
    calls = [call for call in WRITES if not several or call != "write"]
    for number in points(40, 2):
        for when in (f"{number}", f"{number}+"):
            work = work_folder(tmp_path / f"full-{when}", before)
            done = run_with_fault(
                *("import", "toy", str(files)),
                cwd=work,
                calls=calls,
                fault="error=ENOSPC",
                when=when,
                everywhere=True,
            )
            assert "Traceback" not in without_wakeups(done.output)
            store = work / "commonground-store"
            count = count_whole(store)
            assert count in (SMALL, LARGE)
            assert leftovers(store) <= {"manifest.json.new"}
            if count == SMALL:
                assert done.status != 0
                # Where every write fails, nothing can be told on the screen either.
                told += "No space left on device" in done.output
    assert told > 0
    assert run("import", "toy", str(files), cwd=work).status == 0
    assert count_whole(store) == LARGE


@needs_strace
@pytest.mark.parametrize(
    "words",
    [
        ("sql", "select * from events", "--output", "out/events.csv"),
        pytest.param(
            ("sql", "select * from events", "--output", "out/events.parquet"), marks=thorough
        ),
        pytest.param(("export", "csv", "out/tables"), marks=thorough),
        pytest.param(("show", "toy", "t1", "--html", "out/page.html"), marks=thorough),
        ("simulate", "toy", "out/files"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_was_written_before_stays_when_the_disk_is_full(
    toy: Entry, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Of every command that writes, the previous output is there, or the new one, whole."""
    store = imported_store(tmp_path / "before", write_talks(tmp_path / "files", LARGE))
    work = work_folder(tmp_path / "work", store)
    (work / "out").mkdir()
    assert run(*words, cwd=work).status == 0
    before = read_all(work / "out")
    failed = 0
    for number in points(30, 2):
        done = run_with_fault(
            *words,
            cwd=work,
            calls=WRITES,
            fault="error=ENOSPC",
            when=f"{number}+",
            everywhere=True,
        )
        assert "Traceback" not in done.output
        failed += done.status != 0
        assert read_all(work / "out") == before
    assert failed > 0


def without_wakeups(output: str) -> str:
    """Returns what was printed without what Python says when it cannot wake a pool's thread.

    The fault strikes every write, those of a pool's pipe as well, which no full disk refuses.
    """
    return output.partition("Exception ignored in: <module 'threading'")[0]


def read_all(folder: Path) -> dict[str, bytes]:
    """Returns the bytes of all files below a folder; those of a moment of writing left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
