"""People in real browsers: a study that a process serves, and the steps through its pages."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests import forks
from tests.forks import Fork
from tests.unit.play.rooms.midway import Crowd

from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.admitting import name_cookie
from commonground.play.scenarios import get_scenario

ANSWERS = {"common": "1", "chat": "2", "submit": "0"}
MARKS = {"red_cup": "common", "house_tree": "different", "boat": "common"}
SHOTS = os.environ.get("COMMONGROUND_SHOTS")
"""A folder to keep pictures of the pages in, to be looked at."""


def run(*words: object) -> str:
    """Runs a command, which succeeds, and returns what it prints."""
    done = forks.run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def _make_study(scenario: str, *languages: str) -> Path:
    """Makes a study with invented material, to be copied; returns its folder."""
    folder = Path(tempfile.mkdtemp(prefix="study-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _new(folder / "pilot", scenario, languages)
    return folder / "pilot"


def _new(folder: Path, scenario: str, languages: tuple[str, ...], *words: str) -> None:
    chosen = [word for each in languages for word in ("--language", each)]
    run("collect", "new", str(folder), "--scenario", scenario, *chosen, *words)
    ask_nobody(folder)


def ask_nobody(folder: Path, *, on: bool = False) -> None:
    """Lets games begin as soon as two people are there, without a click; or asks for it again."""
    path = folder / "study.toml"
    old, new = (f"ready_click = {'true' if each else 'false'}" for each in (not on, on))
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


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
        self.scenario = scenario
        if material is None:
            shutil.copytree(_make_study(scenario, *languages), self.folder)
        else:
            _new(self.folder, scenario, languages, "--images", str(material))
        self.process: Fork | None = None
        self.port = "0"

    def run(self, *words: str) -> str:
        return run("collect", *words)

    def change(self, old: str, new: str) -> None:
        """Changes a setting of the study, which is not served yet."""
        path = self.folder / "study.toml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def start(self, more: tuple[str, ...] = ()) -> None:
        """Serves the study by a process that need not load some modules more."""
        ports = ("--port", self.port, "--monitor-port", "0")
        self.process = Fork("collect", "serve", self.folder, *ports, more=more)
        said = [self.process.stdout.readline().split()[-1] for _ in range(2)]
        self.address, self.monitor = said[0].rstrip("/"), said[1]
        self.port = self.address.rpartition(":")[2]

    def seat(
        self,
        language: str = "en",
        until: Callable[[dict[str, Any]], bool] = lambda _: True,
    ) -> dict[str, str]:
        """Seats people before the study is served; returns the tokens of their pages by role.

        What the pages before the work ask for they have done, so the log says.

        Args:
            language: of the pages.
            until: where in the work they stand, said of what the first role sees; as a default
                where it begins.
        """
        crowd = Crowd(self.folder)
        try:
            return crowd.stop_when(until, language).tokens
        finally:
            crowd.close()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


def began(study: Served, token: str) -> dict[str, Any]:
    """What a browser keeps in which somebody agreed."""
    with closing(open_study(study.folder).open_identities()) as identities:
        name = name_cookie(identities)
    cookie = {"name": name, "value": token, "expires": -1, "httpOnly": True, "secure": False}
    cookie |= {"domain": "127.0.0.1", "path": "/", "sameSite": "Lax"}
    return {"cookies": [cookie], "origins": []}


def seat_people(study: Served, open_page: Any, *views: dict[str, Any], **where: Any) -> list[Any]:
    """Serves a study in which people are seated; returns their pages, in the order of roles.

    Args:
        study: that is not served yet.
        open_page: opens pages.
        views: of the windows, in the order of roles; a role without one has the default.
        where: they stand, as :meth:`Served.seat` takes it.
    """
    tokens = study.seat(**where)
    study.start()
    pages = []
    for number, role in enumerate(get_scenario(study.scenario).rules.roles):
        view = views[number] if number < len(views) else {}
        address = f"{study.address}/p/{tokens[role]}"
        pages.append(open_page(address, storage_state=began(study, tokens[role]), **view))
    return pages


def keep(page: Any, name: str, *, whole: bool = False) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=whole)


COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours."""

_RUN_AXE = """(options) => axe.run({ resultTypes: ["violations"], preload: false, ...options })
  .then(({ violations }) => violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)))"""


def check_accessible(page: Any, *, rules: tuple[str, ...] = ()) -> None:
    """Checks that axe finds nothing serious on a page.

    Args:
        page: to look at.
        rules: of axe; none for all of them.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(axe.axe_script)
    assert page.evaluate(_RUN_AXE, {"runOnly": list(rules)} if rules else {}) == []


def check_both_schemes(page: Any) -> None:
    """Checks that a light page is accessible, and that its colours are when it is dark."""
    page.emulate_media(color_scheme="light")
    check_accessible(page)
    page.emulate_media(color_scheme="dark")
    check_accessible(page, rules=COLOURS)


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


def all_sent(page: Any) -> None:
    """Waits until the server has everything that somebody wrote."""
    expect(page.locator(".sending")).to_have_count(0)


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
