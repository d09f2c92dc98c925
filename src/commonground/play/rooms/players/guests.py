"""Players that take part in a served study through its addresses, as people's browsers do.

A guest reads the consent text, passes the quiz, waits, and plays by a scripted player of the
scenario, which sees what the socket brings and nothing else. So a study can be rehearsed before
people come, and the server be tried by any number of them, with lines that are cut and tabs that
are opened twice.
"""

from __future__ import annotations

import asyncio
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from random import Random
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from commonground.errors import CommongroundError
from commonground.play.collect.events import SessionCreated, find_what
from commonground.play.collect.setup.plan import RoomPlan
from commonground.play.collect.setup.study import Study
from commonground.play.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.play.scenario import Allowed, Refusal
from commonground.play.scenarios import ScenarioEntry

PATIENCE_S = 30.0
"""Seconds without an answer after which a guest gives up."""

AGAIN_S = 0.1
"""Seconds between two tries to reach the server."""

TOGETHER_S = 0.005
"""Messages that come so close to each other are read before the player is asked."""

AFTER_ACK_S = 0.5
"""Seconds that what an act changed is waited for once it is acknowledged; most comes at once."""


MISHAPS = ("reloads", "cuts", "repeats", "tabs")
"""What befalls guests: the page is loaded again before an act; the line is cut before the answer
comes, and the act is sent again over another; the act is sent twice; the study is opened in a
second tab, in which the guest goes on."""


class GuestError(CommongroundError):
    """A guest cannot go on: the server does not answer, or not as its pages need it."""


class Stay(msgspec.Struct):
    """What came of a guest's visit.

    Attributes:
        token: in the guest's address.
        way_out: the exit; None while the guest is there.
        sessions: that were played to their end.
        waits: each act's type and the seconds until it was answered, but for those that a mishap
            befell.
        renewals_s: seconds from the act that ended a session until the next was on the page, where
            one follows the other.
        counted: the browser's names of the acts that were acknowledged.
        refused: acts that were refused, by code.
    """

    token: str = ""
    way_out: str | None = None
    sessions: int = 0
    waits: list[tuple[str, float]] = []
    renewals_s: list[float] = []
    counted: list[str] = []
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    mishaps: Counter[str] = msgspec.field(default_factory=Counter)


class LiveView:
    """What a page shows by the server's ``welcome`` and later events; ``view`` is empty before."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = {}

    def take(self, kind: str, fields: Mapping[str, Any]) -> bool:
        """Follows a message; says whether it was one that changes the view."""
        if kind == "welcome":
            self.view = fields["view"]
        elif kind == "event":
            for path, value in fields.get("set", {}).items():
                owner, key = self._find(path)
                owner[key] = value
            for path, added in fields.get("append", {}).items():
                owner, key = self._find(path)
                # A new list, as in the page's script: the player may have kept the old view.
                owner[key] = owner[key] + added
        return kind in ("welcome", "event")

    def _find(self, path: str) -> tuple[dict[str, Any], str]:
        first, dot, rest = path.partition(".")
        return (self.view[first], rest) if dot else (self.view, path)


def come_in(address: str, plan: RoomPlan, role: str | None = None) -> str:
    """Leads somebody through the pages before the game; returns the token of their address.

    Args:
        address: where participants come to, without a slash at its end.
        plan: of the room; has the answers of the quiz.
        role: the only seat that they take; None for any.

    Raises:
        GuestError: the server does not answer, or turns them away.
    """
    asked = "" if role is None else f"?{urllib.parse.urlencode({'role': role})}"
    here = f"{address}{_post_form(f'{address}/{asked}')}"
    _post_form(f"{here}/consent", agree="yes")
    _post_form(f"{here}/quiz", **{each.name: str(each.right) for each in plan.quiz})
    _post_form(f"{here}/ready")
    return here.rpartition("/")[2]


def _post_form(address: str, **fields: str) -> str:
    """Sends a form; returns the path of the page that comes then."""
    data = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(address, data)  # noqa: S310 - our server
    request.add_header("content-type", "application/x-www-form-urlencoded")
    end_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as page:  # noqa: S310
                return urllib.parse.urlsplit(str(page.url)).path
        except OSError as error:
            # A server that is just starting again is asked once more; one that says no is not.
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > end_s:
                raise GuestError(f"{address} does not answer: {error}.") from error
            time.sleep(AGAIN_S)


class _Sent(msgspec.Struct):
    body: dict[str, Any]
    sent_s: float | None


class Guest:
    """Somebody who comes to a study, plays, and leaves.

    Args:
        study: that is served; which material a session has is read from its log.
        plan: of its room; has the answers of the quiz.
        address: where participants come to, without a slash at its end.
        speed: how many times as fast as people, who lose their patience as much sooner; the
            server's clocks go on as they are.
        most: sessions after which the guest leaves, where one follows the other.
        mishaps: share of its acts that one of :data:`MISHAPS` befalls.
    """

    def __init__(
        self,
        study: Study,
        scenario: ScenarioEntry,
        plan: RoomPlan,
        kinds: Mapping[str, PlayerKind],
        address: str,
        *,
        seed: int,
        speed: float = 1.0,
        most: int = 1,
        mishaps: float = 0.0,
    ) -> None:
        self.stay = Stay()
        self._study, self._scenario, self._plan, self._kinds = study, scenario, plan, kinds
        self._address, self._speed, self._most = address, speed, most
        self._mishaps = mishaps
        self._seed = seed
        self._rng = Random(f"{seed}:guest")
        self._live = LiveView()
        self._session: str | None = None
        self._player: Player | None = None
        self._pending: Move | Wait | None = None
        self._due_s: float | None = None
        self._round: int | None = None
        self._sent: _Sent | None = None
        self._acted_s: float | None = None  # when the last act was sent, if nothing befell it
        self._refusal: Refusal | None = None
        self._acts = 0

    async def run(self) -> Stay:
        """Goes through the whole study.

        Raises:
            GuestError: the server does not answer, or turns the guest away.
        """
        self.stay.token = await asyncio.to_thread(come_in, self._address, self._plan)
        while self.stay.way_out is None:
            async with await self._connect() as socket:
                try:
                    await self._sit(socket)
                except ConnectionClosed:
                    continue
        return self.stay

    # The socket

    async def _connect(self) -> ClientConnection:
        end_s = time.monotonic() + PATIENCE_S
        address = self._address.replace("http", "ws", 1) + "/talk"
        while True:
            try:
                return await connect(address, ping_interval=None, max_size=None)
            except (OSError, InvalidHandshake) as error:
                if time.monotonic() > end_s:
                    raise GuestError(f"{address} does not answer: {error}.") from error
                await asyncio.sleep(AGAIN_S)

    async def _sit(self, socket: ClientConnection) -> None:
        """Plays over a connection until the page is to be loaded again."""
        await _tell(socket, "hello", token=self.stay.token, last_seq=0)
        self._live.view = {}
        while True:
            message = await self._hear(socket)
            if message is None:
                if not await self._move(socket):
                    return
                continue
            changed = renewed = lags = False
            while message is not None:
                changed |= await self._take(socket, *message)
                renewed |= message[0] in ("stage", "ended", "superseded", "lost")
                # A player that was asked between the two would see its act as not done.
                lags = message[0] == "ack" or (lags and message[0] not in ("event", "welcome"))
                message = await self._hear(socket, AFTER_ACK_S if lags else TOGETHER_S)
            if renewed or self.stay.way_out is not None:
                return
            if changed:
                self._ask()

    async def _hear(
        self, socket: ClientConnection, most_s: float | None = None
    ) -> tuple[str, dict[str, Any]] | None:
        """Returns the next message; None where the next move is due before."""
        if most_s is None and self._due_s is not None:
            most_s = max(self._due_s - time.monotonic(), 0.0)
        # Where no move is due, the guest waits for a partner who may be slow.
        patience_s = PATIENCE_S * 4 if most_s is None else most_s
        try:
            data = await asyncio.wait_for(socket.recv(), patience_s)
        except TimeoutError:
            if most_s is None:
                raise GuestError("The server has not said anything for long.") from None
            return None
        [(kind, fields)] = msgspec.json.decode(data).items()
        return kind, fields

    async def _take(self, socket: ClientConnection, kind: str, fields: dict[str, Any]) -> bool:
        """Follows a message; says whether the player should be asked."""
        if kind == "ping":
            await _tell(socket, "pong")
        elif kind in ("ack", "reject"):
            return self._take_answer(kind, fields)
        elif kind == "ended":
            self._see_out(fields["reason"])
        elif self._live.take(kind, fields):
            if kind == "welcome":
                await self._begin(socket)
            return bool(self._live.view["stage"] == "playing")
        return False

    async def _begin(self, socket: ClientConnection) -> None:
        """Sees what the page shows now: a session, perhaps another one, or the way out."""
        view = self._live.view
        if view["stage"] == "out":
            self._see_out(view["exit"])
        elif view["stage"] == "ready":
            await _tell(socket, "ready")
        elif view["stage"] == "playing":
            await self._find_session(view)
        if self._sent is not None and self.stay.way_out is None:
            self._sent.sent_s = None
            await _tell(socket, "act", **self._sent.body)

    async def _find_session(self, view: Mapping[str, Any]) -> None:
        came_s = time.monotonic()
        sid, piece = await asyncio.to_thread(self._read_session)
        if sid == self._session:
            return
        if self._session is not None:
            if self._acted_s is not None:
                self.stay.renewals_s.append(came_s - self._acted_s)
            self.stay.sessions += 1
            if self.stay.sessions >= self._most:
                self._player = None
                await asyncio.to_thread(_post_form, f"{self._address}/p/{self.stay.token}/leave")
                return
        self._session = sid
        seat = Seat(view["role"], self._study.stock.pieces[piece], self._seed)
        self._player = self._kinds[seat.role].enter(seat)
        self._pending = self._due_s = self._refusal = None

    def _read_session(self) -> tuple[str, int]:
        """Reads from the log which session the guest is in, and its material."""
        with closing(self._study.open_identities()) as identities:
            pid = identities.read_token(self.stay.token)
        with closing(self._study.open_log()) as log:
            sid = log.find_session(pid or "")
            if sid is None:
                raise GuestError("The log does not say which session a guest is in.")
            return sid, find_what(log.read(sid), SessionCreated).piece

    def _see_out(self, way_out: str) -> None:
        self.stay.way_out = way_out
        self.stay.sessions += way_out == "completed"

    # The player

    def _ask(self) -> None:
        """Asks the player what to do next, unless an act of it is under way."""
        view = self._live.view
        if self._sent is not None or self._player is None or view.get("stage") != "playing":
            return
        if not view["started"] or view["paused"]:
            return
        before = self._pending
        moment = Moment(
            role=view["role"],
            view=view["game"],
            allowed=[Allowed(each, {}) for each in view["allowed"]],
            at_us=int(time.time_ns() // 1000 * self._speed),
            pending=before,
            refusal=self._refusal,
        )
        after = self._player.next_move(moment, self._rng)
        self._refusal = None
        if after is before:
            return
        self._pending = after
        self._round = view["game"]["round"]
        forever = after.delay_s is None
        self._due_s = None if forever else time.monotonic() + (after.delay_s or 0) / self._speed

    async def _move(self, socket: ClientConnection) -> bool:
        """Does what is due; says whether the connection is still the one in use."""
        pending, self._due_s, self._pending = self._pending, None, None
        if not isinstance(pending, Move):
            self._ask()
            return True
        kind = None
        if self._rng.random() < self._mishaps:
            kind = self._rng.choice(MISHAPS)
            self.stay.mishaps[kind] += 1
        self._acts += 1
        body = {
            "client_msg_id": f"{self.stay.token[:12]}-{self._acts}",
            "type": pending.type,
            "payload": pending.payload,
            "round": self._round,
            "at_ms": time.time_ns() // 1_000_000,
        }
        self._sent = _Sent(body, None)
        if kind == "tabs":
            # Another tab for a moment; the first one is told and loaded again.
            async with await self._connect() as other:
                await _tell(other, "hello", token=self.stay.token, last_seq=0)
                await asyncio.wait_for(other.recv(), PATIENCE_S)
        if kind in ("reloads", "tabs"):
            return False  # it goes out over the next line
        self._sent.sent_s = time.monotonic() if kind is None else None
        await _tell(socket, "act", **body)
        if kind == "repeats":
            await _tell(socket, "act", **body)
        return kind != "cuts"

    def _take_answer(self, kind: str, fields: Mapping[str, Any]) -> bool:
        sent = self._sent
        if sent is None or fields["client_msg_id"] != sent.body["client_msg_id"]:
            return False  # the second answer to an act that was sent twice
        self._sent, self._acted_s = None, sent.sent_s
        if sent.sent_s is not None:
            self.stay.waits.append((sent.body["type"], time.monotonic() - sent.sent_s))
        if kind == "ack":
            self.stay.counted.append(sent.body["client_msg_id"])
        else:
            self.stay.refused[fields["code"]] += 1
            self._refusal = Refusal(fields["code"], parameters=fields["parameters"])
        return True


async def _tell(socket: ClientConnection, kind: str, /, **fields: Any) -> None:
    await socket.send(msgspec.json.encode({kind: fields}).decode())
