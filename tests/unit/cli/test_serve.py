"""``commonground serve`` and ``commonground site`` on the toy corpus."""

# ruff: noqa: S310 - only addresses of this machine are opened
from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.thorough import a_few, thorough

from commonground.cli import main
from commonground.play.simulating import simulate_corpus
from commonground.store.importing.summary import ImportSummary

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary], tmp_path: Path
) -> Path:
    import_toy(write_talks({"t1": ["one <b>bold</b> word"], "t2": ["two"]}))
    return tmp_path / "store"


@pytest.fixture
def run(store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["commonground", *words, "--store", str(store)])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0), *capsys.readouterr()

    return call


def test_a_site_is_written_and_named(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "site"
    code, printed, _ = run("site", str(out), "--jobs", "1")
    assert (code, "2 dialogues" in printed) == (0, True)
    assert (out / "toy" / "d" / "t1.html").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--corpus", "nosuch"], "is not in the store"),
        (["--dialogues", "scor:3"], "no field"),
        (["--images", "toy=/no/such/folder"], "names no image folder"),
        (["--images", "nosuch=."], "'nosuch' is not in the store"),
    ],
)
def test_wrong_options_say_what_to_do(
    run: Run, tmp_path: Path, words: list[str], says: str
) -> None:
    code, _, errors = run("site", str(tmp_path / "site"), *words)
    assert code in (1, 2)
    assert says in errors


def test_no_secret_stands_on_a_command_line(run: Run) -> None:
    code, _, errors = run("serve", "--token", "abc")
    assert (code, "No such option" in errors) == (2, True)


def test_a_taken_port_is_an_error(run: Run) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, errors = run("serve", "--port", str(taken.getsockname()[1]))
    assert (code, "--port" in errors) == (1, True)


def test_the_server_answers_and_ends(tmp_path_factory: pytest.TempPathFactory) -> None:
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    files, store = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("store")
    simulate_corpus(get_corpus("frames"), files, dialogues=2, seed=1)
    import_corpus(get_corpus("frames"), [files], store=store, jobs=1)
    code = "from commonground.cli import main; main()"
    words = [sys.executable, "-c", code, "serve", "--port", "0"]
    process = subprocess.Popen(
        [*words, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COMMONGROUND_TOKEN": "abc"},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found is not None
        asked = urllib.request.Request(found[0], headers={"Authorization": "Bearer abc"})
        with urllib.request.urlopen(asked, timeout=300) as answer:
            assert b"Corpora" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(found[0], timeout=300)
        refused.value.close()
    finally:
        process.terminate()
        process.communicate(timeout=300)


Start = Callable[[str], "subprocess.Popen[str]"]
ON_UNIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@pytest.fixture
def start(store: Path) -> Iterator[Start]:
    """Serves with so many workers, in a process group of its own as that of a terminal."""
    # What a shell has started in the background ignores Ctrl-C.
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = f"{handled}from commonground.cli import main; main()"
    started: list[subprocess.Popen[str]] = []

    def run(workers: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", code, "serve", "--port", "0", "--workers", workers]
        process = subprocess.Popen(
            [*words, "--store", str(store)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COMMONGROUND_CORPORA": str(Path(__file__).parents[2] / "corpora")},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for each in started:
        with suppress(ProcessLookupError):
            os.killpg(each.pid, signal.SIGKILL)
        each.communicate()


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    found = re.search(r"http://[^/]+", process.stdout.readline())
    assert found is not None
    return found[0]


def is_answered(address: str) -> bool:
    with urllib.request.urlopen(f"{address}/", timeout=300) as answer:
        status: int = answer.status
        return status == 200


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """Ends a server as `kill` or Ctrl-C do; returns its exit code and what it said."""
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    # A process of the crew that went on would hold the pipes open.
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors.strip()


@thorough
@ON_UNIX
@pytest.mark.parametrize("workers", a_few(["1", "2"], "2"))
def test_what_ends_it_from_outside_leaves_nothing_running(start: Start, workers: str) -> None:
    process = start(workers)
    address = address_of(process)
    assert is_answered(address)
    assert end(process, signal.SIGTERM) == (0, "")
    with pytest.raises(urllib.error.URLError, match="refused"):
        is_answered(address)


@ON_UNIX
@pytest.mark.parametrize("workers", a_few(["1", "2"], ["1"]))
def test_it_ends_before_it_answers(start: Start, workers: str) -> None:
    process = start(workers)
    address_of(process)
    assert end(process, signal.SIGINT) == (130, "Stopped.")


@ON_UNIX
@pytest.mark.parametrize("workers", a_few(["1", "2"], "2"))
def test_it_ends_while_a_query_runs(start: Start, workers: str) -> None:
    process = start(workers)
    address = address_of(process)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(ask_for_long, address)
        assert is_answered(address)
        assert end(process, signal.SIGINT) == (130, "Stopped.")
    with pytest.raises(urllib.error.URLError, match="refused"):
        is_answered(address)


def ask_for_long(address: str) -> None:
    """Asks what is answered only by an error, if at all."""
    query = quote("SELECT length(repeat('x', 1000000000)) FROM range(40)")
    try:
        urllib.request.urlopen(f"{address}/sql.json?q={query}", timeout=300).close()
    except urllib.error.HTTPError as refused:
        refused.close()
    except OSError:
        pass
