"""Serving a study: participants at one port, the monitor at another, one process."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import closing
from typing import Any

import msgspec
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from commonground.explorer.web.guard import Guard, Rules, is_loopback
from commonground.explorer.web.headers import AddHeaders, page_headers
from commonground.explorer.web.listening import (
    Serving,
    exit_on_sigterm,
    listen,
    make_config,
    rules_of,
)
from commonground.play.collect.erasing import UnfinishedError, end_sessions, finish_erasing
from commonground.play.collect.identities import Identities
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.log import EventLog
from commonground.play.collect.setup.study import Study
from commonground.play.rooms.app import Counter, create_app, make_headers
from commonground.play.rooms.desk import Desk
from commonground.play.rooms.forgetting import Forgetting
from commonground.play.rooms.monitor import Monitor, create_monitor
from commonground.play.rooms.paying import AtProlific
from commonground.play.rooms.players.model_seats import ModelSeats
from commonground.play.rooms.preflight import require_ready
from commonground.play.rooms.rendering import Rooms

THRESHOLD = 20_000
"""Objects that are made before Python looks for garbage among them."""

COMMAND = "commonground collect serve"


class Addresses(msgspec.Struct, frozen=True):
    """Where a study is served, and what is left of people whose erasing was ordered, if any."""

    participants: str
    monitor: str
    unfinished: str | None = None


def serve_study(
    study: Study,
    serving: Serving,
    watching: Serving,
    ready: Callable[[Addresses], None],
    *,
    hosts: frozenset[str] = frozenset(),
) -> None:
    """Serves a study until stopped.

    Args:
        serving: where participants come to.
        watching: where the monitor is; it has a token.
        ready: called with the addresses once the server listens.
        hosts: further names that participants may call the server by.

    Raises:
        CommongroundError: a port is taken, the study is served already, a file of it cannot be
            used, or its pictures were changed; others than this machine are to reach it and it is
            not ready for them; also when the log cannot be written any more.
    """
    rooms = Rooms(study)
    study.require_pictures()
    if hosts or not is_loopback(serving.host):
        require_ready(study)
    with (
        study.lock(),
        closing(study.open_log(write=True)) as log,
        closing(study.open_identities()) as identities,
    ):
        unfinished = _finish_orders(study, log, identities)
        hall = restore_hall(study, log, identities.receipt)
        desk = Desk(hall, log)
        forgetting = Forgetting(study, desk, identities, unfinished)
        models = ModelSeats(desk, study) if study.settings.models is not None else None
        app = _make_app(rooms, desk, identities, forgetting, serving, watching, hosts)
        listeners = [listen(serving)]
        try:
            listeners.append(listen(watching))
            ports = [each.getsockname()[1] for each in listeners]
            app.monitor_port = ports[1]
            exit_on_sigterm()
            addresses = [
                msgspec.structs.replace(where, port=port).address
                for where, port in zip((serving, watching), ports, strict=True)
            ]
            addresses_told = Addresses(addresses[0], addresses[1], unfinished)
            asyncio.run(
                _run(app, desk, forgetting, models, listeners, lambda: ready(addresses_told))
            )
        finally:
            for listener in listeners:
                listener.close()
    if desk.failure is not None:
        raise desk.failure


def _finish_orders(study: Study, log: EventLog, identities: Identities) -> str | None:
    """Goes on with erasing that was broken off, and returns what is left, in words."""
    end_sessions(study, log)
    try:
        finish_erasing(study, identities)
    except UnfinishedError as error:
        return str(error)
    return None


class _Doors:
    """Two applications in one server, told apart by the port that a request came to."""

    def __init__(self, rooms: ASGIApp, monitor: ASGIApp) -> None:
        self._rooms = rooms
        self._monitor = monitor
        self.monitor_port = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        server: Any = scope.get("server") or ("", 0)
        door = self._monitor if server[1] == self.monitor_port else self._rooms
        await door(scope, receive, send)


def _make_app(
    rooms: Rooms,
    desk: Desk,
    identities: Identities,
    forgetting: Forgetting,
    serving: Serving,
    watching: Serving,
    hosts: frozenset[str],
) -> _Doors:
    mturk = rooms.study.settings.recruiting.mturk
    pages = create_app(Counter(rooms, desk, identities, forgetting))
    own = rules_of(serving)
    rules = Rules(own.hosts | hosts, own.addresses, None, COMMAND, framed=mturk)
    prolific = AtProlific(rooms.study, desk, identities)
    monitor = create_monitor(Monitor(rooms, desk, forgetting, prolific))
    watched = msgspec.structs.replace(rules_of(watching), command=COMMAND)
    headers = {**page_headers(form_action="'none'"), "x-frame-options": "DENY"}
    return _Doors(
        AddHeaders(Guard(pages, rules), make_headers(mturk=mturk)),
        AddHeaders(Guard(monitor, watched), headers),
    )


async def _run(
    app: ASGIApp,
    desk: Desk,
    forgetting: Forgetting,
    models: ModelSeats | None,
    listeners: list[Any],
    ready: Callable[[], None],
) -> None:
    config = make_config(
        app,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=65_536,
        # Messages are small: compressing them takes longer than sending them.
        ws_per_message_deflate=False,
        # Heartbeats are our own: a person counts as there when the page answers.
        ws_ping_interval=None,
    )
    server = uvicorn.Server(config)

    def stop() -> None:
        server.should_exit = True

    # What was read stays; looking through it again and again would hold acts up for 100 ms.
    gc.collect()
    gc.freeze()
    gc.set_threshold(THRESHOLD)
    writing = asyncio.create_task(desk.run(stop))
    erasing = asyncio.create_task(forgetting.run())
    playing = asyncio.create_task(models.run()) if models is not None else None
    asyncio.get_running_loop().call_soon(ready)
    try:
        await server.serve(sockets=listeners)
    finally:
        erasing.cancel()
        if playing is not None:
            playing.cancel()
        if desk.failure is None and desk.stuck is None:
            await desk.idle()
        writing.cancel()
        gc.unfreeze()
