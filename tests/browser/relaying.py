"""A line to a server that dies without a word to either side, as when a cable is pulled."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial

_BLOCK = 1 << 16


class Relay:
    """Passes on what comes, but while it is dead: then it keeps all of it, and nobody is told.

    Args:
        port: of the server on this machine.
        end: calls something when the relay is to end.

    Attributes:
        address: that leads to the server by this line.
    """

    def __init__(self, port: int, end: ExitStack) -> None:
        self._port = port
        self._alive = threading.Event()
        self._alive.set()
        self._end = end
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._start(self._accept)
        end.callback(self._alive.set)
        end.callback(self._close, self._listener)

    def kill(self) -> None:
        """Lets nothing through from now on."""
        self._alive.clear()

    def revive(self) -> None:
        """Lets everything through again, first what came meanwhile."""
        self._alive.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._end.callback(self._close, near)
                self._end.callback(self._close, far)
                for one, other in ((near, far), (far, near)):
                    self._start(partial(self._pass_on, one, other))

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(_BLOCK):
                self._alive.wait()
                other.sendall(data)
        with suppress(OSError):
            self._alive.wait()
            other.shutdown(socket.SHUT_WR)

    def _close(self, each: socket.socket) -> None:
        with suppress(OSError):
            # Wakes whoever waits for it, as closing it does not.
            each.shutdown(socket.SHUT_RDWR)
        each.close()

    def _start(self, job: Callable[[], None]) -> None:
        threading.Thread(target=job, daemon=True).start()
