"""The wizard's search over a large list of trips, as a browser meets it: log, socket and all."""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from websockets.sync.client import ClientConnection, connect

from benchmarks.measure import Line

PACKAGES = 100_000
SEARCHES = 200
PAUSE_S = 0.05
"""Seconds between two searches: faster than any wizard, slower than what the server slows down."""

BAR_MS = 50.0
_CITIES = [f"City {letter}{number}" for letter in "ABCDEFGHIJKLMNOPQRST" for number in range(15)]


def run() -> list[Line]:
    from commonground.play.collect.setup.preparing import prepare_study
    from commonground.play.rooms.players.rehearsing import serve_beside

    with tempfile.TemporaryDirectory() as folder:
        given, study = Path(folder) / "given", Path(folder) / "study"
        given.mkdir()
        _write_packages(given / "packages.csv")
        prepare_study(study, "frames", material=given, languages=("en",))
        path = study / "study.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("ready_click = true", "ready_click = false"), encoding="utf-8")
        with serve_beside(study) as address:
            waits = list(_search(address))
    searches, notes = ([each[kind] for each in waits] for kind in (0, 1))
    p99_ms = _share(searches, 0.99)
    return [
        Line(
            job=f"search of {PACKAGES:,} packages, to the result on the page",
            measured=_describe(searches),
            reference=f"acts that search nothing: {_describe(notes)}",
            ratio=_share(searches, 0.5) / _share(notes, 0.5),
            bar=f"99 % under {BAR_MS:.0f} ms",
            holds=p99_ms < BAR_MS,
        )
    ]


def _share(waits_ms: list[float], share: float) -> float:
    return sorted(waits_ms)[int(share * len(waits_ms))]


def _describe(waits_ms: list[float]) -> str:
    return f"{_share(waits_ms, 0.5):.1f} ms half, {_share(waits_ms, 0.99):.1f} ms 99 %"


def _write_packages(path: Path) -> None:
    from commonground.play.scenarios.frames.material import COLUMNS

    rng = Random(1)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for number in range(PACKAGES):
            origin, city = rng.sample(_CITIES, 2)
            seat, price = rng.choice(("ECONOMY", "BUSINESS")), f"{rng.uniform(300, 5000):.2f}"
            days = rng.randrange(3, 12)
            leaves, returns = (
                f"2027-06-{rng.randrange(1, 28):02d} 08:30",
                f"2027-07-{days:02d} 10:00",
            )
            trip = (origin, city, "Nowhere", seat, price, leaves, 120, returns, 130, days)
            hotel = (f"Hotel {number // 7}", "3.5 star hotel", 8.1, "FREE_WIFI;SPA", "park")
            writer.writerow((*trip, *hotel))


def _search(address: str) -> Iterator[tuple[float, float]]:
    """Seats a user and a wizard; yields how long the wizard waits for a result, and for a note."""
    from commonground.play.collect.setup.plan import read_plan
    from commonground.play.rooms.players.guests import come_in
    from commonground.play.scenarios import get_scenario

    plan = read_plan(get_scenario("frames").room)
    tokens = [come_in(address, plan, role) for role in ("user", "wizard")]
    lines = [_connect(address, token) for token in tokens]
    for line in lines:  # the server opens the table, then their pages load anew
        _hear(line, "stage")
        line.close()
    user, wizard = (_connect(address, token) for token in tokens)
    for line in (user, wizard):
        _hear(line, "welcome")
    _act(user, "chat.message", {"text": "Hello, from City A1 to City B2, please."})
    rng = Random(2)
    for _ in range(SEARCHES):
        time.sleep(PAUSE_S)
        query = {"NUM_ADULTS": "2", "ORIGIN_CITY": rng.choice(_CITIES)}
        if rng.random() < 0.5:
            query["PRICE_MAX"] = str(rng.randrange(500, 5000))
        found_ms = _wait_for(wizard, "frames.search", query, "game.searches")
        time.sleep(PAUSE_S)
        sorry = {"of": "wizard", "name": "sorry"}
        noted_ms = _wait_for(wizard, "frames.act", sorry, "game.draft")
        time.sleep(PAUSE_S)
        _act(wizard, "frames.undo", {"of": "wizard"})
        yield found_ms, noted_ms
    user.close()
    wizard.close()


def _wait_for(line: ClientConnection, kind: str, payload: dict[str, Any], grows: str) -> float:
    """Makes an act; returns the milliseconds until the list that it makes longer is there."""
    began_s = time.perf_counter()
    _act(line, kind, payload)
    while grows not in _hear(line, "event").get("append", {}):
        pass
    return (time.perf_counter() - began_s) * 1000


def _connect(address: str, token: str) -> ClientConnection:
    line = connect(address.replace("http", "ws", 1) + "/talk", ping_interval=None)
    _tell(line, "hello", {"token": token, "last_seq": 0})
    return line


def _tell(line: ClientConnection, kind: str, fields: dict[str, Any]) -> None:
    line.send(msgspec.json.encode({kind: fields}).decode())


def _act(line: ClientConnection, kind: str, payload: dict[str, Any]) -> None:
    body = {"client_msg_id": f"{time.monotonic_ns()}", "type": kind, "payload": payload}
    _tell(line, "act", body)
    _hear(line, "ack")


def _hear(line: ClientConnection, wanted: str) -> dict[str, Any]:
    """Waits for a message of a kind; pings are answered meanwhile."""
    while True:
        [(kind, fields)] = msgspec.json.decode(line.recv(30)).items()
        if kind == "ping":
            _tell(line, "pong", {})
        if kind == "reject":
            raise RuntimeError(fields["code"])
        if kind == wanted:
            return dict(fields)
