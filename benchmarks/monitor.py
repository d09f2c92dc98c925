"""The monitor of a study with 1,000 sessions under way, in Chromium: how soon its pages are there.

Needs playwright and the system's Chromium. ``COMMONGROUND_BENCH_SESSIONS`` is another number.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.collecting import Crowd, new_study
from benchmarks.measure import Line

SESSIONS = int(os.environ.get("COMMONGROUND_BENCH_SESSIONS", "1000"))
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
LOOK_MS = 10_000
"""Milliseconds for which the page is watched while it renews itself each second."""

SOON_S = 2.0
"""Seconds within which a page, or what was clicked on it, is there."""

LONGEST_MS = 500.0
"""Milliseconds for which a page that renews itself may leave a click waiting."""

_LISTEN = """() => { globalThis.longest = 0;
  new PerformanceObserver((list) => {
    const longest = list.getEntries().map((each) => each.duration);
    globalThis.longest = Math.max(globalThis.longest, ...longest);
  }).observe({ entryTypes: ["longtask"] }); }"""


def run() -> list[Line]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        study = Path(folder) / "study"
        _fill(study)
        browser = started.chromium.launch(executable_path=path, args=list(CHROMIUM))
        with _serve(study) as address:
            found = dict(_look(browser.new_page(), address))
            longest_ms = found.pop("longest")
        browser.close()
    lines = [_line(what, seconds, SOON_S) for what, seconds in found.items()]
    return [
        *lines,
        _line(
            "a click left waiting while the page renews itself",
            longest_ms / 1000,
            LONGEST_MS / 1000,
        ),
    ]


def _line(what: str, seconds: float, most_s: float) -> Line:
    job = f"monitor of {SESSIONS:,} sessions under way: {what}"
    return Line(job, f"{seconds:.2f} s", "", None, f"under {most_s:g} s", seconds < most_s)


def _fill(folder: Path) -> None:
    """Seats people in as many sessions, none of whom is connected: each has a problem to show."""
    study = new_study(folder)
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    # Nobody is seen out while the pages are looked at.
    path.write_text(re.sub(r"(?m)^grace_s = \S+", "grace_s = 3600", text), encoding="utf-8")
    crowd = Crowd(study)
    for number in range(2 * SESSIONS):
        crowd.enter(number)
        if number % 2:
            crowd.do(crowd.hall.tick)
    assert len(crowd.hall.ledger.sessions) == SESSIONS
    crowd.close()


@contextmanager
def _serve(folder: Path) -> Iterator[str]:
    program = "from commonground.cli import main; main()"
    words = ["collect", "serve", str(folder), "--port", "0", "--monitor-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            said = [server.stdout.readline() for _ in range(2)]
            yield said[1].split()[-1]
        finally:
            server.kill()


def _look(page: Any, address: str) -> Iterator[tuple[str, float]]:
    """Yields what was done, with the seconds until it was there; and the longest task in ms."""
    page.set_default_timeout(120_000)

    def wait_for(rows: str, count: int, began_s: float) -> float:
        while page.locator(rows).count() != count:
            page.wait_for_timeout(10)
        return time.perf_counter() - began_s

    began_s = time.perf_counter()
    page.goto(address)
    yield "the page opened", wait_for("#sessions tr", SESSIONS, began_s)
    page.evaluate(_LISTEN)
    page.wait_for_timeout(LOOK_MS)
    yield "longest", page.evaluate("globalThis.longest")
    began_s = time.perf_counter()
    page.locator("#sessions a.button").last.click()
    yield "the last game watched", wait_for("#seats > *", 2, began_s)
    host = address.partition("/?")[0]
    began_s = time.perf_counter()
    page.goto(f"{host}/people")
    yield "the participants listed", wait_for("#rows tr", 50, began_s)
    for name, button in (("sorted", "#heads button >> nth=0"), ("turned over", "#next")):
        before = page.locator("#rows").inner_text()
        began_s = time.perf_counter()
        page.locator(button).click()
        while page.locator("#rows").inner_text() == before:
            page.wait_for_timeout(10)
        yield f"the participants {name}", time.perf_counter() - began_s
