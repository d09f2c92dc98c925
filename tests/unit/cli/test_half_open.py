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
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.conftest import import_talks
from tests.thorough import a_few, thorough

REQUEST_S = 2.0
PATIENCE_S = 300.0
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
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
        status: int = answer.status
        return status


def wait_for_end(opened: list[socket.socket]) -> list[socket.socket]:
    """Returns those that the server never closes."""
    last = time.monotonic() + PATIENCE_S
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
            each = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
            each.sendall(BEGUN[number % len(BEGUN)])
            opened.append(each)
        assert ask(port) == 200  # while all the others wait
        assert wait_for_end(opened) == []
    assert ask(port) == 200


def drip(slow: socket.socket) -> bool:
    """Sends a byte now and then; returns whether all of them are taken."""
    until = time.monotonic() + PATIENCE_S
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
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as slow:
        slow.sendall(start)
        assert drip(slow) is False


@thorough
def test_a_second_request_is_waited_for_no_longer_than_the_first(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as kept:
        kept.sendall(b"GET /nosuch HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert kept.recv(1 << 16).startswith(b"HTTP/1.1 404")
        kept.sendall(b"GET / HT")
        assert wait_for_end([kept]) == []


def use(port: int) -> tuple[bool, float]:
    """Asks again and again, for longer than one request may take.

    Returns:
        whether the connection stayed, and the longest time between two requests in seconds.
    """
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        connection.request("GET", "/")
        connection.getresponse().read()
        mine, longest_s = connection.sock, 0.0
        began_s = last_s = time.monotonic()
        while last_s < began_s + REQUEST_S + 1:
            time.sleep(0.3)
            connection.request("GET", "/nosuch")
            assert connection.getresponse().read()
            now_s = time.monotonic()
            longest_s, last_s = max(longest_s, now_s - last_s), now_s
        return connection.sock is mine, longest_s


def test_a_connection_that_is_used_stays(port: int) -> None:
    stayed, longest_s = use(port)
    while not stayed:
        # Only a machine too busy to ask in time is asked once more.
        assert longest_s >= REQUEST_S
        stayed, longest_s = use(port)
