"""People in real browsers: a study that a process serves, and the steps through its pages."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests import forks
from tests.forks import Fork

ANSWERS = {"common": "1", "chat": "2", "submit": "0"}
MARKS = {"red_cup": "common", "house_tree": "different", "boat": "common"}
SHOTS = os.environ.get("COMMONGROUND_SHOTS")
"""A folder to keep pictures of the pages in, to be looked at."""


def run(*words: object) -> str:
    """Runs a command, which succeeds, and returns what it prints."""
    done = forks.run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Served:
    """A study that a process serves.

    Args:
        folder: to make it in.
        languages: of the pages.
        scenario: that is played.
        material: folder of what is played with; null to invent it.
    """

    def __init__(
        self,
        folder: Path,
        *languages: str,
        scenario: str = "photobook",
        material: Path | None = None,
    ) -> None:
        self.folder = folder / "pilot"
        words = [word for each in languages for word in ("--language", each)]
        words += [] if material is None else ["--images", str(material)]
        self.run("new", str(self.folder), "--scenario", scenario, *words)
        self.process: Fork | None = None
        self.port = "0"

    def run(self, *words: str) -> str:
        return run("collect", *words)

    def start(self) -> None:
        ports = ("--port", self.port, "--monitor-port", "0")
        self.process = Fork("collect", "serve", self.folder, *ports)
        said = [self.process.stdout.readline().split()[-1] for _ in range(2)]
        self.address, self.monitor = said[0].rstrip("/"), said[1]
        self.port = self.address.rpartition(":")[2]

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


def keep(page: Any, name: str, *, whole: bool = False) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=whole)


def check_accessible(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    serious = [v["id"] for v in found if v["impact"] in ("serious", "critical")]
    assert serious == [], [(v["id"], v["nodes"][0]["html"]) for v in found]


def check_fits(page: Any) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{wide} pixels too wide"


def consent(page: Any) -> None:
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()


def pass_quiz(page: Any) -> None:
    for name, value in ANSWERS.items():
        page.locator(f"input[name={name}][value='{value}']").check()
    page.locator("button.main").click()


def practise(page: Any) -> None:
    for name, value in MARKS.items():
        page.locator(f"input[name={name}][value={value}]").check()
    page.locator("button.main").click()
    page.locator("form[action$='/ready'] button").click()


def enter(page: Any) -> None:
    """Leads somebody from the start page into the waiting room, or to the table."""
    page.locator("button.main").click()
    consent(page)
    pass_quiz(page)
    practise(page)


def at_the_table(page: Any) -> None:
    page.locator("#pb-grid .pb-card").first.wait_for()


def at_place(page: Any, selector: str, number: int) -> None:
    """Waits until a heading says "Page 5 of 5", which "Page 4 of 5" is not."""
    page.locator(selector).filter(has_text=re.compile(rf"\b{number} \D")).wait_for()


def at_page(page: Any, number: int) -> None:
    at_place(page, "#pb-page", number)


def say(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")


def mark(page: Any, label: str = "common") -> None:
    for choice in page.locator(".pb-choice").all():
        choice.locator(f"input[value={label}]").check()


def play_pages(pages: list[Any], first: int = 1, last: int = 5) -> None:
    for number in range(first, last + 1):
        for page in pages:
            at_page(page, number)
            mark(page)
            page.locator("#pb-submit").click()
        for page in pages:
            page.locator("#pb-score").wait_for()
            if number < 5:
                page.locator("#pb-next").click()


def answer_questions(page: Any) -> None:
    for name in ("col", "partner_u", "self_u"):
        page.locator(f"input[name={name}][value='5']").check()
    page.locator("#pb-questions button.main").click()
