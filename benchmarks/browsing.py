"""Five tasks of researchers, done with mouse and keys in a real browser on PhotoBook.

Each begins on the home page. What is counted: clicks, keys, and dead ends, which are steps that
the explorer has no way to take. Two times are given: how long the browser and the explorer took,
and how long a practised person needs for the same clicks, keys and decisions by the keystroke-level
model (Card, Moran and Newell 1980). ``COMMONGROUND_DATA`` names the released files; without
playwright or a Chromium nothing is measured.
"""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.explorer import COMMAND, import_words, served
from benchmarks.measure import Line, run_process

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CORPUS, TASK = "photobook", "photobook/reference"
WORD = "sorry"
"""Who mends what they said often says this."""

PATIENCE_MS = 15_000
KEY_S, POINT_S, THINK_S = 0.28, 1.3, 1.35
"""Seconds of a key, of pointing and clicking, and of making up one's mind before each step."""


class DeadEndError(Exception):
    """The explorer has no way to go on from here."""


class Hand:
    """Mouse and keyboard of a researcher, counted.

    Args:
        page: where it is at work.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.keys = self.steps = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1
        self.steps += 1

    def tick(self, target: Locator) -> None:
        """Clicks without making up the mind anew, as on the second of two boxes."""
        target.click()
        self.clicks += 1

    def write(self, target: Locator, text: str) -> None:
        """Clicks into a box, writes and sends."""
        self.click(target)
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.keys += len(text) + 1

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1
        self.steps += 1

    def choose(self, menu: Locator, label: str) -> None:
        """Opens a list of choices and takes one."""
        menu.select_option(label=label)
        self.clicks += 2
        self.steps += 1

    def go_to_corpus(self) -> None:
        self.click(self.page.get_by_role("link", name="PhotoBook", exact=True).first)

    def search(self, text: str) -> None:
        self.write(self.page.get_by_role("searchbox"), text)

    @property
    def person_s(self) -> float:
        """Seconds that a practised person needs."""
        return self.keys * KEY_S + self.clicks * POINT_S + self.steps * THINK_S


def find_repair(hand: Hand) -> None:
    """Find the games with most repair: read the one where people excuse themselves most."""
    hand.go_to_corpus()
    hand.search(WORD)
    hand.choose(hand.page.get_by_label("Order"), "most hits first")
    hand.click(hand.page.get_by_role("button", name="Sort", exact=True))
    hand.click(hand.page.locator(".result .hit").first)
    need(hand.page.locator(".event.current", has_text=WORD))


def find_error(hand: Hand) -> None:
    """Find why a prediction is wrong: see it in the talk, at its turn, beside the gold."""
    hand.click(hand.page.get_by_role("link", name="Results"))
    hand.click(hand.page.get_by_role("link", name="Different"))
    hand.click(hand.page.locator(".result.wrong .id").nth(3))
    need(hand.page.locator(".event.current .answered.wrong"))


def show_turn(hand: Hand) -> None:
    """Show a colleague this turn: the link is copied, and opens there."""
    hand.go_to_corpus()
    hand.click(hand.page.locator(".result .id").first)
    chosen = hand.page.locator(".event").nth(9)
    hand.click(chosen.locator(".at, .what").first)
    hand.press("l")
    need(hand.page.get_by_text("Link copied."))
    event = chosen.get_attribute("id")
    colleague = hand.page.context.new_page()
    colleague.goto(hand.page.evaluate("navigator.clipboard.readText()"))
    need(colleague.locator(f".event.current[id='{event}']"))
    colleague.close()


def compare_names(hand: Hand) -> None:
    """Compare how two pairs name one picture: both games side by side."""
    hand.go_to_corpus()
    hand.click(hand.page.get_by_role("link", name="Objects"))
    hand.click(hand.page.get_by_role("link", name="what was said").first)
    boxes = hand.page.locator(".link:has(.one) input")
    hand.click(boxes.nth(0))
    hand.tick(boxes.nth(1))
    hand.click(hand.page.get_by_role("button", name="Side by side"))
    need(hand.page.locator(".side .event").first)


def take_along(hand: Hand) -> None:
    """Take the set into pandas: a table with as many rows as were found."""
    hand.go_to_corpus()
    hand.search(WORD)
    hand.click(hand.page.locator("summary", has_text="Take along"))
    found = int(hand.page.locator(".summary b").inner_text().replace(",", ""))
    with hand.page.expect_download() as download:
        hand.click(hand.page.get_by_role("link", name="CSV"))
    with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
        rows = sum(1 for _ in csv.DictReader(file))
    if rows != found:
        raise DeadEndError(f"{rows} rows of {found}")


TASKS: tuple[Callable[[Hand], None], ...] = (
    find_repair,
    find_error,
    show_turn,
    compare_names,
    take_along,
)


def need(target: Locator) -> None:
    """Waits until what a task is about can be seen.

    Raises:
        DeadEndError: it does not come.
    """
    from playwright.sync_api import expect

    try:
        expect(target.first).to_be_in_viewport(timeout=PATIENCE_MS)
    except AssertionError as error:
        raise DeadEndError(str(error).splitlines()[0]) from error


@dataclass(frozen=True)
class Walk:
    """A task as it was done.

    Attributes:
        what: the task in words.
        hand: what its hand counted.
        seconds: how long browser and explorer took.
        dead_end: where it ended without its aim; empty where it did not.
    """

    what: str
    hand: Hand
    seconds: float
    dead_end: str


def walk(browser: Browser, home: str, task: Callable[[Hand], None]) -> Walk:
    """Does one task in a window of its own."""
    from playwright.sync_api import Error

    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(home)
    hand, began, dead_end = Hand(page), time.perf_counter(), ""
    try:
        task(hand)
    except (DeadEndError, Error) as error:
        dead_end = str(error).splitlines()[0]
    seconds = time.perf_counter() - began
    context.close()
    what = (task.__doc__ or task.__name__).partition(":")[0]
    return Walk(what, hand, seconds, dead_end)


def run() -> list[Line]:
    data, path = os.environ.get("COMMONGROUND_DATA"), shutil.which("chromium")
    if data is None or path is None:
        return []
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    with (
        tempfile.TemporaryDirectory() as folder,
        _explorer(Path(folder), Path(data)) as home,
        sync_playwright() as started,
    ):
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        walks = [walk(browser, home, task) for task in TASKS]
        browser.close()
    return [_line(each) for each in walks]


@contextmanager
def _explorer(folder: Path, data: Path) -> Iterator[str]:
    """Serves PhotoBook with pictures and scored predictions; gives the address of the home page."""
    source, store = data / CORPUS, folder / "store"
    images = source / "images"
    import_words(CORPUS, source, store, *(["--images", str(images)] if images.is_dir() else []))
    at, runs, scored = ["--store", str(store)], folder / "runs", folder / "overlap.parquet"
    words = ["baseline", TASK, "--method", "overlap", "--limit", "40", "--out", str(runs)]
    run_process([*COMMAND, *words, *at])
    words = ["evaluate", TASK, "--predictions", str(runs / "predictions-overlap.jsonl")]
    run_process([*COMMAND, *words, "--per-instance", str(scored), "--no-intervals", *at])
    with served(store, "--results", str(scored)) as server:
        # What is made once for each import is no part of a task.
        server.alone([f"/{CORPUS}/?q={WORD}", "/results"])
        yield f"http://127.0.0.1:{server.port}/"


def _line(done: Walk) -> Line:
    hand = done.hand
    counted = f"{hand.clicks} clicks, {hand.keys} keys; {done.seconds:.1f} s"
    return Line(
        done.what,
        f"{counted}; dead end: {done.dead_end}" if done.dead_end else counted,
        f"a person: {hand.person_s:.0f} s",
        None,
        "no dead end",
        not done.dead_end,
    )
