"""A study that is really served: a process of its own, its address, and people as sockets."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.forks import Fork
from websockets.sync.client import connect

from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import open_study

COMMAND = "from commonground.cli import main; main()"
PATIENCE_S = 120
_NUMBERS = count()


def start(
    words: tuple[str, ...],
    code: str,
    program: tuple[Path, dict[str, str]] | None,
    more: tuple[str, ...],
) -> Fork | subprocess.Popen[str]:
    """Starts a command; a process of its own is only begun for what is not the command itself."""
    if program is None and code == COMMAND:
        return Fork(*words, more=more)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", code, *words] if program is None else [str(program[0]), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment if program is None else program[1],
        # A shell that runs the tests in its background lets them ignore Ctrl-C.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


class Server:
    """A study being served by a process.

    Args:
        folder: of the study.
        port: that it was given before; 0 for a free one.
        code: what the process runs.
        program: that serves it instead, with its environment; null for this Python.
        more: modules that the process need not load, such as those of models.
    """

    def __init__(
        self,
        folder: Path,
        port: int = 0,
        code: str = COMMAND,
        program: tuple[Path, dict[str, str]] | None = None,
        more: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder
        words = ("collect", "serve", str(folder), "--port", str(port), "--monitor-port", "0")
        self.process = start(words, code, program, more)
        assert self.process.stdout is not None
        said = [self.process.stdout.readline() for _ in range(2)]
        found = [re.search(r"http://\S+", line) for line in said]
        assert all(found), said + self.process.stdout.readlines()
        self.address, self.monitor = (match[0].rstrip("/") for match in found if match)
        self.port = int(self.address.rpartition(":")[2])
        self.guests: list[Any] = []

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ends it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        for guest in self.guests:
            guest.close()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Line:
    """Somebody's browser, as far as the server can tell.

    Args:
        server: that is talked to.
        token: of the person.
    """

    def __init__(self, server: Server, token: str) -> None:
        self.token = token
        self.game: Any = None
        server.guests.append(self)
        self._open = ExitStack()
        address = f"ws://127.0.0.1:{server.port}/talk"
        self.socket = self._open.enter_context(
            connect(address, ping_interval=None, open_timeout=PATIENCE_S)
        )
        self.tell("hello", token=token, last_seq=0)

    def tell(self, kind: str, /, **fields: Any) -> None:
        self.socket.send(msgspec.json.encode({kind: fields}).decode())

    def hear(self, *kinds: str) -> dict[str, Any]:
        """Waits for a message of one of some kinds; pings are answered meanwhile."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            (kind, fields), *_ = msgspec.json.decode(self.socket.recv(PATIENCE_S)).items()
            if kind == "ping":
                self.tell("pong")
            if kind in kinds:
                return {"type": kind, **fields}
        raise AssertionError(f"no {kinds} came")

    def act(
        self, kind: str, in_round: int | None = 1, msg_id: str = "", **payload: Any
    ) -> dict[str, Any]:
        msg_id = msg_id or f"act-{next(_NUMBERS)}"
        self.tell("act", client_msg_id=msg_id, type=kind, payload=payload, round=in_round)
        return self.hear("ack", "reject", "ended", "stage")

    def close(self) -> None:
        self._open.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that nobody has taken part in, whose games begin without a click."""
    folder = tmp_path_factory.mktemp("studies") / "pilot"
    prepare_study(folder, "photobook", material=None, languages=("en", "de"))
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert "ready_click = true" in text
    path.write_text(text.replace("ready_click = true", "ready_click = false"), encoding="utf-8")
    return folder


@pytest.fixture
def study(template: Path, tmp_path: Path) -> Path:
    """A fresh study, the same for each test."""
    return Path(shutil.copytree(template, tmp_path / "pilot"))


@pytest.fixture
def serve(study: Path) -> Iterator[Callable[..., Server]]:
    """Serves the study; whatever still runs at the end is ended."""
    running: list[Server] = []

    def run(port: int = 0, code: str = COMMAND) -> Server:
        server = Server(study, port, code)
        running.append(server)
        return server

    yield run
    for server in running:
        server.close()


def seat_people(study: Path, games: int) -> list[str]:
    """Writes a log in which so many games are under way; returns the tokens, pair by pair."""
    opened = open_study(study)
    log, identities = opened.open_log(write=True), Identities(opened.identities_path)
    hall = restore_hall(opened, log, identities.receipt)
    now_us, tokens = time.time_ns() // 1000, []
    for number in range(2 * games):
        identity = Identity("plain", f"person {number}")
        pid = identities.pseudonym(identity)
        identities.remember(pid, identity)
        tokens.append(identities.token(pid))
        done = [
            hall.do(now_us, hall.arrive, pid, language="en", platform="plain"),
            hall.do(now_us, hall.consent, pid, version="1", digest="d"),
            hall.do(now_us, hall.answer_quiz, pid, answers=[1], right=True),
            hall.do(now_us, hall.get_ready, pid),
            hall.do(now_us, hall.presence.connect, pid, number + 1),
            hall.do(now_us, hall.tick),
        ]
        log.append([event for effects in done for event in effects.events])
    assert len(hall.ledger.sessions) == games
    log.close()
    identities.close()
    return tokens
