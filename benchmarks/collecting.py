"""A collection under load: how soon acts are acknowledged, what sessions leave, how exports go."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from benchmarks.explorer import import_words, paths_of, served
from benchmarks.measure import Line
from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus

PAIRS = int(os.environ.get("COMMONGROUND_BENCH_PAIRS", "150"))
READERS = 10
"""People who read pages of the explorer beside them, one after the other."""

READ_EVERY_S = 2.0
READ = 1_000
"""Invented games that the explorer has, unless ``COMMONGROUND_STORE`` names a store."""

ACT_EVERY_S = 1.45
"""Seconds between two acts of a person who is ten times as fast as those of the released games."""

LOAD_S = 30.0
SESSIONS = 1_000
FEW = 100
TEXTS = 13
"""Messages on a page of a released game."""


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as folder:
        lines = [_load(Path(folder) / "load")]
        return lines + _many(Path(folder) / "many")


def new_study(folder: Path, more: str = "") -> Any:
    """Prepares a study of invented pictures; ``more`` is put after its settings."""
    from commonground.play.collect.setup.preparing import prepare_study
    from commonground.play.collect.setup.study import open_study

    prepare_study(folder, "photobook", material=None, languages=("en",))
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8").replace("ready_click = true", "ready_click = false")
    if more:
        text = text.replace("model_partners = false", "model_partners = true")
    path.write_text(text + more, encoding="utf-8")
    return open_study(folder)


class Crowd:
    """People of a study, as its hall knows them, and a log that keeps what they do.

    Args:
        study: that they take part in.
    """

    def __init__(self, study: Any) -> None:
        from commonground.play.collect.identities import Identities, Identity
        from commonground.play.collect.live.standing import restore_hall

        self.identities = Identities(study.identities_path)
        self.log = study.open_log(write=True)
        self.hall = restore_hall(study, self.log, self.identities.receipt)
        self.identity = Identity
        self.now_us = time.time_ns() // 1000
        self.connections = 0

    def do(self, act: Callable[..., None], *args: Any, **options: Any) -> None:
        self.log.append(self.hall.do(self.now_us, act, *args, **options).events)

    def enter(self, number: int) -> str:
        pid = self.identities.pseudonym(self.identity("plain", f"person {number}"))
        hall = self.hall
        self.do(hall.arrive, pid, language="en", platform="plain")
        self.do(hall.consent, pid, version="1", digest="d")
        self.do(hall.answer_quiz, pid, answers=[], right=True)
        self.do(hall.get_ready, pid)
        self.connect(pid)
        return pid

    def connect(self, pid: str) -> int:
        self.connections += 1
        self.do(self.hall.presence.connect, pid, self.connections)
        return self.connections

    def disconnect(self, tab: int) -> None:
        """Closes a tab, as browsers do when a page gives way to the next."""
        self.do(self.hall.presence.disconnect, tab)

    def close(self) -> None:
        self.log.close()
        self.identities.close()


def _load(folder: Path) -> Line:
    crowd = Crowd(new_study(folder))
    pids = [crowd.enter(number) for number in range(2 * PAIRS)]
    crowd.do(crowd.hall.tick)
    assert len(crowd.hall.ledger.sessions) == PAIRS
    tokens = [crowd.identities.token(pid) for pid in pids]
    crowd.close()
    with _read_beside(folder.parent) as read:
        waits_s = play_served(folder, tokens, LOAD_S)
    p99_ms = waits_s[int(0.99 * len(waits_s))] * 1000
    doubled = count_faults(folder, len(waits_s))
    return Line(
        f"an act acknowledged, {PAIRS} games at ten times human speed beside the explorer, p99",
        f"{p99_ms:.1f} ms",
        f"{len(waits_s):,} acts, {doubled} lost or doubled; {len(read):,} pages of the explorer, "
        f"p99 {sorted(read)[int(0.99 * len(read))]:.0f} ms",
        None,
        "under 50 ms, none lost",
        p99_ms < 50 and not doubled,
    )


@contextmanager
def _read_beside(folder: Path) -> Iterator[list[float]]:
    """Has people read in the explorer; yields the milliseconds that their pages took so far."""
    store = Path(os.environ.get("COMMONGROUND_STORE", folder / "store"))
    if "COMMONGROUND_STORE" not in os.environ:
        simulate_corpus(get_corpus("photobook"), folder / "files", dialogues=READ, seed=1)
        import_words("photobook", folder / "files", store)
    read: list[float] = []
    done = threading.Event()

    def go_on(number: int) -> None:
        mine = paths[number::READERS]
        rng = Random(number)
        for at in count():
            if done.wait(rng.expovariate(1 / READ_EVERY_S)):
                return
            # Servers close connections on which nobody asks for a while.
            with closing(server.connect()) as connection:
                read.append(server.get(connection, mine[at % len(mine)]))

    with served(store) as server:
        paths = [path for each in paths_of(server, "photobook").values() for path in each]
        Random(1).shuffle(paths)
        with ThreadPoolExecutor(READERS) as readers:
            going = [readers.submit(go_on, number) for number in range(READERS)]
            try:
                yield read
            finally:
                done.set()
        for each in going:
            each.result()  # raises where a page could not be read


def play_served(
    folder: Path, tokens: list[str], load_s: float, environment: dict[str, str] | None = None
) -> list[float]:
    """Serves a study to people who write texts; returns the seconds until each was acknowledged.

    Args:
        folder: of the study, in which all of them have a seat.
        tokens: of the people.
        load_s: for how long they write.
        environment: variables that the server has beside those of this process.

    Returns:
        The waits, in rising order.
    """
    program = "from commonground.cli import main; main()"
    words = ["collect", "serve", str(folder), "--port", "0", "--monitor-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    ) as server:
        assert server.stdout is not None
        port = re.search(r":(\d+)/", server.stdout.readline())
        assert port is not None
        try:
            return sorted(asyncio.run(_play_together(tokens, int(port[1]), load_s)))
        finally:
            server.kill()


async def _play_together(tokens: list[str], port: int, load_s: float) -> list[float]:
    found = await asyncio.gather(*(_person(token, port, load_s) for token in tokens))
    return [wait_s for each in found for wait_s in each]


async def _person(token: str, port: int, load_s: float) -> list[float]:
    from websockets.asyncio.client import connect

    rng, waits_s = Random(token), []
    sent_s: dict[str, float] = {}
    await asyncio.sleep(rng.uniform(0, 3))
    async with connect(f"ws://127.0.0.1:{port}/talk", ping_interval=None) as socket:
        await socket.send(_encode("hello", token=token, last_seq=0))
        begun = asyncio.Event()

        async def listen() -> None:
            async for message in socket:
                (kind, fields), *_ = msgspec.json.decode(message).items()
                if fields.get("view", fields.get("set", {})).get("started"):
                    begun.set()
                if kind == "ack":
                    waits_s.append(time.monotonic() - sent_s[fields["client_msg_id"]])
                elif kind == "ping":
                    await socket.send(_encode("pong"))

        listening = asyncio.create_task(listen())
        await begun.wait()
        await asyncio.sleep(3)  # until everybody is there
        end_s = time.monotonic() + load_s
        while time.monotonic() < end_s:
            await asyncio.sleep(rng.expovariate(1 / ACT_EVERY_S))
            msg_id = f"{token[:13]}{len(sent_s)}"
            sent_s[msg_id] = time.monotonic()
            text = {"text": f"message {len(sent_s)}"}
            act = {"client_msg_id": msg_id, "type": "chat.message", "payload": text, "round": 1}
            await socket.send(_encode("act", **act))
        for _ in range(100):
            if len(waits_s) < len(sent_s):
                await asyncio.sleep(0.1)
        listening.cancel()
    assert len(waits_s) == len(sent_s), "acts without an answer"
    return waits_s


def _encode(kind: str, **fields: Any) -> str:
    return msgspec.json.encode({kind: fields}).decode()


def count_faults(folder: Path, acknowledged: int) -> int:
    """Counts texts of people that were lost or are in the log twice."""
    from commonground.play.collect.setup.study import open_study

    log = open_study(folder).open_log()
    kept = [event.client_msg_id for event in log.read() if _is_text_of_person(event)]
    log.close()
    return abs(acknowledged - len(kept)) + len(kept) - len(set(kept))


def _is_text_of_person(event: Any) -> bool:
    msg_id = event.client_msg_id or ""
    return event.type == "chat.message" and not msg_id.startswith("agent-")


def _many(folder: Path) -> list[Line]:
    from commonground.play.collect.exports.exporting import export_study

    study = new_study(folder)
    crowd = Crowd(study)
    sizes = {}
    for number in range(SESSIONS):
        pids = [crowd.enter(2 * number), crowd.enter(2 * number + 1)]
        _play_game(crowd, pids)
        if number + 1 in (FEW, SESSIONS):
            gc.collect()
            sizes[number + 1] = _resident_mib()
    crowd.close()
    growth = sizes[SESSIONS] / sizes[FEW] - 1
    began_s = time.perf_counter()
    exported = export_study(study, folder.parent / "OUT")
    seconds = time.perf_counter() - began_s
    assert exported.complete == SESSIONS
    return [
        Line(
            f"memory after {SESSIONS:,} sessions",
            f"{sizes[SESSIONS]:.0f} MiB",
            f"{100 * growth:+.1f} % of that after {FEW}",
            None,
            "within 5 %",
            growth < 0.05,
        ),
        Line(
            f"a study of {SESSIONS:,} games exported",
            f"{seconds:.2f} s",
            f"{exported.files:,} files",
            None,
            "under 3 s",
            seconds < 3,
        ),
    ]


def _play_game(crowd: Crowd, pids: list[str]) -> None:
    hall = crowd.hall
    crowd.now_us += 1_000_000
    events = list(hall.do(crowd.now_us, hall.tick).events)
    tabs = []
    for pid in pids:
        crowd.connections += 1
        tabs.append(crowd.connections)
        connected = hall.do(crowd.now_us, hall.presence.connect, pid, crowd.connections)
        events += connected.events
    session = hall.ledger.sessions[hall.ledger.person(pids[0]).session or ""]
    for number in range(1, 6):
        for text in range(TEXTS):
            events += _act(crowd, tabs[text % 2], "chat.message", number, text=f"text {text}")
        for tab, pid in zip(tabs, pids, strict=True):
            view = session.view(session.seat_of(pid).role)
            for image in view["game"]["images"]:
                if image["highlighted"]:
                    marked = {"image": image["image"], "label": "common"}
                    events += _act(crowd, tab, "photobook.mark", number, **marked)
            events += _act(crowd, tab, "photobook.submit", number)
        for tab in tabs:
            events += _act(crowd, tab, "photobook.review", number)
            if number < 5:
                events += _act(crowd, tab, "photobook.next", number)
    for tab in tabs:
        grades = {"col": 5, "partner_u": 5, "self_u": 5, "text": "fine"}
        events += _act(crowd, tab, "photobook.questionnaire", 5, **grades)
    crowd.log.append(events)
    for tab in tabs:
        crowd.disconnect(tab)


def _act(crowd: Crowd, tab: int, kind: str, in_round: int, **payload: Any) -> list[Any]:
    crowd.now_us += 700_000
    message = {
        "client_msg_id": f"m{crowd.now_us}",
        "type": kind,
        "payload": payload,
        "round": in_round,
    }
    return crowd.hall.do(crowd.now_us, crowd.hall.acting.act, tab, message).events


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
