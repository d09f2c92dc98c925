"""Commands end soon after Ctrl-C and SIGTERM, also while a server does not answer."""

# ruff: noqa: F811 - arguments that are fixtures have their names

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonground as cg
from tests import forks
from tests.faults.commands import COMMAND
from tests.thorough import a_few, one_in, thorough
from tests.unit.conftest import google, objects  # noqa: F401 - fixtures
from tests.unit.object_store import ObjectStore

PATIENCE_S = 300.0
"""Seconds to wait for what has to happen, however busy the machine is."""

ANSWER_S = 10 * PATIENCE_S
"""Seconds that commands wait for an answer here: who does not end before never ends."""

STORES, FILES = "commonground.files.remote.REQUEST_S", "commonground.fetching.TIMEOUT_S"
"""How long commands wait for the answer of an object store, and of a host of released files."""

CODES = {signal.SIGTERM: 143, signal.SIGINT: 130}


class Hanging:
    """A server that takes connections and never says a word.

    Attributes:
        address: where it is.
        asked: set as soon as somebody has sent something.
    """

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._held: list[socket.socket] = []
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                taken, _ = self._listener.accept()
            except OSError:  # closed
                return
            self._held.append(taken)
            if taken.recv(1):
                self.asked.set()

    def close(self) -> None:
        for each in (self._listener, *self._held):
            each.close()


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    server = Hanging()
    settings = {
        "AWS_ENDPOINT_URL": server.address,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "a-secret",
        "STORAGE_EMULATOR_HOST": server.address,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    yield server
    server.close()


def start(*words: object, limit: str = STORES) -> subprocess.Popen[str]:
    """Starts a command that waits for an answer as long as may be, by the limit of this name."""
    module, _, name = limit.rpartition(".")
    lines = (
        f"import signal, {module} as limited",
        f"limited.{name} = {ANSWER_S}",
        # What a shell has started in the background ignores Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)",
        COMMAND[-1],
    )
    return subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """Sends a signal; returns the exit code and what was said in the end."""
    process.send_signal(number)
    try:
        _, told = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert "Traceback" not in told
    return process.returncode, told.strip()


COMMANDS = {
    "import": "import photobook {kind}://bucket/talks --store {here}/store",
    "store": "import photobook {files} --store {kind}://bucket/store",
    "jobs": "import photobook {kind}://bucket/talks --store {here}/store --jobs 2",
    "check": "check photobook {kind}://bucket/talks",
    "info": "info photobook --store {kind}://bucket/store",
    "sql": "sql select-1 --store {kind}://bucket/store",
    "export": "export csv {here}/out --store {kind}://bucket/store",
    "site": "site {here}/out --store {kind}://bucket/store",
    "serve": "serve --port 0 --store {kind}://bucket/store",
}
HOLDS = {
    "import": "What was in the store before is untouched.",
    "export": "Nothing was written to {here}/out.",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cg.simulate("photobook", tmp_path_factory.mktemp("files"), dialogues=1)


def list_hangs() -> Iterator[tuple[str, str, signal.Signals]]:
    """Each command with each kind of store, and each of those three pairs with each signal."""
    for place, name in enumerate(COMMANDS):
        for kind in ("s3", "gs"):
            yield name, kind, list(CODES)[(place + (kind == "gs")) % 2]


@pytest.mark.parametrize(("name", "kind", "number"), one_in(3, list_hangs()))
def test_an_object_store_that_hangs_keeps_no_command(
    name: str, kind: str, number: signal.Signals, hanging: Hanging, files: Path, tmp_path: Path
) -> None:
    line = COMMANDS[name].split()
    process = start(*(each.format(kind=kind, here=tmp_path, files=files) for each in line))
    assert hanging.asked.wait(PATIENCE_S)
    code, told = end(process, number)
    assert code == CODES[number]
    holds = HOLDS.get(line[0], "").format(here=tmp_path)
    assert told == f"Stopped. {holds}".strip()


@pytest.mark.parametrize("number", CODES, ids=["kill", "Ctrl-C"])
def test_an_upload_that_hangs_keeps_no_command(
    number: signal.Signals,
    objects: ObjectStore,
    files: Path,
) -> None:
    asked = threading.Event()

    def hang(method: str, key: str) -> str | None:
        if method == "PUT" and key.endswith(".parquet"):
            asked.set()
            return "hang"
        return None

    objects.fault = hang
    process = start("import", "photobook", files, "--store", "s3://talks/store")
    assert asked.wait(PATIENCE_S)
    code, told = end(process, number)
    assert (code, told) == (CODES[number], "Stopped. What was in the store before is untouched.")


@pytest.mark.parametrize("place", range(1, 5))
def test_an_archive_that_hangs_keeps_no_command(
    place: int,
    google: ObjectStore,
    files: Path,
    tmp_path: Path,
) -> None:
    with zipfile.ZipFile(google.folder / "talks/more.zip", "w") as archive:
        for path in files.rglob("*.json"):
            archive.write(path, path.relative_to(files))
    asked = threading.Event()
    requests: list[str] = []

    def hang(_method: str, key: str) -> str | None:
        requests.extend([key] if key.endswith(".zip") else [])
        if len(requests) < place:
            return None
        asked.set()
        return "hang"

    google.fault = hang
    process = start("import", "photobook", "gs://talks", "--store", tmp_path / "store")
    assert asked.wait(PATIENCE_S)
    code, told = end(process, signal.SIGTERM)
    # At one place pyarrow lets nobody else run, who could say a word.
    said = "Stopped. What was in the store before is untouched."
    assert (code, told) in ((143, said), (-signal.SIGTERM, ""))


@pytest.mark.parametrize("number", CODES, ids=["kill", "Ctrl-C"])
def test_a_download_that_hangs_keeps_no_command(
    number: signal.Signals, hanging: Hanging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", hanging.address)
    process = start("fetch", "taskmaster3", tmp_path / "files", limit=FILES)
    assert hanging.asked.wait(PATIENCE_S)
    assert end(process, number) == (CODES[number], "Stopped.")


@pytest.mark.parametrize("number", a_few(CODES, (signal.SIGINT,)), ids=["kill", "Ctrl-C"])
def test_a_language_model_that_hangs_keeps_no_command(
    number: signal.Signals, hanging: Hanging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{hanging.address}/v1")
    out = tmp_path / "played"
    process = start("play", "photobook", "--a", "openai/x", "--games", 1, "--out", out)
    assert hanging.asked.wait(PATIENCE_S)
    assert end(process, number) == (CODES[number], f"Stopped. Nothing was written to {out}.")


HALVES = {"head": "GET / HT", "body": "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"}


@pytest.mark.parametrize(
    ("kind", "number", "half"),
    [
        ("explorer", signal.SIGTERM, "head"),
        ("study", signal.SIGINT, "body"),
        pytest.param("explorer", signal.SIGINT, "body", marks=thorough),
        pytest.param("study", signal.SIGTERM, "head", marks=thorough),
    ],
)
def test_half_a_request_keeps_no_server(
    kind: str, number: signal.Signals, half: str, files: Path, tmp_path: Path
) -> None:
    if kind == "explorer":
        cg.import_files("photobook", files, store=tmp_path / "store")
        process = start("serve", "--port", 0, "--store", tmp_path / "store")
    else:
        made = forks.run("collect", "new", "study", "--scenario", "photobook", cwd=tmp_path)
        assert made.returncode == 0
        ports = ("--port", 0, "--monitor-port", 0)
        process = start("collect", "serve", tmp_path / "study", *ports)
    assert process.stdout is not None
    while not (port := re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())):
        assert process.poll() is None
    with socket.create_connection(("127.0.0.1", int(port[1]))) as connection:
        connection.sendall(HALVES[half].encode())
        code, _ = end(process, number)
    # A server that is ended has done its work.
    assert code == (0 if number == signal.SIGTERM else 130)
