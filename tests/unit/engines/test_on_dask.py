"""An import on workers of Dask: the same bytes, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cloudpickle
import distributed
import msgspec
import pytest
from click.testing import CliRunner
from distributed import LocalCluster, Nanny, Scheduler, WorkerPlugin
from distributed.core import Status
from distributed.deploy.cluster import Cluster
from distributed.security import Security
from tests.thorough import one_in, thorough
from tests.unit.object_store import ObjectStore

import commonground as cg
from commonground import __version__
from commonground.cli import group
from commonground.corpora import get_corpus
from commonground.engines import as_engine, on_dask, open_engine, refuse_open_address
from commonground.engines.engine import Died
from commonground.engines.on_dask import DaskEngine, connect, start_local
from commonground.errors import StoreError, UsageError
from commonground.files import faults
from commonground.store.importing import check_files, import_corpus, planning, shards
from commonground.store.importing.own_splits import Request
from commonground.store.layout.manifest import StoreManifest, data_folder

# Sockets of killed workers are closed by Dask when it comes to it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

# Workers do not have the modules of tests, so that what is defined here is sent as it is.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def started_cluster() -> Iterator[DaskEngine]:
    with pytest.MonkeyPatch.context() as patch:
        # Each try costs a worker, which takes seconds to start again.
        patch.setattr(on_dask, "TRIES", 2)
        with start_local(2) as engine:
            yield engine


@pytest.fixture
def cluster(started_cluster: DaskEngine) -> DaskEngine:
    """Two workers; those that a test before has killed are there again."""
    started_cluster._client.wait_for_workers(2, timeout=300)
    return started_cluster


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cg.simulate("taskmaster3", tmp_path_factory.mktemp("talks"), dialogues=60)


@pytest.fixture(scope="module")
def odd_talks(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The talks, one file of which has a bracket too many."""
    folder = tmp_path_factory.mktemp("odd") / "talks"
    shutil.copytree(talks, folder)
    with next(each for each in sorted(folder.rglob("data_*.json"))).open("ab") as out:
        out.write(b"]")
    return folder


@pytest.fixture
def many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a few dialogues be as many shards as a large corpus is."""
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", 8 << 10)


def read_parts(store: Path, manifest: StoreManifest) -> dict[str, bytes]:
    folder = data_folder(store, manifest)
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def imported(
    talks: Path, store: Path, engine: Any = None, splits: Request | None = None
) -> dict[str, bytes]:
    corpus = get_corpus("taskmaster3")
    summary = import_corpus(
        corpus, [talks], store=store, engine=engine, splits=splits, jobs=1, force=True
    )
    return read_parts(store, summary.manifest)


def read_files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


class Spoil(WorkerPlugin):
    """Makes reading a document go wrong on workers, those that start later too.

    Args:
        what: called on the worker before each document is read, with its name and the worker's.
    """

    name = "spoil"

    def __init__(self, what: Callable[[str, str], None]) -> None:
        self._what = what

    def setup(self, worker: Any) -> None:
        self._divide = divide = shards.Divider.divide
        what, number = self._what, str(worker.name)

        def spoiled(self: Any, document: Any, fmt: Any, *, keep: bool) -> Any:
            what(document.name, number)
            return divide(self, document, fmt, keep=keep)

        shards.Divider.divide = spoiled  # type: ignore[method-assign]

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 - Dask's
        shards.Divider.divide = self._divide  # type: ignore[method-assign]


@contextmanager
def spoiled(engine: DaskEngine, what: Callable[[str, str], None]) -> Iterator[None]:
    client = engine._client
    client.register_plugin(Spoil(what))
    try:
        yield
    finally:
        if client.status == "running":
            # A worker that is just starting again would be spoilt after all others are mended.
            client.wait_for_workers(2, timeout=300)
            while not all(client.run(is_spoilt).values()):
                time.sleep(0.01)
            client.unregister_worker_plugin(Spoil.name)


def is_spoilt(dask_worker: Any) -> bool:
    return Spoil.name in dask_worker.plugins


@pytest.mark.usefixtures("many_shards")
def test_the_parts_are_those_of_the_pool(cluster: DaskEngine, talks: Path, tmp_path: Path) -> None:
    parts = imported(talks, tmp_path / "dask", cluster)
    assert parts == imported(talks, tmp_path / "pool")
    assert sum(name.startswith("native") for name in parts) > 5


@pytest.mark.usefixtures("many_shards")
def test_a_full_disk_on_one_worker_is_gone_around(
    cluster: DaskEngine, talks: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "full"

    def fill_first(name: str, worker: str) -> None:
        try:
            with mark.open("x") as out:
                out.write(worker)
        except FileExistsError:
            pass
        if mark.read_text() == worker:
            raise OSError(errno.ENOSPC, "No space left on device")

    with spoiled(cluster, fill_first):
        parts = imported(talks, tmp_path / "dask", cluster)
    assert mark.exists()
    assert parts == imported(talks, tmp_path / "pool")


def test_full_disks_everywhere_leave_the_import_of_before(
    cluster: DaskEngine, talks: Path, tmp_path: Path
) -> None:
    before = imported(talks, tmp_path / "store")

    def fill_all(name: str, worker: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with spoiled(cluster, fill_all), pytest.raises(StoreError, match="No space left"):
        imported(talks, tmp_path / "store", cluster)
    corpus = cg.load("taskmaster3", tmp_path / "store")
    assert corpus.rows("select count(*) as n from dialogues") == [(60,)]
    assert before


class OtherDisk:
    """An engine whose workers write where nobody else sees it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def map(self, work: Any, items: Any, *, shared: Any = None, **_: object) -> list[Any]:
        here = [msgspec.structs.replace(each, folder=str(self._folder)) for each in items]
        return [work(shared, each) for each in here]


def test_a_disk_that_is_not_shared_is_an_error(talks: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(StoreError, match="does not see"):
        imported(talks, tmp_path / "store", OtherDisk(other))
    assert list(other.glob("*.parquet"))
    assert not list((tmp_path / "store").rglob("*.parquet"))


@pytest.mark.usefixtures("many_shards")
@pytest.mark.parametrize("form", one_in(2, ["list", "holdout"]))
def test_splits_of_ones_own_are_those_of_the_pool(
    form: str, cluster: DaskEngine, talks: Path, tmp_path: Path
) -> None:
    """An entry that cannot be read is among the parts, too: it is a finding."""
    imported(talks, tmp_path / "released")
    names = cg.load("taskmaster3", tmp_path / "released").ids()
    listed = tmp_path / "mine.csv"
    rows = [f"{each},{'train' if place % 2 else 'test'}" for place, each in enumerate(names)]
    listed.write_text("\n".join(["id,split", *rows[:40], names[50]]), encoding="utf-8")
    asked = Request(splits=listed) if form == "list" else Request(holdout=0.2, seed=3)
    found = imported(talks, tmp_path / "dask", cluster, asked)
    assert found == imported(talks, tmp_path / "pool", splits=asked)
    wanted = {"": 20, "test": 20, "train": 20} if form == "list" else {"test": 12, "train": 48}
    assert cg.load("taskmaster3", tmp_path / "dask").splits() == wanted


def checked(files: Path | str, folder: Path, engine: Any = None) -> dict[str, bytes]:
    """Returns the findings; there are some."""
    manifest = check_files(get_corpus("taskmaster3"), [files], folder=folder, engine=engine)
    assert manifest.findings[faults.NOT_JSON.code] == 1
    return read_parts(folder, manifest)


def test_findings_are_those_of_the_pool(
    cluster: DaskEngine, odd_talks: Path, tmp_path: Path
) -> None:
    found = checked(odd_talks, tmp_path / "dask", cluster)
    assert found
    assert found == checked(odd_talks, tmp_path / "pool")


def test_python_takes_a_client(cluster: DaskEngine, talks: Path, tmp_path: Path) -> None:
    corpus = cg.import_files("taskmaster3", talks, store=tmp_path / "store", engine=cluster._client)
    assert len(corpus) == 60
    assert cg.check("taskmaster3", talks, engine=cluster._client).errors == 0


def test_what_is_no_engine_is_refused() -> None:
    assert as_engine(None) is None
    with pytest.raises(UsageError, match="str is not an engine"):
        as_engine("dask")


def _fail(shared: object, item: int) -> int:
    raise ValueError(f"item {item}")


def test_an_error_of_the_work_is_raised_here(cluster: DaskEngine) -> None:
    with pytest.raises(ValueError, match="item 7"):
        cluster.map(_fail, [7])


def test_other_versions_are_refused(cluster: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.engines.on_dask.__version__", f"{__version__}.other")
    with pytest.raises(UsageError, match="Workers have other versions"):
        DaskEngine(cluster._client)


class Client:
    """What tells a client of Dask, with a scheduler that need not exist."""

    def __init__(self, address: str, status: str = "running") -> None:
        self.scheduler = SimpleNamespace(address=address)
        self.status = status


Client.__module__ = "distributed.client"


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "ws://far:8786"])
def test_a_client_of_an_open_scheduler_is_refused_as_its_address_is(
    address: str, talks: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="not secured"):
        cg.import_files("taskmaster3", talks, store=tmp_path / "store", engine=Client(address))
    assert not (tmp_path / "store").exists()


def test_a_client_that_was_closed_is_refused() -> None:
    with pytest.raises(UsageError, match="not connected"):
        as_engine(Client("tls://far:8786", "closed"))


@pytest.mark.parametrize(
    "address",
    [
        "tls://far:8786",
        "tcp://127.0.0.1:8786",
        "tcp://[::1]:8786",
        "localhost:8786",
        "inproc://x/1",
    ],
)
def test_secured_addresses_and_those_of_this_machine_are_used(address: str) -> None:
    refuse_open_address(address)


@pytest.mark.parametrize(
    "address", ["tcp://far:8786", "tcp://10.0.0.1:8786", "far:8786", "ws://localhost:8786", "far"]
)
def test_open_addresses_are_refused(address: str) -> None:
    with pytest.raises(UsageError, match="not secured"), open_engine(scheduler=address):
        pass


# Workers that were killed come back when it suits them: what needs both of them stands above.
@pytest.mark.usefixtures("many_shards")
def test_a_killed_worker_changes_nothing(cluster: DaskEngine, talks: Path, tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def kill_once(name: str, worker: str) -> None:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    with spoiled(cluster, kill_once):
        parts = imported(talks, tmp_path / "dask", cluster)
    assert mark.exists()
    assert parts == imported(talks, tmp_path / "pool")


def write_two(talks: Path, folder: Path) -> Path:
    """Writes dialogues to two files, both of one shard."""
    (released,) = (path for path in talks.rglob("*.json") if "data" in path.parent.name)
    dialogues = json.loads(released.read_text(encoding="utf-8"))
    folder.mkdir()
    for number in range(2):
        text = json.dumps(dialogues[number * 10 : number * 10 + 10])
        (folder / f"data_{number:02}.json").write_text(text, encoding="utf-8")
    return folder


@thorough
def test_only_the_file_that_kills_is_left_out(
    cluster: DaskEngine, talks: Path, tmp_path: Path
) -> None:
    files = write_two(talks, tmp_path / "data")

    def kill_always(name: str, worker: str) -> None:
        if name == "data_01.json":
            os.kill(os.getpid(), signal.SIGKILL)

    with spoiled(cluster, kill_always):
        summary = import_corpus(
            get_corpus("taskmaster3"), [files], store=tmp_path / "store", engine=cluster
        )
    assert summary.manifest.counts["dialogues"] == 10
    assert summary.manifest.findings[faults.DEADLY.code] == 1
    ((file,),) = cg.load("taskmaster3", tmp_path / "store").rows(
        f"select source_file from findings where code = '{faults.DEADLY.code}'"
    )
    assert file == "data_01.json"


def _die(shared: object, item: int) -> int:
    if item == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def test_what_kills_workers_is_told_in_its_place(cluster: DaskEngine) -> None:
    done: list[int] = []
    found = cluster.map(_die, [1, 2, 3], weights=[10, 20, 30], step=done.append)
    assert found == [1, Died(2), 9]
    assert sorted(done) == [10, 30]


def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.engines.on_dask.CONNECT_S", 0.5)
    made: list[object] = []
    monkeypatch.setattr("commonground.engines.on_dask.Client", lambda *_, **__: made.append(1))
    with pytest.raises(UsageError, match="No Dask scheduler answers"), connect("tcp://127.0.0.1:9"):
        pass
    assert not made  # it would print a traceback when it goes


_CONNECT = """
import sys
from commonground.engines import on_dask
from commonground.errors import UsageError
on_dask.CONNECT_S = 1
try:
    with on_dask.connect(sys.argv[1]):
        pass
except UsageError as error:
    print(error)
"""


def test_a_client_that_tls_rejects_is_told_so_and_no_more(
    cluster: DaskEngine, tmp_path: Path
) -> None:
    own, other = cluster._client.security, Security.temporary()
    texts = {
        "CA_FILE": own.tls_ca_file,
        "CLIENT__CERT": other.tls_client_cert,
        "CLIENT__KEY": other.tls_client_key,
    }
    settings = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{name}"] = str(tmp_path / name)
    address = cluster._client.scheduler.address
    ended = subprocess.run(
        [sys.executable, "-c", _CONNECT, address],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.startswith("No Dask scheduler answers at tls://")
    assert ended.stderr == ""  # Dask's clients print a traceback when they are collected


@contextmanager
def started(
    folder: Path, *apart: Path, **settings: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Starts a scheduler and workers as those of a cluster are; gives its address and process.

    Args:
        folder: of the scheduler.
        apart: of the workers, each with its home and temporary folder; none for one beside the
            scheduler.
        settings: of all, in their environment.
    """
    listing = folder / "scheduler.json"
    common = ["--scheduler-file", str(listing), "--host", "127.0.0.1", "--no-dashboard"]
    worker = ["distributed.cli.dask_worker", *common, "--nthreads", "1", "--death-timeout", "300"]
    starts = [(folder, ["distributed.cli.dask_scheduler", *common, "--port", "0"])]
    starts += [(each, worker) for each in apart or [folder]]
    processes = []
    for place, words in starts:
        # No place of this process: neither its store nor its temporary files.
        own = {"TMPDIR": str(place), "HOME": str(place), "XDG_CACHE_HOME": str(place / "cache")}
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=place,
            env={**os.environ, **settings, **(own if apart else {})},
            stderr=subprocess.DEVNULL,
        )
        processes.append(process)
    while not listing.exists() or not listing.read_text():
        assert processes[0].poll() is None
        time.sleep(0.05)
    address = json.loads(listing.read_text())["address"]
    try:
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(len(starts) - 1, timeout=300)
        yield address, processes[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_scheduler_that_goes_away_leaves_the_import_of_before(
    talks: Path, tmp_path: Path
) -> None:
    imported(talks, tmp_path / "store")
    begun = tmp_path / "begun"

    def wait(name: str, worker: str) -> None:
        begun.touch()
        time.sleep(30)

    def kill() -> None:
        while not begun.exists():
            time.sleep(0.01)
        process.kill()

    with (
        started(tmp_path) as (address, process),
        connect(address) as engine,
        spoiled(engine, wait),
    ):
        threading.Thread(target=kill).start()
        with pytest.raises(StoreError, match="no longer answers"):
            imported(talks, tmp_path / "store", engine)
    corpus = cg.load("taskmaster3", tmp_path / "store")
    assert corpus.rows("select count(*) as n from dialogues") == [(60,)]


OF_A_CLUSTER = [(Nanny, "close"), (Cluster, "_close"), (Scheduler, "close")]
"""What Dask awaits, among other things, when it closes a cluster."""


@pytest.mark.parametrize(("owner", "name"), OF_A_CLUSTER)
def test_a_cluster_that_dask_cannot_close_is_given_up(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[object] = []
    closing, threads = getattr(owner, name), threading.active_count()

    async def fail_once(self: object, *args: object, **options: object) -> object:
        if not failed:
            failed.append(self)
            # As Dask says it of a worker that was killed while it started.
            raise AssertionError(Status.starting)
        return await closing(self, *args, **options)

    with start_local(1) as engine:
        cluster = engine._client.cluster
        monkeypatch.setattr(owner, name, fail_once)
    assert failed
    assert cluster.status == cluster.scheduler.status == Status.closed
    assert all(nanny.process is None for nanny in cluster._created)
    while threading.active_count() > threads:  # they end by themselves
        time.sleep(0.01)


@pytest.mark.parametrize(("owner", "name"), OF_A_CLUSTER)
def test_a_cluster_that_never_closes_is_given_up(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_dask, "CLOSE_S", 0.1)
    monkeypatch.setattr(on_dask, "GIVE_UP_S", 0.1)
    cluster: Any = None

    async def wait(*_args: object, **_options: object) -> None:
        while cluster.status != Status.closed:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)

    with start_local(1) as engine:
        cluster = engine._client.cluster
        (worker,) = [nanny.process.pid for nanny in cluster._created]
        monkeypatch.setattr(owner, name, wait)
    assert cluster.status == Status.closed
    while Path(f"/proc/{worker}").exists():
        time.sleep(0.01)


def test_a_cluster_whose_start_is_broken_off_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    sync: Any = LocalCluster.sync

    def interrupt(self: Any, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
        result = sync(self, call, *args, **options)
        if begun:
            return result
        begun.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalCluster, "sync", interrupt)
    with pytest.raises(KeyboardInterrupt), start_local(1):
        pass
    assert begun[0].status == Status.closed


def test_the_command_starts_workers_of_its_own(talks: Path, tmp_path: Path) -> None:
    words = ["import", "taskmaster3", str(talks), "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(group, [*words, "--engine", "dask", "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "60 dialogues" in done.output


class Confine(WorkerPlugin):
    """Lets a worker open no file below a folder, and keeps a list of what it opened to write.

    Args:
        folder: that is another machine's.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def setup(self, worker: Any) -> None:
        worker.written = []

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            if event in ("open", "os.mkdir", "os.listdir") and isinstance(arguments[0], str):
                if arguments[0].startswith(self._folder):
                    raise PermissionError(errno.EACCES, f"{arguments[0]} is on another machine")
                if event == "os.mkdir":
                    worker.written.append(arguments[0])

        sys.addaudithook(watch)


def _list_written(dask_worker: Any) -> list[str]:
    return [str(each) for each in dask_worker.written]


@pytest.mark.usefixtures("many_shards")
def test_workers_that_share_an_object_store_share_nothing_else(
    objects: ObjectStore, odd_talks: Path, tmp_path: Path
) -> None:
    bucket, mine = objects.folder / "talks", tmp_path / "cache"
    shutil.copytree(odd_talks, bucket / "released")
    apart = [tmp_path / "one", tmp_path / "two"]
    for each in apart:
        each.mkdir()
    with started(tmp_path, *apart) as (address, _), connect(address) as engine:
        client = engine._client
        client.register_plugin(Confine(str(mine)))
        corpus = cg.import_files(
            "taskmaster3", "s3://talks/released", store="s3://talks/st", engine=client
        )
        found = checked("s3://talks/released", mine / "check", engine)
        written = client.run(_list_written)
    assert read_parts(corpus.store.path, corpus.manifest) == imported(odd_talks, tmp_path / "pool")
    assert found == checked(odd_talks, tmp_path / "findings")
    assert len(written) == 2
    for place, folders in zip(sorted(map(str, apart)), sorted(written.values()), strict=True):
        assert folders
        assert all(each.startswith(place) for each in folders)
    left = {each.name for each in (bucket / "st/taskmaster3").iterdir() if any(each.glob("*"))}
    assert left == {corpus.manifest.data}


COORDINATOR = """
import sys
from pathlib import Path
from commonground.corpora import get_corpus
from commonground.engines.on_dask import connect
from commonground.store.importing import import_corpus, planning

planning.LEAST_SHARD_BYTES = 8 << 10
with connect(sys.argv[1]) as engine:
    import_corpus(get_corpus("taskmaster3"), sys.argv[2:3], store=Path(sys.argv[3]), engine=engine)
"""
