"""Where a server listens, with a token where others can reach it; its processes and their end."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import msgspec
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import SIGNALS, Process

from commonground.engines.processes import without_interrupts
from commonground.errors import StoreError
from commonground.explorer.web.guard import LOOPBACK, Rules, is_loopback
from commonground.printing import make_visible

# 192 bits cannot be guessed, and are 32 characters of an address.
TOKEN_BYTES = 24

BACKLOG = 128
"""Connections that may wait to be taken."""

REQUEST_S = 10.0
"""Seconds in which a request must have arrived, from its connection or its first byte on."""


class ImpatientProtocol(H11Protocol):
    """Closes connections whose request does not arrive: they are dead, or meant to block others.

    Between two requests of a connection nothing needs to be done: uvicorn closes it when nothing
    comes for some seconds. But it stops waiting with the first byte that comes.
    """

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: D102 - as its base
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:  # noqa: D102
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._stop_waiting()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Waits for the rest of a request, or no longer: a page may take its time."""
        now = self.cycle
        is_socket = self.transport.get_protocol() is not self  # it was handed on, and stays open
        if is_socket or (now is not None and not now.response_complete and not now.more_body):
            self._stop_waiting()
        elif self._closing is None:
            self._closing = self.loop.call_later(REQUEST_S, self._close)

    def _stop_waiting(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close(self) -> None:
        self._closing = None
        # Not ``close``, which would wait until a peer that is silent has taken what was sent.
        self.transport.abort()


_ANYWHERE = {
    # What the user asked for; then its loopback address and one of those kept for documentation.
    "0.0.0.0": (socket.AF_INET, "127.0.0.1", "192.0.2.1"),  # noqa: S104
    "::": (socket.AF_INET6, "::1", "2001:db8::1"),
}


def find_outward(host: str) -> str:
    """Returns the address by which other machines reach this one, which listens at all it has.

    The system is asked from where it would send; nothing is sent.

    Args:
        host: ``0.0.0.0`` or ``::``.

    Returns:
        the address in numbers; that of this machine alone where it is in no network.
    """
    family, alone, elsewhere = _ANYWHERE[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            # To connect a datagram socket chooses its own address and sends no packet.
            asked.connect((elsewhere, 9))
            return str(asked.getsockname()[0])
    except OSError:
        return alone


class Serving(msgspec.Struct, frozen=True):
    """Where something is served; with a token, readers must know it."""

    host: str
    port: int
    token: str | None

    @property
    def address(self) -> str:
        """The address to open in a browser, on this machine or on those that can reach it."""
        host = find_outward(self.host) if self.host in _ANYWHERE else self.host
        host = f"[{host}]" if ":" in host else host
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{self.port}/{query}"


def plan_serving(host: str, port: int, token: str | None) -> Serving:
    """Decides on a token: without one, nobody but this machine may reach the server.

    Args:
        port: port to listen at; 0 for any that is free.
        token: what readers must know; None for none, or one that is made up where other machines
            can reach the address.
    """
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(TOKEN_BYTES)
    return Serving(host, port, token)


def rules_of(serving: Serving) -> Rules:
    """Returns what the guard lets through."""
    hosts = {serving.host.lower()}
    if is_loopback(serving.host):
        return Rules(hosts=frozenset({*hosts, *LOOPBACK}), token=serving.token)
    hosts.update((*LOOPBACK, socket.gethostname().lower(), socket.getfqdn().lower()))
    return Rules(hosts=frozenset(hosts), addresses=True, token=serving.token)


def listen(serving: Serving) -> socket.socket:
    """Opens the socket that a server listens at.

    Raises:
        StoreError: the address is taken, or is none of this machine.
    """
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    # The protocol is named so that asyncio sends small answers at once; else each may wait 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # So a server can start again at once; on Windows the option would let two take one
            # port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((serving.host, serving.port))
        listener.listen(BACKLOG)
    except (OSError, TypeError, UnicodeError) as error:  # the latter where a name is no name
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise StoreError(
            f"Cannot listen on {serving.host}:{serving.port}: {reason}.",
            "Choose another with --port, or --port 0 for any free one.",
        ) from error
    return listener


MOST_WORKERS = 4
"""Processes that are started where nobody says how many."""

GRACE_S = 2
"""Seconds that browsers have to end their requests when a server stops."""

PING_S = 60
"""Seconds in which a process must show that it is alive; a busy machine lets it wait for long."""


PAUSE_S = 0.1
"""Seconds between two looks whether processes have started."""


def count_workers() -> int:
    """Returns how many processes fit this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


class VisibleFormatter(logging.Formatter):
    """Makes visible what a terminal would obey: what went wrong may quote any text."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the lines of a record."""
        return make_visible(super().format(record))


class CutOffFilter(logging.Filter):
    """Keeps back that a server that ends has cut requests off: whoever ended it wanted that."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tells whether a record is to be written."""
        kind = record.exc_info[0] if record.exc_info else None
        is_cut_off = kind is not None and issubclass(kind, asyncio.CancelledError)
        return not is_cut_off and "graceful shutdown exceeded" not in record.msg


_LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"default": {"()": VisibleFormatter, "fmt": "%(levelname)s: %(message)s"}},
    "filters": {"default": {"()": CutOffFilter}},
    "handlers": {
        "default": {
            "class": "logging.StreamHandler",
            "formatter": "default",
            "filters": ["default"],
        }
    },
    "loggers": {"uvicorn": {"handlers": ["default"], "level": "WARNING", "propagate": False}},
}


def make_config(app: ASGIApp | Callable[[], ASGIApp], **options: Any) -> uvicorn.Config:
    """Configures a server of ours: quiet, without a name, and not to be blocked by slow requests.

    Args:
        app: that answers; or what makes it, with the option ``factory``.
        options: further ones of ``uvicorn.Config``.
    """
    return uvicorn.Config(
        app,
        http=ImpatientProtocol,
        log_config=_LOGGING,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        **options,
    )


def run_server(
    open_app: Callable[[], ASGIApp],
    listener: socket.socket,
    ready: Callable[[], None],
    *,
    workers: int,
    background: Callable[[], None],
) -> None:
    """Serves an application until stopped.

    Args:
        open_app: makes the application, in each process; pickled, so a function of a module or a
            ``partial`` of one.
        ready: called once whoever connects is answered, if with some delay.
        workers: processes that answer; with 1 this one does.
        background: called once those processes have started, to begin what they need not wait for.
    """
    config = make_config(open_app, factory=True, workers=workers, timeout_worker_healthcheck=PING_S)
    if workers == 1:
        _Alone(config, ready, background).run(sockets=[listener])
        return
    crew = _Crew(config, [listener], background)
    ready()
    crew.run()
    if crew.is_interrupted:
        raise KeyboardInterrupt


class _Alone(uvicorn.Server):
    """A server that tells others once it listens: only then it knows how to end."""

    def __init__(self, config: uvicorn.Config, *told: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in self._told:
            each()


class _Crew(Multiprocess):
    """Processes that answer, each started again when it ends.

    Args:
        background: called once they have started.

    Attributes:
        is_interrupted: whether Ctrl-C ended them.
    """

    is_interrupted = False

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], background: Callable[[], None]
    ) -> None:
        self._background = background
        before = {number: signal.getsignal(number) for number in SIGNALS}
        super().__init__(config, sockets)
        # A terminal that is closed ends the server; uvicorn would start its processes again.
        for number in before.keys() - {signal.SIGINT, signal.SIGTERM}:
            signal.signal(number, before[number] or signal.SIG_DFL)

    # Ctrl-C reaches every process of a terminal. The processes learn of it from this one alone:
    # while they start they would not know how to end.

    def init_processes(self) -> None:
        with without_interrupts():
            super().init_processes()
        # Ctrl-C ends the waiting, too.
        while not self.signal_queue and any(map(_is_starting, self.processes)):
            time.sleep(PAUSE_S)
        self._background()

    def keep_subprocess_alive(self) -> None:
        with without_interrupts():
            super().keep_subprocess_alive()

    def handle_int(self) -> None:
        self.is_interrupted = True
        super().handle_int()


def _is_starting(process: Process) -> bool:
    return process.process.is_alive() and not process.is_ready(PAUSE_S)


def exit_on_sigterm() -> None:
    """Has SIGTERM end the process as any exit does, so that it tidies up after itself."""
    signal.signal(signal.SIGTERM, _exit)


def _exit(_signal: int, _frame: object) -> None:
    raise SystemExit(0)
