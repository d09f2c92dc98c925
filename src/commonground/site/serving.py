"""Serving the explorer: an address of this machine, and a token where others can reach it."""

from __future__ import annotations

import gc
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import uvicorn

from commonground.errors import CommongroundError, StoreError
from commonground.site.app import create_app
from commonground.site.crew import THRESHOLD, Crew
from commonground.site.guard import LOOPBACK, Rules, is_loopback
from commonground.site.library import Library
from commonground.site.renewing import Renewer

TOKEN_BYTES = 24
ENDING_S = 5.0
"""Seconds that the end of serving waits for what goes on behind."""

BACKLOG = 128
"""Connections that may wait to be taken."""


class Serving(msgspec.Struct, frozen=True):
    """Where the explorer is served.

    Attributes:
        host: address it listens at.
        port: port it listens at.
        token: what readers must know; null where nobody need know anything.
    """

    host: str
    port: int
    token: str | None

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        anywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what the user asked for
        host = anywhere.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{self.port}/{query}"


def plan_serving(host: str, port: int, token: str | None) -> Serving:
    """Decides on a token: without one, nobody but this machine may reach the explorer."""
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


def serve(
    library: Library, serving: Serving, ready: Callable[[str], None], *, workers: int = 1
) -> None:
    """Serves until stopped.

    Args:
        library: the corpora.
        serving: where.
        ready: told the address once the server listens.
        workers: processes that make pages; with 1 the one that listens makes them.

    Raises:
        CommongroundError: the address is taken, or the file of results cannot be read.
    """
    crew = Crew(library.plan(), workers) if workers > 1 else None
    application = create_app(library, rules_of(serving), crew=crew)
    listener = _listen(serving)
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        application, log_level="warning", access_log=False, server_header=False, lifespan="off"
    )
    ended = threading.Event()
    behind = threading.Thread(target=_get_ready, args=(library, crew, ended), daemon=True)
    behind.start()
    # What ends the process from outside is to be tidied up after, too.
    signal.signal(signal.SIGTERM, _end)
    ready(msgspec.structs.replace(serving, port=port).address)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        ended.set()
        behind.join(ENDING_S)
        if crew is not None:
            crew.close()
        gc.unfreeze()  # or DuckDB complains at the end of what was never let go


def _end(_signal: int, _frame: object) -> None:
    raise SystemExit(0)


def _get_ready(library: Library, crew: Crew | None, ended: threading.Event) -> None:
    """Opens what the first pages need, starts the crew, and then watches for new imports."""
    for shelf in library.shelves.values():
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            shelf.warm_up()
    gc.freeze()  # what is open stays open, and need not be looked through again and again
    gc.set_threshold(THRESHOLD)
    renewer = Renewer(library, makes=True)
    if crew is not None and not ended.is_set():
        crew.start()
    renewer.watch(ended)


def _listen(serving: Serving) -> socket.socket:
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    # The protocol is named so that asyncio sends small answers at once; else each may wait 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((serving.host, serving.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise StoreError(
            f"{serving.host}:{serving.port} cannot be listened at: {error.strerror or error}.",
            "Choose another with --port, or --port 0 for any that is free.",
        ) from error
    return listener


def parse_images(given: tuple[str, ...]) -> dict[str, Path]:
    """Reads ``CORPUS=FOLDER`` options.

    Raises:
        StoreError: one is not of that form, or its folder is not there.
    """
    folders = {}
    for each in given:
        corpus, equals, folder = each.partition("=")
        if not equals or not Path(folder).is_dir():
            advice = "Write --images CORPUS=FOLDER, with a folder that is there."
            raise StoreError(f"{each!r} names no image folder of a corpus.", advice)
        folders[corpus] = Path(folder)
    return folders
