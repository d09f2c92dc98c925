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
from commonground.play.collect.live.acting import reject
from commonground.play.collect.live.presence import Lost
from commonground.play.rooms.desk import Desk, SendQueue
from commonground.play.scenario import CHAT

HELLO_S = 10.0
"""Seconds in which a browser must say who it is."""

LONGEST_MESSAGE = 16_384
"""Characters that a message of a browser may have."""

BURST = 60
RATE = 20.0
"""Messages that a browser may send at once, and each second in the long run; it is slowed, then."""

CHAT_BURST = 15
CHAT_RATE = 3.0
"""The same of messages to a partner, who is to read them. None is lost: they come later."""

ANSWERED_WITHIN_S = 2.0
"""Seconds within which a browser whose line is well answers a ping."""

_UNKNOWN, _TOO_LARGE = 4401, 4413
_LEFT = 1001
"""With what browsers end the connections of a page that is closed, left or loaded anew. A page that
makes way for the next one by itself ends its own, with another code."""


async def talk(
    websocket: WebSocket, desk: Desk, identities: Identities, heartbeat_s: float
) -> None:
    """Serves a connection, not accepted yet, from its hello to its end; pings each heartbeat."""
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
    reason: Lost = "cut"
    try:
        number = last_seq if type(last_seq) is int else 0
        desk.do(desk.hall.presence.connect, pid, line.number, last_seq=number)
        if desk.stuck is not None:
            line.put({"type": "stuck", "on": True})
        reason = await _receive(websocket, desk, line)
    except UsageError:
        await _close(websocket, _UNKNOWN)
    finally:
        desk.close_line(line, reason)
        sending.cancel()


async def _send(websocket: WebSocket, line: SendQueue, heartbeat_s: float) -> None:
    while True:
        try:
            data = await asyncio.wait_for(line.queue.get(), heartbeat_s)
        except TimeoutError:
            # Of our own beside those of WebSocket: scripts of a page see no pings, and this tells
            # them that the server is still there.
            line.put({"type": "ping"})
            if line.asked_s is None:
                line.asked_s = time.monotonic()
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


async def _receive(websocket: WebSocket, desk: Desk, line: SendQueue) -> Lost:
    """Takes what a browser sends until its connection ends; returns how it did."""
    pace, chat = Pace(BURST, RATE), Pace(CHAT_BURST, CHAT_RATE)
    while True:
        try:
            text = await websocket.receive_text()
            line.asked_s = None
            kind, fields = _decode(text)
        except WebSocketDisconnect as end:
            # Somebody loads the page anew, though browsers end its connection as if it left: it was
            # asked for again, or, where nothing gets through any more, a ping is long unanswered.
            silent_s = 0.0 if line.asked_s is None else time.monotonic() - line.asked_s
            goes_on = line.reloads or silent_s > ANSWERED_WITHIN_S
            return "closed" if end.code == _LEFT and not goes_on else "cut"
        except RuntimeError:
            return "cut"
        except _TooLargeError:
            await _close(websocket, _TOO_LARGE)
            return "cut"
        except (_BadMessageError, KeyError):
            line.put(reject(None, "malformed"))
        else:
            if kind == "act" and fields.get("type") == CHAT:
                await asyncio.sleep(chat.count(time.monotonic()))
            _take(desk, line, kind, fields)
        await asyncio.sleep(pace.count(time.monotonic()))


class Pace:
    """Slows down who sends more than people: a burst at once, a rate a second in the long run."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._budget = burst
        self._at_s: float | None = None

    def count(self, now_s: float) -> float:
        """Counts a message by a clock that only goes forward; returns the seconds to wait then."""
        passed_s = now_s - self._at_s if self._at_s is not None else 0.0
        # A token bucket: time in which nothing was sent is credit, up to one burst.
        self._budget = min(self._burst, self._budget + self._rate * passed_s) - 1
        self._at_s = now_s
        return max(0.0, -self._budget / self._rate)


def _take(desk: Desk, line: SendQueue, kind: str, fields: dict[str, Any]) -> None:
    hall, number = desk.hall, line.number
    if not hall.presence.hear(number, desk.clock()):
        line.put({"type": "superseded"})
        line.put(None)
    elif kind == "pong":
        pass
    elif desk.stuck is not None:
        # Not remembered: sent again later, the act is taken.
        line.put(reject(fields.get("client_msg_id"), "stuck"))
    elif kind == "act":
        desk.do(hall.acting.act, number, fields)
    elif kind == "ready":
        desk.do(hall.acting.accept, number)
    elif kind == "typing":
        desk.do(hall.acting.type, number, fields.get("on") is True)
    elif kind == "signal":
        data = fields.get("data")
        known = data if isinstance(data, dict) else {}
        desk.do(hall.acting.signal, number, str(fields.get("kind")), known)
    else:
        line.put(reject(None, "malformed"))


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
