"""What an import had finished when it was killed is used by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.sending import Sending

import commonground as cg
from commonground.corpora import get_corpus
from commonground.errors import StoreError
from commonground.store.importing import import_corpus, planning, resuming
from commonground.store.importing.summary import ImportSummary
from commonground.store.layout import generations
from commonground.store.layout.manifest import data_folder
from commonground.store.opening import open_store

RECORDED = "commonground.store.importing.workers.import_recorded"

SHARD = 8 << 10
"""Bytes of a shard here, so that a few dialogues are as many shards as a large corpus is."""

KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
from commonground.corpora import get_corpus
from commonground.store.importing import import_corpus, planning, resuming

def kill_at(number, me=os.getpid()):
    # From a worker, when so many shards are finished.
    if len(list(store.rglob("shard-*.finished"))) >= number:
        os.kill(me, signal.SIGKILL)
        time.sleep(60)

planning.LEAST_SHARD_BYTES = int(sys.argv[4])
corpus, files, store = get_corpus("taskmaster3"), sys.argv[1:2], Path(sys.argv[2])
write = resuming._write
def writing(*record):
    write(*record)
    kill_at(5)
if sys.argv[3] == "dask":
    from commonground.engines.on_dask import start_local
    def watch():
        while True:
            kill_at(5)
            time.sleep(0.002)
    with start_local(1) as engine:
        threading.Thread(target=watch, daemon=True).start()
        import_corpus(corpus, files, store=store, engine=engine)
else:
    resuming._write = writing
    import_corpus(corpus, files, store=store, jobs=int(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cg.simulate("taskmaster3", tmp_path_factory.mktemp("talks"), dialogues=60)


@pytest.fixture(autouse=True)
def many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", SHARD)


def import_talks(talks: Path, store: Path, **how: object) -> ImportSummary:
    options: dict[str, object] = {"jobs": 1, **how}
    return import_corpus(get_corpus("taskmaster3"), [talks], store=store, **options)  # type: ignore[arg-type]


def read_parts(summary: ImportSummary, store: Path) -> dict[str, bytes]:
    folder = data_folder(store, summary.manifest)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def whole(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The parts of an import that nobody disturbed."""
    store = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "LEAST_SHARD_BYTES", SHARD)
        return read_parts(import_talks(talks, store), store)


class Killed(BaseException):
    """In the place of a kill: nothing is tidied up."""


@pytest.fixture
def killed(talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose import was killed when five shards were finished."""
    store = tmp_path / "store"
    done: list[int] = []
    record = resuming.import_recorded

    def stop(job: planning.ShardJob, *rest: object) -> object:
        if len(done) == 5:
            raise Killed
        done.append(job.part)
        return record(job, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(RECORDED, stop)
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(Killed):
            import_talks(talks, store)
    return store


def left_folders(store: Path) -> list[Path]:
    return sorted((store / "taskmaster3").glob("data-*"))


@pytest.mark.parametrize("how", ["1", "2", "dask"])
def test_a_killed_import_is_gone_on_with(
    talks: Path, tmp_path: Path, whole: dict[str, bytes], how: str
) -> None:
    store = tmp_path / "store"
    words = [sys.executable, "-c", KILLED, str(talks), str(store), how, str(SHARD)]
    done = subprocess.run(words, check=False, stderr=subprocess.DEVNULL)
    assert done.returncode == -signal.SIGKILL
    finished = len(list(store.rglob("shard-*.finished")))
    assert finished >= 5
    summary = import_talks(talks, store, jobs=2)
    assert summary.taken_over >= finished
    assert read_parts(summary, store) == whole
    assert len(left_folders(store)) == 1


def test_an_engine_goes_on_with_what_processes_began(
    talks: Path, killed: Path, whole: dict[str, bytes]
) -> None:
    engine = Sending()
    summary = import_talks(talks, killed, engine=engine)
    assert (summary.taken_over, engine.items) == (5, summary.shards - 5)
    assert read_parts(summary, killed) == whole


def test_the_part_that_is_done_is_not_in_the_progress(talks: Path, killed: Path) -> None:
    told: list[tuple[int, int]] = []
    import_talks(talks, killed, progress=lambda *each: told.append(each))
    whole = sum(path.stat().st_size for path in talks.rglob("*") if path.is_file())
    assert told[-1][0] <= told[-1][1] <= whole - 5 * SHARD // 2


def test_a_damaged_part_is_made_again(talks: Path, killed: Path, whole: dict[str, bytes]) -> None:
    (left,) = left_folders(killed)
    part = left / "events-00002.parquet"
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    (left / "shard-00001.finished").write_bytes(b"no record")
    summary = import_talks(talks, killed)
    assert summary.taken_over == 3
    assert read_parts(summary, killed) == whole


def test_other_files_use_nothing(talks: Path, killed: Path, tmp_path: Path) -> None:
    time.sleep(0.01)  # the clock of files is coarse
    for path in talks.rglob("*.json"):
        os.utime(path)
    assert import_talks(talks, killed).taken_over == 0
    assert len(left_folders(killed)) == 1


def test_it_stays_for_a_day(talks: Path, killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError):
        open_store(killed)
    assert len(left_folders(killed)) == 1
    monkeypatch.setattr(generations, "KEPT_S", -1)
    with pytest.raises(StoreError):
        open_store(killed)
    assert left_folders(killed) == []


def test_only_the_newest_stays(killed: Path) -> None:
    (newest,) = left_folders(killed)
    older = newest.with_name("data-older")
    older.mkdir()
    (older / "shard-00000.finished").touch()
    os.utime(older / "shard-00000.finished", (0, 0))
    generations.remove_stale(killed, "taskmaster3")
    assert left_folders(killed) == [newest]


def test_one_kill_after_another_loses_nothing(
    talks: Path, killed: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(RECORDED, stop)
        patch.setattr(
            "commonground.store.layout.generations._is_in_force", _spare_the_newest(killed)
        )
        with pytest.raises(Killed):
            import_talks(talks, killed)
    summary = import_talks(talks, killed)
    assert summary.taken_over == 5
    assert read_parts(summary, killed) == whole


def _spare_the_newest(store: Path) -> Callable[[Path, str, Path], bool]:
    """Keeps the folder of the import that goes on, as a kill would."""
    first = set(left_folders(store))
    return lambda _store, _corpus, folder: folder not in first


def test_an_error_leaves_nothing(
    talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = resuming.import_recorded

    def fail(job: planning.ShardJob, *rest: object) -> object:
        if job.part == 5:
            raise OSError(28, "No space left on device")
        return record(job, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(RECORDED, fail)
    with pytest.raises(StoreError, match="No space left"):
        import_talks(talks, tmp_path / "store")
    assert left_folders(tmp_path / "store") == []
