"""Connections that ask for nothing are closed, and keep nobody from being answered."""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.conftest import import_talks
from tests.thorough import a_few, thorough

REQUEST_S = 2.0
SERVE = f"""
import commonground.explorer.web.listening as listening
listening.REQUEST_S = {REQUEST_S}
from commonground.cli import main
main()
"""
BEGUN = (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b\r\n")
HEAD = b"GET / HTTP/1.1\r\n"
BODY = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nabc"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("half-open")
    import_talks(folder, {"t1": ["one"]})
    environment = os.environ | {"COMMONGROUND_CORPORA": str(Path(__file__).parents[2] / "corpora")}
    words = [sys.executable, "-c", SERVE, "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(
        [*words, "--store", str(folder / "store")],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        yield int(found[1])
        process.terminate()


def ask(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=300) as answer:
        status: int = answer.status
        return status


def wait_for_end(opened: list[socket.socket], within_s: float) -> list[socket.socket]:
    """Returns those that the server has not closed by then."""
    last = time.monotonic() + within_s
    left = {each.fileno(): each for each in opened}
    poll = select.poll()
    for number in left:
        poll.register(number, select.POLLIN)
    while left and time.monotonic() < last:
        for number, _ in poll.poll(200):
            try:
                ended = left[number].recv(1 << 12) == b""
            except ConnectionError:
                ended = True
            if ended:
                poll.unregister(number)
                del left[number]
    return list(left.values())


def test_half_open_requests_are_cut_off(port: int) -> None:
    with ExitStack() as stack:
        opened = []
        for number in range(500):
            each = stack.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            each.sendall(BEGUN[number % len(BEGUN)])
            opened.append(each)
        assert ask(port) == 200  # while all the others wait
        assert wait_for_end(opened, REQUEST_S + 20) == []
    assert ask(port) == 200


def drip(slow: socket.socket, until: float) -> bool:
    """Sends a byte now and then; returns whether all of them were taken."""
    try:
        while time.monotonic() < until:
            slow.sendall(b"X")
            time.sleep(0.1)
    except OSError:
        return False
    return True


@thorough
@pytest.mark.parametrize("start", a_few([HEAD, BODY], [BODY]), ids=["head", "body"])
def test_dripping_does_not_help(port: int, start: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), 30) as slow:
        slow.sendall(start)
        assert drip(slow, until=time.monotonic() + 20) is False


@thorough
def test_a_second_request_is_waited_for_no_longer_than_the_first(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 30) as kept:
        kept.sendall(b"GET /nosuch HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert kept.recv(1 << 16).startswith(b"HTTP/1.1 404")
        kept.sendall(b"GET / HT")
        assert wait_for_end([kept], REQUEST_S + 20) == []


def test_a_connection_that_is_used_stays(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/")
    connection.getresponse().read()
    mine = connection.sock
    until = time.monotonic() + REQUEST_S + 1
    while time.monotonic() < until:
        connection.request("GET", "/nosuch")
        assert connection.getresponse().read()
        time.sleep(0.3)
    assert connection.sock is mine
    connection.close()
