"""An import that is killed, at every system call, in every process, with default options."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.schema import TABLES
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
from tests.faults.tracing import (
    CHANGING,
    command,
    end_processes_in,
    environment,
    needs_strace,
    points,
    processes_in,
    record,
    run,
    run_with_fault,
)
from tests.thorough import a_few

pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that several processes import by default."""
    return write_much(tmp_path_factory.mktemp("much") / "files")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of an earlier import."""
    folder = tmp_path_factory.mktemp("before")
    return imported_store(folder / "work", write_talks(folder / "files", SMALL))


def wait_until_alone(folder: Path, seconds: float = 300) -> None:
    """Waits until nothing works in a folder any more."""
    until = time.monotonic() + seconds
    while processes_in(folder):
        assert time.monotonic() < until, "a process of a killed import goes on"
        time.sleep(0.05)


def has_workers(work: Path) -> bool:
    return len(processes_in(work)) > 1


def has_parts(work: Path) -> bool:
    return len(list((work / "commonground-store/toy").glob("data-*/*.parquet"))) > len(TABLES)


@pytest.mark.parametrize("is_reached", a_few([has_workers, has_parts], [has_workers]))
def test_workers_end_with_a_killed_import(
    toy: Entry, tmp_path: Path, much: Path, before: Path, is_reached: Callable[[Path], bool]
) -> None:
    work = work_folder(tmp_path / "work", before)
    process = subprocess.Popen(
        command("import", "toy", str(much)),
        cwd=work,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not is_reached(work) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until_alone(work)
    finally:
        end_processes_in(work)
    again = run("import", "toy", str(much), cwd=work)
    assert again.status == 0, again.output
    assert count_whole(work / "commonground-store") == LARGE
    assert leftovers(work / "commonground-store") == set()
    assert len(list((work / "commonground-store/toy").glob("data-*"))) == 1


@needs_strace
def test_a_kill_at_any_call_leaves_one_whole_import(
    toy: Entry, tmp_path: Path, much: Path, before: Path
) -> None:
    """The first process is killed; what it started ends by itself and locks nothing."""
    work = work_folder(tmp_path / "counted", before)
    calls = record("import", "toy", str(much), cwd=work)
    first = calls[0].process
    mine = [call for call in calls if call.process == first and call.name != "open"]
    # Calls that make processes and wait for them count as well: then workers are at work.
    names = [*CHANGING, "clone", "clone3", "vfork", "fork"]
    seen = set()
    for number in points(len(mine) + 4, 3):
        work = work_folder(tmp_path / f"kill-{number}", before)
        try:
            run_with_fault(
                *("import", "toy", str(much)),
                cwd=work,
                calls=names,
                fault="signal=KILL",
                when=str(number),
                everywhere=False,
            )
            wait_until_alone(work)
        finally:
            end_processes_in(work)
        count = count_whole(work / "commonground-store")
        assert count in (SMALL, LARGE)
        seen.add(count)
        assert leftovers(work / "commonground-store") == set()  # whoever opens a store tidies up
    assert seen == {SMALL, LARGE}  # some kills came before the switch and some after
    again = run("import", "toy", str(much), cwd=work)
    assert again.status == 0, again.output


def spoil(files: Path, file: int, talk: str, says: str) -> None:
    """Makes one talk say something else."""
    path = files / f"talks{file}.json"
    held = json.loads(path.read_text(encoding="utf-8"))
    next(each for each in held["train"] if each["talk_id"] == talk)["lines"][0]["says"] = says
    path.write_text(json.dumps(held), encoding="utf-8")


def test_a_file_over_which_processes_die_is_named_and_left_out(
    toy: Entry, tmp_path: Path, much: Path, before: Path
) -> None:
    files = tmp_path / "files"
    shutil.copytree(much, files)
    spoil(files, 2, "t6", "die")
    work = work_folder(tmp_path / "work", before)
    done = run("import", "toy", str(files), cwd=work)
    assert done.status == 1, done.output
    assert "1 file could not be read" in done.output
    assert "Traceback" not in done.output
    assert count_whole(work / "commonground-store") == LARGE * 3 // 4
    told = run("check", "toy", "--code", "CG-DATA-006", cwd=work).output
    assert told == "talks2.json  found all of it\n"
    spoil(files, 2, "t6", "well")
    assert run("import", "toy", str(files), cwd=work).status == 0
    assert count_whole(work / "commonground-store") == LARGE


def test_a_process_that_dies_once_costs_nothing(
    toy: Entry, tmp_path: Path, much: Path, before: Path
) -> None:
    files = tmp_path / "files"
    shutil.copytree(much, files)
    spoil(files, 1, "t5", f"die {tmp_path / 'died'}")
    work = work_folder(tmp_path / "work", before)
    done = run("import", "toy", str(files), cwd=work)
    assert (tmp_path / "died").exists()
    assert done.status == 0, done.output
    assert count_whole(work / "commonground-store") == LARGE
    assert "findings: none" in done.output


@needs_strace
def test_an_import_whose_processes_all_die_says_so(
    toy: Entry, tmp_path: Path, much: Path, before: Path
) -> None:
    """Each process dies when it has the second file of its shard on the disk."""
    work = work_folder(tmp_path / "work", before)
    done = run_with_fault(
        *("import", "toy", str(much)),
        cwd=work,
        calls=["fsync"],
        fault="signal=KILL",
        when="2",
        everywhere=True,
    )
    assert "A process of this import died" in done.output
    assert "Traceback" not in done.output
    assert count_whole(work / "commonground-store") == SMALL
    assert leftovers(work / "commonground-store") == set()


def test_any_command_removes_what_a_killed_import_left(toy: Entry, tmp_path: Path) -> None:
    work = work_folder(tmp_path / "work", None)
    left = work / "commonground-store" / "toy" / "data-0123456789ab"
    left.mkdir(parents=True)
    (left / "events-00000.parquet").touch()
    assert run("check", "--explain", "CG-JSON-001", cwd=work).status == 0
    assert not left.exists()
