"""People of a study: scripted players behind sockets and in browsers, with bad luck.

Both have the scenario's own script for a mind; they differ in how they see and act. A person
after a socket keeps the view that the server sends; one in a browser knows what the page shows,
and types and clicks.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from commonground.play.player import Moment, Move, Player, Wait
from commonground.play.rooms.players.guests import LiveView
from commonground.play.scenario import Refusal

QUIZ = {"common": "1", "chat": "2", "submit": "0"}
WARM_UP = {"red_cup": "common", "house_tree": "different", "boat": "common"}
RETRY_S = 0.15
PATIENCE_S = 60.0
"""Seconds that a page or an answer may take on a busy machine."""


CLICK_S = 5.0
"""Seconds after which somebody looks again at a page that does not take a click."""


class Tally:
    """What happened to all people together.

    Attributes:
        faults: how many of each kind were made.
        acks: pseudonymous token, act and number in the log, of each act that was acknowledged.
        refused: acts that were refused, by code.
        wrong: answers that differ from the first one to the same act, and others that no server
            should give; in words.
        exits: by which way people left, as their pages say.
        clumsy: clicks that pages did not take, as Playwright says it.
        back_s: seconds from the restart of the server until each person had the page again.
        kills: how often the server was killed.
        restarted_s: when it was there again the last time; null before.
        away_s: seconds in which it was not there.
    """

    def __init__(self) -> None:
        self.faults: Counter[str] = Counter()
        self.acks: dict[tuple[str, str], int] = {}
        self.refused: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.exits: Counter[str] = Counter()
        self.clumsy: list[str] = []
        self.back_s: list[float] = []
        self.kills = 0
        self.restarted_s: float | None = None
        self.away_s = 0.0

    def take_ack(self, token: str, fields: dict[str, Any]) -> None:
        """Notes an acknowledgement; a repeated act must get the same one."""
        key, seq = (token, fields["client_msg_id"]), fields["seq"]
        if self.acks.setdefault(key, seq) != seq:
            self.wrong.append(f"act {key[1]} is {self.acks[key]} and {seq}")


class Mind:
    """A scripted player in real time, which goes faster for it than for people.

    Args:
        player: that decides.
        rng: its chance.
        speed: how many times human speed.
    """

    def __init__(self, player: Player, rng: Random, speed: float) -> None:
        self._player = player
        self._rng = rng
        self._speed = speed
        self._pending: Move | Wait | None = None
        self._due_s: float | None = None

    def ask(self, view: dict[str, Any], refusal: Refusal | None = None) -> None:
        """Lets it look, and change its mind about what it is going to do."""
        now_s = time.monotonic()
        moment = Moment(
            role=view["role"],
            view=view["game"],
            allowed=(),
            at_us=int(now_s * self._speed * 1_000_000),
            pending=self._pending,
            refusal=refusal,
        )
        chosen = self._player.next_move(moment, self._rng)
        if chosen is not self._pending:
            self._pending = chosen
            delay_s = chosen.delay_s
            self._due_s = None if delay_s is None else now_s + delay_s / self._speed

    def left_s(self) -> float | None:
        """Returns the seconds until it does something; null where it only looks."""
        return None if self._due_s is None else max(0.0, self._due_s - time.monotonic())

    def take_move(self) -> Move | None:
        """Returns what it does now; null where it only waited. It must be asked again then."""
        done, self._pending, self._due_s = self._pending, None, None
        return done if isinstance(done, Move) else None


class Person:
    """Somebody who takes part.

    Args:
        address: of the study.
        mind: that plays.
        rng: bad luck.
        tally: of all people.
        leaves: how the person leaves early: ``vanishes`` or ``withdraws`` on the second page;
            null to stay.
        faults: factor of how often things go wrong.
    """

    def __init__(
        self,
        address: str,
        mind: Mind,
        rng: Random,
        tally: Tally,
        *,
        leaves: str | None = None,
        faults: float = 1.0,
    ) -> None:
        self.address = address
        self.mind = mind
        self.rng = rng
        self.tally = tally
        self.leaves = leaves
        self.token = ""
        self.page = 0
        self.paired = asyncio.Event()
        self._faults = faults

    def unlucky(self, chance: float) -> bool:
        """Says whether something goes wrong now."""
        return self.rng.random() < chance * self._faults

    def note(self, fault: str) -> None:
        """Counts a fault that was made."""
        self.tally.faults[fault] += 1

    async def enter(self) -> None:
        """Goes through consent, quiz and warm-up to the waiting room."""
        raise NotImplementedError

    async def play(self) -> None:
        """Waits, plays and leaves."""
        raise NotImplementedError

    def must_leave(self) -> bool:
        """Says whether it is time to leave early."""
        return self.leaves in ("vanishes", "withdraws") and self.page >= 2


class SocketPerson(Person):
    """Somebody whose browser is only a socket: what is late and twice there is known exactly."""

    view: dict[str, Any] | None = None
    _seq = 0
    _way_out = ""
    _came_s = float("inf")  # when the game was seen first
    _back_since_s: float | None = None  # the restart after which the page was there again
    _socket: ClientConnection | None = None

    async def enter(self) -> None:
        """Fills in the forms, as a browser without scripts would."""
        self._http = httpx.AsyncClient(
            base_url=self.address, follow_redirects=True, timeout=PATIENCE_S
        )
        self._pending: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._live = LiveView()
        self._numbers = 0
        self._late: set[asyncio.Task[None]] = set()
        page = await self._post("/", {})
        self.token = page.url.path.rpartition("/")[2]
        await self._fill("consent", agree="yes")
        if self.leaves == "fails":
            for _ in range(2):
                await self._fill("quiz", **dict.fromkeys(QUIZ, "2"))
            return
        await self._fill("quiz", **QUIZ)
        await self._fill("ready")

    async def _fill(self, what: str, **fields: str) -> None:
        await self._post(f"/p/{self.token}/{what}", fields)

    async def _post(self, path: str, fields: dict[str, str]) -> httpx.Response:
        header = {"content-type": "application/x-www-form-urlencoded"}
        while True:
            with suppress(httpx.TransportError):
                page = await self._http.post(path, content=urlencode(fields), headers=header)
                if page.status_code != 503:
                    return page
            await asyncio.sleep(RETRY_S)

    async def play(self) -> None:
        """Stays connected, and does what the mind wants."""
        if self.leaves == "fails":
            self.tally.exits["screened_out"] += 1
            await self._http.aclose()
            return
        staying = asyncio.create_task(self._stay())
        try:
            if self.leaves == "waits":
                await asyncio.wait_for(self._look(lambda: self.view is not None), PATIENCE_S)
                await self._fill("leave")
            else:
                await self._take_turns()
            await asyncio.wait_for(self._look(lambda: bool(self._way_out)), PATIENCE_S)
        finally:
            for task in (staying, *self._late):
                task.cancel()
            await self._http.aclose()
        self.tally.exits[self._way_out] += 1

    async def _look(self, seen: Any) -> None:
        while not seen():
            self._changed.clear()
            await self._changed.wait()

    # The line

    async def _stay(self) -> None:
        address = self.address.replace("http:", "ws:") + "/talk"
        while not self._way_out:
            # A machine that is busy may take long; a server that is gone refuses at once.
            with suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                async with connect(address, ping_interval=None, close_timeout=1) as socket:
                    self._socket = socket
                    await self._tell("hello", token=self.token, last_seq=self._seq)
                    async for message in socket:
                        (kind, fields), *_ = msgspec.json.decode(message).items()
                        if await self._take(kind, fields):
                            break
            self._socket = None
            if not self._way_out:
                await asyncio.sleep(RETRY_S)

    async def _tell(self, kind: str, **fields: Any) -> None:
        if self._socket is not None:
            with suppress(ConnectionClosed):
                await self._socket.send(msgspec.json.encode({kind: fields}).decode())

    async def _take(self, kind: str, fields: dict[str, Any]) -> bool:
        """Takes a message; says whether to connect anew then, as a page that is renewed does."""
        match kind:
            case "ping":
                await self._tell("pong")
            case "welcome":
                await self._begin(fields)
            case "event":
                self._seq = fields["seq"]
                self._live.take(kind, fields)
                await self._accept()
            case "ack":
                self.tally.take_ack(self.token, fields)
                self._answer(fields)
            case "reject":
                self.tally.refused[fields["code"]] += 1
                self._answer(fields)
            case "ended":
                self._way_out = fields["reason"]
        self._changed.set()
        return kind in ("stage", "superseded")

    async def _begin(self, fields: dict[str, Any]) -> None:
        self._live.take("welcome", fields)
        view = self._live.view
        restarted_s = self.tally.restarted_s
        now_s = time.monotonic()
        is_back = restarted_s != self._back_since_s
        if restarted_s is not None and self._came_s < restarted_s and is_back:
            self._back_since_s = restarted_s
            self.tally.back_s.append(now_s - restarted_s)
        self._seq = fields["seq"]
        if view["stage"] == "out":
            self._way_out = view["exit"]
        elif view["stage"] == "playing":
            self.view = view
            self._came_s = min(self._came_s, now_s)
            self.paired.set()
            for act in list(self._pending.values()):
                await self._tell("act", **act)
        else:
            self.view = {"stage": "waiting"}
            await self._accept()

    async def _accept(self) -> None:
        """Says that somebody is there, where a partner has been found."""
        view = self._live.view
        if view["stage"] == "ready" and not view["ready"]:
            await self._tell("ready")

    def _answer(self, fields: dict[str, Any]) -> None:
        msg_id = fields["client_msg_id"]
        self._pending.pop(msg_id, None)
        waiting = self._answers.get(msg_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(fields)

    # Playing

    async def _take_turns(self) -> None:
        refusal: Refusal | None = None
        while not self._way_out:
            self._changed.clear()
            view = self.view
            if view is None or not view.get("started"):
                await self._changed.wait()
                continue
            if view["game"]["round"] != self.page:
                await self._turn_page(view["game"]["round"])
            if self.must_leave():
                await self._go()
                return
            self.mind.ask(view, refusal)
            refusal = None
            try:
                await asyncio.wait_for(self._changed.wait(), self.mind.left_s())
            except TimeoutError:
                move = self.mind.take_move()
                if move is not None:
                    refusal = await self._make(move)

    async def _go(self) -> None:
        self.note(f"people: {self.leaves}")
        if self.leaves == "withdraws":
            await self._fill("leave")
        else:
            self._way_out = "(vanished)"
            if self._socket is not None:
                self._socket.transport.abort()

    async def _turn_page(self, page: int) -> None:
        old, self.page = self.page, page
        if old and self.unlucky(0.3):
            # Somebody clicks while the page turns.
            self.note("acts of a page that is over")
            answer = await self._send(Move("photobook.submit", {}, 0), old)
            if answer is not None and answer.get("code") != "stale_round":
                self.tally.wrong.append(f"an act of page {old} on page {page}: {answer}")
        elif self.unlucky(0.1):
            self.note("reloads")
            await self._drop(abruptly=False)

    async def _make(self, move: Move) -> Refusal | None:
        """Makes a move, with whatever goes wrong on the way; returns why it was refused."""
        await self._befall()
        if move.type == "chat.message" and self.unlucky(0.05):
            # The mind goes on; what it does next may arrive before.
            self.note("late acts")
            late = asyncio.create_task(self._send_late(move, self.page))
            self._late.add(late)
            return None
        answer = await self._send(move, self.page)
        if answer is None or "code" not in answer:
            return None
        return Refusal(answer["code"])

    async def _befall(self) -> None:
        if self.unlucky(0.02):
            self.note("reloads")
            await self._drop(abruptly=False)
        elif self.unlucky(0.02):
            self.note("second tabs")
            await self._open_second_tab()

    async def _send_late(self, move: Move, page: int) -> None:
        before = self._numbers
        act = self._write(move, page)
        await asyncio.sleep(self.rng.uniform(0.1, 0.5))
        if self._numbers > before + 1:
            self.note("reordered acts")
        await self._await_answer(act)

    def _write(self, move: Move, page: int) -> dict[str, Any]:
        self._numbers += 1
        return {
            "client_msg_id": f"{self.token[:8]}-{self._numbers}",
            "type": move.type,
            "payload": move.payload,
            "round": page,
        }

    async def _send(self, move: Move, page: int) -> dict[str, Any] | None:
        return await self._await_answer(self._write(move, page))

    async def _await_answer(self, act: dict[str, Any]) -> dict[str, Any] | None:
        """Sends an act until it is answered; null where the session was over before."""
        msg_id = act["client_msg_id"]
        answer = self._answers[msg_id] = asyncio.get_running_loop().create_future()
        self._pending[msg_id] = act
        await self._tell("act", **act)
        if self.unlucky(0.08):
            self.note("repeated acts")
            await self._tell("act", **act)
        if self.unlucky(0.03):
            self.note("cut lines")
            await self._drop(abruptly=True)
        end_s = time.monotonic() + PATIENCE_S
        while not answer.done() and not self._way_out:
            if time.monotonic() > end_s:
                self.tally.wrong.append(f"act {msg_id} has no answer")
                return None
            await asyncio.wait([answer], timeout=0.5)
        if not answer.done():
            return None
        found: dict[str, Any] = answer.result()
        # The view comes after the answer, where the act changed it.
        for _ in range(10):
            if self._seq >= found.get("seq", 0):
                break
            await asyncio.sleep(0.01)
        return found

    async def _drop(self, *, abruptly: bool) -> None:
        socket = self._socket
        if socket is None:
            return
        if abruptly:
            socket.transport.abort()
        else:
            self._seq = 0
            await socket.close()

    async def _open_second_tab(self) -> None:
        address = self.address.replace("http:", "ws:") + "/talk"
        with suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
            async with connect(address, ping_interval=None, close_timeout=1) as socket:
                hello = {"hello": {"token": self.token, "last_seq": 0}}
                await socket.send(msgspec.json.encode(hello).decode())
                await asyncio.wait_for(socket.recv(), PATIENCE_S)


_BAD_LINE = """(rates) => {
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(...given) { super(...given); window.lastSocket = this; }
    send(data) {
      if (!data.startsWith('{"act"')) return super.send(data);
      if (Math.random() < rates.late) {
        window.noteFault("late acts");
        setTimeout(() => { if (this.readyState === Real.OPEN) super.send(data); }, 300);
        return;
      }
      super.send(data);
      if (Math.random() < rates.twice) { window.noteFault("repeated acts"); super.send(data); }
    }
  };
}"""

_ACCEPT = """() => {
    const button = document.getElementById("ready");
    if (button && button.offsetParent && !button.disabled) button.click();
}"""
"""Says that somebody is there, where a partner has been found."""

_LOOK = """() => {
  const one = (id) => document.getElementById(id);
  const seen = (id) => one(id) && one(id).getClientRects().length > 0;
  if (document.querySelector(".code-text")) return { out: true };
  if (!document.querySelector("#pb-grid .pb-card")) return null;
  const images = [...document.querySelectorAll("#pb-grid .pb-card")].map((card) => {
    const mark = card.querySelector("input:checked");
    const image = card.querySelector("img").dataset.image;
    return { image, highlighted: card.matches(".pb-target"), mark: mark ? mark.value : null };
  });
  const said = [...document.querySelectorAll("#message-list li")]
    .filter((item) => !item.querySelector(".sending"));
  const scored = seen("pb-score");
  const round = Number(one("pb-page").textContent.match(/[0-9]+/)[0]);
  const right = document.querySelectorAll(".pb-result.good:not([hidden])").length;
  return {
    started: !seen("banner"), round, images, submitted: !seen("pb-submit"), reviewed: scored,
    phase: !scored ? "play" : round < 5 ? "review" : "questionnaire",
    asked: !seen("pb-next"), answered: !seen("pb-questions"), score: scored ? right : null,
    chat: said.map((item) => ({
      key: item.dataset.key, text: item.querySelector(".text").textContent,
      role: item.matches(".you") ? "you" : item.matches(".partner") ? "partner" : null,
    })),
  };
}"""


class BrowserPerson(Person):
    """Somebody in a browser: sees what the page shows, types, clicks and reloads.

    Attributes:
        browser: Chromium; each person has a profile.
    """

    browser: Any

    async def enter(self) -> None:
        """Goes through the pages with the mouse."""
        self._context = await self.browser.new_context()
        self._context.set_default_timeout(PATIENCE_S * 1000)
        await self._context.expose_function("noteFault", self.note)
        rates = {"late": 0.04 * self._faults, "twice": 0.08 * self._faults}
        bad = f"({_BAD_LINE})({msgspec.json.encode(rates).decode()})"
        await self._context.add_init_script(bad)
        self._rounds: dict[str, int] = {}
        self._tab = await self._open(self.address)
        await self._tab.locator("button.main").click()
        await self._tab.locator("input[name=agree]").check()
        self.token = self._tab.url.rpartition("/")[2]
        await self._tab.locator("button.main").click()
        for name, value in QUIZ.items():
            await self._tab.locator(f"input[name={name}][value='{value}']").check()
        await self._tab.locator("button.main").click()
        for name, value in WARM_UP.items():
            await self._tab.locator(f"input[name={name}][value={value}]").check()
        await self._tab.locator("button.main").click()
        await self._tab.locator("form[action$='/ready'] button").click()

    async def _open(self, address: str) -> Any:
        tab = await self._context.new_page()
        tab.on("websocket", self._listen)
        await tab.goto(address)
        return tab

    def _listen(self, socket: Any) -> None:
        socket.on("framereceived", self._take)

    def _take(self, data: Any) -> None:
        (kind, fields), *_ = msgspec.json.decode(data).items()
        if kind == "ack":
            self.tally.take_ack(self.token, fields)
        elif kind == "reject":
            self.tally.refused[fields["code"]] += 1

    async def play(self) -> None:
        """Looks at the page several times a second, and does what the mind wants."""
        from playwright.async_api import Error

        try:
            await self._tab.locator("#pb-grid .pb-card").first.wait_for()
            self._context.set_default_timeout(CLICK_S * 1000)
            while True:
                # A page that is being renewed can neither be seen nor clicked.
                try:
                    if await self._take_turn():
                        break
                except Error as error:
                    self.tally.clumsy.append(str(error))
                await asyncio.sleep(0.1)
            self.tally.exits["(in a browser)"] += 1
        finally:
            await self._context.close()

    async def _take_turn(self) -> bool:
        await self._tab.evaluate(_ACCEPT)
        game = await self._tab.evaluate(_LOOK)
        if game is None:
            return False
        if game.get("out"):
            return True
        self.paired.set()
        if not game["started"]:
            return False
        if game["round"] != self.page:
            self.page = game["round"]
            if self.unlucky(0.25):
                await self._befall()
                return False
        for each in game["chat"]:
            each["round"] = self._rounds.setdefault(each["key"], self.page)
        self.mind.ask({"role": "you", "game": game})
        if self.mind.left_s() == 0.0:
            move = self.mind.take_move()
            if move is not None:
                await self._do(move)
        return False

    async def _befall(self) -> None:
        fault = self.rng.choice(("reloads", "second tabs", "cut lines"))
        self.note(f"{fault} in browsers")
        if fault == "reloads":
            await self._tab.reload()
        elif fault == "cut lines":
            await self._tab.evaluate("window.lastSocket.close()")
        else:
            old, self._tab = self._tab, await self._open(self._tab.url)
            await old.locator("#banner button").wait_for()  # it was told so
            await old.close()

    async def _do(self, move: Move) -> None:
        tab, payload = self._tab, move.payload
        match move.type:
            case "chat.message":
                await tab.locator("#text").fill(payload["text"])
                await tab.locator("#text").press("Enter")
            case "photobook.mark":
                card = tab.locator(
                    ".pb-card", has=tab.locator(f"img[data-image='{payload['image']}']")
                )
                await card.locator(f"input[value={payload['label']}]").check()
            case "photobook.submit":
                await tab.locator("#pb-submit").click()
            case "photobook.next":
                await tab.locator("#pb-next").click()
            case "photobook.questionnaire":
                for name in ("col", "partner_u", "self_u"):
                    await tab.locator(f"input[name={name}][value='{payload[name]}']").check()
                await tab.locator("textarea[name=text]").fill(payload["text"])
                await tab.locator("#pb-questions button.main").click()
        await asyncio.sleep(0.05)
