"""Commands in processes of their own that need not load what another process has loaded.

A process that has imported commonground is forked for each command, which then starts in some
hundredths of a second of computing instead of half a second or more. Such a command has an id,
streams, signals, a folder and an environment of its own; only what Python reads when it starts (the
language, ``PYTHON...``) is that of the tests. A test of starting itself, or of what a command
loads, runs ``sys.executable`` instead. Scripts find such commands by :func:`find_commands`.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).parents[1]
LOADED = (
    *("duckdb", "jinja2", "numpy", "PIL.Image", "pyarrow.csv", "pyarrow.parquet", "rich.table"),
    *("starlette.applications", "uvicorn", "websockets.asyncio.server"),
    *("commonground.cli", "commonground.corpora", "commonground.exports.run"),
    *("commonground.explorer.server.app", "commonground.play.rooms.serving"),
    *("commonground.play.collect.setup.preparing", "commonground.play.simulating"),
    *("commonground.store.importing", "commonground.store.opening"),
)
"""Modules that most commands load."""

MODELS = ("inspect_ai.model", "openai", "inspect_ai.model._providers.openai_compatible")
"""Modules that commands load, too, that ask a language model; they take seconds of computing."""

SCORING = frozenset({"baseline", "evaluate", "inspect", "report", "report-card"})
"""Commands of scripts that learn or score; ``inspect`` is inspect_ai's own program."""

TO_SCORE = (
    *("commonground.bench.evaluation.baselines.run", "nltk.tokenize.destructive"),
    *("nltk.translate", "scipy.sparse", "sklearn.linear_model", "inspect_ai._cli.main"),
    *("commonground.bench.inspect_tasks", "commonground.bench.inspect_tasks.logs.results"),
)
"""Modules that these load, too."""


class Fork:
    """A command of ours that runs in a process of its own.

    Args:
        words: the command line after ``commonground``.
        cwd: folder that it runs in; None for that of the tests.
        env: its environment; None for that of the tests.
        more: modules that it need not load either, such as :data:`MODELS`.
        stdin, stdout, stderr: files that it reads and writes; None for nothing to read, for a pipe
            that :attr:`stdout` reads, and for the same as ``stdout``.

    Attributes:
        pid: its id.
        stdout: what it prints, where no file was given.
        returncode: its exit status, negative for the signal that ended it; None while it runs.
    """

    def __init__(
        self,
        *words: object,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        more: tuple[str, ...] = (),
        stdin: IO[bytes] | None = None,
        stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
    ) -> None:
        self.returncode: int | None = None
        asked = {
            "words": [os.fsdecode(w) if isinstance(w, bytes) else str(w) for w in words],
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
        }
        reading, writing = os.pipe()
        self.stdout: IO[str] = os.fdopen(reading, encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        out = writing if stdout is None else stdout.fileno()
        streams = [nothing if stdin is None else stdin.fileno(), out]
        streams.append(out if stderr is None else stderr.fileno())
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(start_server(*more))
        data = json.dumps(asked).encode()
        socket.send_fds(self._line, [len(data).to_bytes(4, "big")], streams)
        self._line.sendall(data)
        os.close(nothing)
        os.close(writing)
        self.pid = self._receive()

    def _receive(self) -> int:
        return int.from_bytes(self._line.recv(4, socket.MSG_WAITALL), "big", signed=True)

    def poll(self) -> int | None:
        """Returns the exit status, or None while it runs."""
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for its end and returns the exit status."""
        if self.returncode is None:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("commonground", timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(self._receive())
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run(
    *words: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    more: tuple[str, ...] = (),
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a command of ours to its end; returns its status and what it printed.

    Args:
        words: the command line after ``commonground``.
        cwd: folder that it runs in; None for that of the tests.
        env: its environment; None for that of the tests.
        more: modules that it need not load, such as :data:`MODELS`.
        timeout_s: seconds after which it is killed, and the test fails; None for never.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        fork = Fork(*words, cwd=cwd, env=env, more=more, stdout=out, stderr=err)
        fork.stdout.close()
        try:
            code = fork.wait(timeout_s)
        finally:
            fork.kill()
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode())
    return subprocess.CompletedProcess([str(each) for each in words], code, *said)


_servers: list[subprocess.Popen[bytes]] = []
"""The processes that are forked, which end when nobody holds their standard input any more."""


@cache
def start_server(*more: str) -> str:
    """Starts a process that is forked, which loads some modules more; returns its address."""
    address = str(Path(tempfile.mkdtemp(prefix="forks-")) / "line")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    program = f"from tests.forks import serve; serve({listener.fileno()}, {more!r})"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("COMMONGROUND")}
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=kept,
        stdin=subprocess.PIPE,
        pass_fds=[listener.fileno()],
    )
    _servers.append(server)
    listener.close()
    return address


PROGRAM = """\
#!{python} -IS
import json, os, signal, socket, sys
words = [*{before!r}, *sys.argv[1:]]
line = socket.socket(socket.AF_UNIX)
line.connect({scoring!r} if words and words[0] in {names!r} else {address!r})
asked = {{"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}}
data = json.dumps(asked | {{"bound": True}}).encode()
socket.send_fds(line, [len(data).to_bytes(4, "big")], [0, 1, 2])
line.sendall(data)
receive = lambda: int.from_bytes(line.recv(4, socket.MSG_WAITALL), "big", signed=True)
process = receive()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: os.kill(process, number))
code = os.waitstatus_to_exitcode(receive())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""
"""A command that has another process do what it is asked, and ends as that does."""


@cache
def find_commands() -> str:
    """Returns a search path of programs on which ``commonground`` and ``inspect`` are forks."""
    folder = Path(start_server()).parent / "bin"
    folder.mkdir()
    for name, before in (("commonground", []), ("inspect", ["inspect"])):
        program = folder / name
        program.write_text(
            PROGRAM.format(
                python=sys.executable,
                before=before,
                names=sorted(SCORING),
                address=start_server(),
                scoring=start_server(*TO_SCORE),
            )
        )
        program.chmod(0o755)
    return os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"]))


def serve(number: int, more: tuple[str, ...]) -> NoReturn:
    """Forks itself for each command.

    Args:
        number: of the socket that commands come by.
        more: modules that it loads beside those that most commands do.
    """
    listener = socket.socket(fileno=number)
    if more:  # what takes long is loaded only for who asks for it
        _wait_for_line(listener)
    for name in (*LOADED, *more):
        importlib.import_module(name)
    gc.freeze()  # what was loaded is not looked through again in each fork
    os.fsync = lambda fd: None  # noqa: ARG005 - nobody cuts the power of these commands
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        _wait_for_line(listener)
        line, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _watch(line)
        line.close()


def _wait_for_line(listener: socket.socket) -> None:
    """Waits until a command is asked for, and ends when nobody is there any more to ask."""
    ready, _, _ = select.select([listener.fileno(), 0], [], [])
    if 0 in ready:
        shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)
        os._exit(0)


def _watch(line: socket.socket) -> NoReturn:
    """Runs what a line asks for in a fork, and tells the line its id and status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(line, 4, 3)
    asked = json.loads(line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    process = os.fork()
    if process == 0:
        line.close()
        _become(asked, streams)
        _run()
    for each in streams:
        os.close(each)
    line.sendall(process.to_bytes(4, "big"))
    ended = os.pidfd_open(process)
    # Who was killed cannot say so: what ran for it is killed, too.
    if asked.get("bound") and ended not in select.select([line.fileno(), ended], [], [])[0]:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    with suppress(OSError):  # nobody waits for it any more
        line.sendall(status.to_bytes(4, "big"))
    os._exit(0)


def _become(asked: dict[str, Any], streams: list[int]) -> None:
    """Makes this process one that a shell would have started."""
    corpora = importlib.import_module("commonground.corpora")
    for number, each in enumerate(streams):
        os.dup2(each, number)
    for each in set(streams):
        os.close(each)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    own = os.environ.get("COMMONGROUND_CORPORA", "").split(os.pathsep)
    corpora.__path__.extend(filter(None, own))
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.argv = ["commonground", *asked["words"]]


def _run() -> NoReturn:
    """Runs the command and ends as Python does, but that what was loaded is not taken apart."""
    main = importlib.import_module("commonground.cli").main
    if sys.argv[1:2] == ["inspect"]:
        del sys.argv[0]
        main = importlib.import_module("inspect_ai._cli.main").main
    code: Any = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
