"""The socket between a browser and the desk: messages of JSON, ``{name: {fields}}``.

From the browser come ``hello``, ``act``, ``typing``, ``signal`` and ``pong``; to it go
``welcome``, ``event``, ``ack``, ``reject``, ``warning``, ``ping``, ``stage``, ``stuck``, ``lost``,
``superseded`` and ``ended``.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from commonground.errors import UsageError
from commonground.play.collect.identities import Identities
from commonground.play.rooms.desk import Desk, SendQueue

HELLO_S = 10.0
"""Seconds in which a browser must say who it is."""

LONGEST_MESSAGE = 16_384
"""Characters that a message of a browser may have."""

BURST = 60
RATE = 20.0
"""Messages that a browser may send at once, and each second in the long run; it is slowed, then."""

_UNKNOWN, _TOO_LARGE = 4401, 4413


async def talk(
    websocket: WebSocket, desk: Desk, identities: Identities, heartbeat_s: float
) -> None:
    """Serves one connection from its hello to its end.

    Args:
        websocket: the connection, not accepted yet.
        desk: what everybody's doings go through.
        identities: knows whose token is whose.
        heartbeat_s: seconds between two pings.
    """
    await websocket.accept()
    try:
        kind, hello = _decode(await asyncio.wait_for(websocket.receive_text(), HELLO_S))
    except (TimeoutError, WebSocketDisconnect, KeyError, _BadMessageError, _TooLargeError):
        await _close(websocket, _UNKNOWN)
        return
    pid = identities.read_token(str(hello.get("token", "")))
    if pid is None or kind != "hello" or pid not in desk.hall.ledger.people:
        await _close(websocket, _UNKNOWN)
        return
    line = desk.open_line()
    last_seq = hello.get("last_seq")
    sending = asyncio.create_task(_send(websocket, line, heartbeat_s))
    try:
        number = last_seq if type(last_seq) is int else 0
        desk.post(desk.hall.presence.connect(pid, line.number, desk.clock(), last_seq=number))
        if desk.stuck is not None:
            line.put({"type": "stuck", "on": True})
        await _receive(websocket, desk, line)
    except UsageError:
        await _close(websocket, _UNKNOWN)
    finally:
        desk.close_line(line)
        sending.cancel()


async def _send(websocket: WebSocket, line: SendQueue, heartbeat_s: float) -> None:
    while True:
        try:
            data = await asyncio.wait_for(line.queue.get(), heartbeat_s)
        except TimeoutError:
            # Of our own beside those of WebSocket: scripts of a page see no pings, and this tells
            # them that the server is still there.
            line.put({"type": "ping"})
            continue
        if data is None:
            await _close(websocket, 1000)
            return
        try:
            await websocket.send_text(data.decode())
        # The second is Starlette's word for a connection that was closed in between.
        except (WebSocketDisconnect, RuntimeError):
            return
        line.queue.task_done()


async def _receive(websocket: WebSocket, desk: Desk, line: SendQueue) -> None:
    pace = _Pace()
    while True:
        try:
            kind, fields = _decode(await websocket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            return
        except _TooLargeError:
            await _close(websocket, _TOO_LARGE)
            return
        except (_BadMessageError, KeyError):
            line.put(_reject(None, "malformed"))
        else:
            _take(desk, line, kind, fields)
        await pace.keep()


class _Pace:
    """Slows down who sends more than any person types."""

    def __init__(self) -> None:
        self._budget = float(BURST)
        self._at_s = time.monotonic()

    async def keep(self) -> None:
        """Counts a message, and waits if there were too many."""
        now_s = time.monotonic()
        # A token bucket: time in which nothing was sent is credit, up to one burst.
        self._budget = min(BURST, self._budget + RATE * (now_s - self._at_s)) - 1
        self._at_s = now_s
        if self._budget < 0:
            await asyncio.sleep(-self._budget / RATE)


def _take(desk: Desk, line: SendQueue, kind: str, fields: dict[str, Any]) -> None:
    hall, number, now_us = desk.hall, line.number, desk.clock()
    if not hall.presence.hear(number, now_us):
        line.put({"type": "superseded"})
        line.put(None)
    elif kind == "pong":
        pass
    elif desk.stuck is not None:
        # Not remembered: sent again later, the act is taken.
        line.put(_reject(fields.get("client_msg_id"), "stuck"))
    elif kind == "act":
        desk.post(hall.acting.act(number, fields, now_us))
    elif kind == "typing":
        desk.post(hall.acting.type(number, fields.get("on") is True, now_us))
    elif kind == "signal":
        data = fields.get("data")
        known = data if isinstance(data, dict) else {}
        desk.post(hall.acting.signal(number, str(fields.get("kind")), known, now_us))
    else:
        line.put(_reject(None, "malformed"))


def _reject(msg_id: object, code: str) -> dict[str, Any]:
    return {"type": "reject", "client_msg_id": msg_id, "code": code, "parameters": {}}


class _BadMessageError(Exception):
    """A message that is not ``{name: {...}}``."""


class _TooLargeError(Exception):
    """A message of more characters than any page sends."""


def _decode(text: str) -> tuple[str, dict[str, Any]]:
    if len(text) > LONGEST_MESSAGE:
        raise _TooLargeError
    try:
        message = msgspec.json.decode(text, type=dict[str, dict[str, Any]])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _BadMessageError from error
    if len(message) != 1:
        raise _BadMessageError
    return next(iter(message.items()))


async def _close(websocket: WebSocket, code: int) -> None:
    try:
        await websocket.close(code)
    except (WebSocketDisconnect, RuntimeError):
        return  # the other side was faster
