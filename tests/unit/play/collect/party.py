"""A study without files, sockets and clocks, and what its people see of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from commonground.play.collect.events import Event
from commonground.play.collect.identities import Identities
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.outbox import Effects, OutboxItem
from commonground.play.collect.live.presence import Lost
from commonground.play.collect.live.sessions import find_changes
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.setup.stock import Stock
from commonground.play.collect.setup.study import Settings, Study
from commonground.play.rooms.players.guests import LiveView
from commonground.play.scenarios import get_scenario

SECOND_US = 1_000_000
BEGIN_US = 1_700_000_000 * SECOND_US


def make_stock(sets: int) -> Stock:
    """PhotoBook material as a study has it: each set of pictures by both schedules."""
    source = get_scenario("photobook").material_source()
    return Stock(source.invent(sets * 16, 3), source)


class Browser:
    """A browser tab that holds its view as the page's script does."""

    def __init__(self, connection: int, pid: str) -> None:
        self.connection = connection
        self.pid = pid
        self.live = LiveView()
        self.frames: list[dict[str, Any]] = []
        self.closed = False

    def take(self, body: dict[str, Any], last: bool) -> None:
        self.frames.append(body)
        self.closed = self.closed or last
        assert body["type"] != "event" or self.live.view, "an event before the welcome"
        # A copy, as a socket would bring: what the hall changes later must not show here.
        self.live.take(body["type"], msgspec.json.decode(msgspec.json.encode(body)))

    @property
    def view(self) -> dict[str, Any] | None:
        return self.live.view or None

    def last(self, kind: str) -> dict[str, Any]:
        return next(each for each in reversed(self.frames) if each["type"] == kind)

    @property
    def game(self) -> dict[str, Any]:
        assert self.view is not None
        game: dict[str, Any] = self.view["game"]
        return game


class Party:
    """A hall with its log, a clock to be set, and everybody's browsers.

    Args:
        sets: of pictures that there are.
        scan: whether each frame is looked through, which takes most of the time.
        settings: that differ from the defaults.
    """

    def __init__(self, *, sets: int = 4, scan: bool = True, **settings: Any) -> None:
        self.scan = scan
        values = {"version": 1, "name": "party", "scenario": "photobook", "seed": 7, **settings}
        self.settings = msgspec.convert(values, Settings)
        self.stock = make_stock(sets)
        self.log: list[Event] = []
        self.browsers: dict[int, Browser] = {}
        self.now_us = BEGIN_US
        self.hall = self._open()

    def _open(self) -> Hall:
        scenario = get_scenario("photobook").rules
        ledger = Ledger(scenario, self.stock)
        ledger.restore(self.log)
        return Hall(self.settings, ledger, lambda pid: f"receipt-{pid}")

    def restart(self) -> None:
        """Ends the server, however it was, and begins another on what was written down."""
        for browser in self.browsers.values():
            browser.closed = True
        self.hall = self._open()
        self.do(self.hall.presence.recover)

    def do(self, command: Callable[..., None], *args: Any, **options: Any) -> Effects:
        return self.keep(self.hall.do(self.now_us, command, *args, **options))

    def keep(self, effects: Effects) -> Effects:
        self.log += effects.events
        for frame in effects.frames:
            if self.scan:
                self._scan(frame)
            self.browsers[frame.connection].take(frame.body, frame.last)
        return effects

    def _scan(self, frame: OutboxItem) -> None:
        """Asserts that a frame shows nothing but what its own seat may see."""
        text = msgspec.json.encode(frame.body).decode()
        assert '"seed"' not in text
        assert not any(f'"{pid}"' in text for pid in self.hall.ledger.people)
        person = self.hall.presence.person_at(frame.connection)
        session = self.hall.ledger.sessions.get(person.session or "") if person else None
        if person is None or session is None or frame.body["type"] == "reject":
            return  # a refusal says again what the act itself named
        own = session.scenario.view(session.state, session.seat_of(person.pid).role)["images"]
        mine = {image["image"] for image in own}
        for picture in self.hall.ledger.stock.met[session.piece] - mine:
            assert picture not in text, "a picture of the partner's page"
        sent = frame.body.get("set", {}).get("game.images")
        if sent is not None:
            assert sent == own, "marks or results of somebody else"

    def wait(self, seconds: float, *, step_s: float = 5) -> None:
        """Lets time pass; browsers that are open answer pings."""
        end_us = self.now_us + round(seconds * SECOND_US)
        while self.now_us < end_us:
            self.now_us = min(end_us, self.now_us + round(step_s * SECOND_US))
            for connection, browser in self.browsers.items():
                if not browser.closed:
                    self.hall.presence.hear(connection, self.now_us)
            self.do(self.hall.tick)

    def platform_of(self, pid: str) -> str:  # noqa: ARG002 - others know
        """Says from where somebody comes."""
        return "plain"

    def bring(self, pid: str, **options: Any) -> None:
        """Leads somebody to the door of the waiting room."""
        platform = self.platform_of(pid)
        self.do(self.hall.arrive, pid, language="en", platform=platform, **options)
        self.do(self.hall.consent, pid, version="1", digest="d")
        self.do(self.hall.answer_quiz, pid, answers=[1], right=True)

    def enter(self, pid: str, **options: Any) -> Browser:
        """Leads somebody into the waiting room, with a browser."""
        self.bring(pid, **options)
        self.do(self.hall.get_ready, pid)
        return self.open(pid)

    def open(self, pid: str) -> Browser:
        number = len(self.browsers) + 1
        browser = self.browsers[number] = Browser(number, pid)
        self.do(self.hall.presence.connect, pid, number)
        return browser

    def close(self, browser: Browser, reason: Lost = "closed") -> None:
        browser.closed = True
        self.do(self.hall.presence.disconnect, browser.connection, reason)

    def pair(self, one: str = "ann", two: str = "bob") -> tuple[Browser, Browser]:
        """Pairs two people and has both at the table; returns the browsers of seats A and B."""
        browsers = {pid: self.enter(pid) for pid in (one, two)}
        self.wait(1, step_s=1)
        for browser in browsers.values():
            self.do(self.hall.acting.accept, browser.connection)
        for pid, browser in browsers.items():
            self.close(browser)
            browsers[pid] = self.open(pid)
        session = next(iter(self.hall.ledger.sessions.values()))
        return browsers[session.seats["A"].pid], browsers[session.seats["B"].pid]

    def act(
        self, browser: Browser, kind: str, msg_id: str | None = None, **payload: Any
    ) -> dict[str, Any]:
        """Sends an act, and returns what was answered."""
        self.now_us += 1000
        game = (browser.view or {}).get("game", {})
        message = {
            "client_msg_id": msg_id or f"m{len(self.log)}-{browser.connection}",
            "type": kind,
            "payload": payload,
            "round": game.get("round"),
        }
        before = len(browser.frames)
        self.do(self.hall.acting.act, browser.connection, message)
        kinds = ("ack", "reject", "superseded", "ended", "stage")
        return next(each for each in browser.frames[before:] if each["type"] in kinds)

    def play_page(self, browsers: tuple[Browser, Browser]) -> None:
        """Marks, submits and goes on, without a word."""
        for browser in browsers:
            for image in browser.game["images"]:
                if image["highlighted"]:
                    self.act(browser, "photobook.mark", image=image["image"], label="common")
            self.act(browser, "photobook.submit")
        for browser in browsers:
            self.act(browser, "photobook.review")
        if browsers[0].game["round"] < browsers[0].game["rounds"]:
            for browser in browsers:
                self.act(browser, "photobook.next")

    def play_game(self, browsers: tuple[Browser, Browser]) -> None:
        """Plays to the end."""
        for _ in range(browsers[0].game["rounds"]):
            self.play_page(browsers)
        for browser in browsers:
            grades: dict[str, Any] = {"col": 5, "partner_u": 4, "self_u": 3}
            self.act(browser, "photobook.questionnaire", **grades, text="fun")

    def check(self) -> None:
        """Asserts what must hold at any time."""
        check_log(self.log)
        self._check_views()
        fresh, mine = self._open().ledger, self.hall.ledger
        assert fresh.sessions.keys() == mine.sessions.keys()
        for sid, session in mine.sessions.items():
            assert fresh.sessions[sid].state == session.state, "the log leads to another state"
        for pid, person in mine.people.items():
            again = fresh.people[pid]
            assert again.stage == person.stage
            assert again.way_out == person.way_out
            assert again.session == person.session
            assert (again.partners, again.seen) == (person.partners, person.seen)

    def _check_views(self) -> None:
        for browser in self.browsers.values():
            person = self.hall.presence.person_at(browser.connection)
            if person is None or browser.closed or browser.view is None:
                continue
            if browser.view["stage"] == person.stage:
                wanted = msgspec.json.decode(msgspec.json.encode(self.hall.ledger.view(person)))
                assert find_changes(browser.view, wanted) == {}, "a page shows what was"


class StudyParty(Party):
    """A party whose log is a study's, so that the study can be served or exported afterwards.

    Args:
        study: whose settings, material and log it has.
        identities: of the study.
    """

    def __init__(self, study: Study, identities: Identities) -> None:
        self.study = study
        self.identities = identities
        self.file = study.open_log(write=True)
        super().__init__()
        self.settings = study.settings
        self.hall = restore_hall(study, self.file, identities.receipt)
        self.now_us = max(self.hall.ledger.last_us, time.time_ns() // 1000 - 4 * 3600 * SECOND_US)

    def keep(self, effects: Effects) -> Effects:
        self.file.append(super().keep(effects).events)
        return effects

    def close_files(self) -> None:
        self.file.close()
        self.identities.close()


def check_log(log: list[Event]) -> None:
    """Asserts what holds of any log."""
    last: dict[str, int] = {}
    answered: set[tuple[str, str, str]] = set()
    ended: set[str] = set()
    before_us = 0
    for event in log:
        assert event.seq == last.get(event.session, 0) + 1
        last[event.session] = event.seq
        assert event.at_us > before_us
        before_us = event.at_us
        assert event.session not in ended, "something happened after the end"
        if event.type == "session.ended":
            ended.add(event.session)
        if event.client_msg_id is not None:
            key = (event.session, event.participant or "", event.client_msg_id)
            assert key not in answered, "an act counted twice"
            answered.add(key)
