"""People who write both sides of a dialogue in real browsers, along scripts made for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.browser.visiting import Served, run, seat_people

ANSWERS = {"who": "1", "words": "2", "values": "0"}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SCRIPT = """THE SCENE: a ticket desk.

{{LIST Use *your own* words, Be brief}}
{{HIDE film name.movie Big Sky}}
{{HIDE time_1 time.showing 4:30pm}}
{{HIDE time_2 time.showing 9:10pm}}
{{ENTER people num.tickets Who comes along?}}
{{CONVERSATION
force assistant Hello! Which film?
hint user (Ask for ‘var_film’.)
call find_showtimes name.movie var_film
response find_showtimes time.showing var_time_1 time.showing var_time_2
force assistant var_film is on at var_time_1 and var_time_2.
hint user (Choose ‘var_time_2’, for ‘var_people’.)
}}
Almost done.
{{CHECK flow One turn follows from the other.}}
{{CHECK kind Nobody is hurt.}}
"""
TURNS = {1: "Is Big Sky on tonight?", 3: "9:10pm for my sister and me, please."}


class Writers(Served):
    """A served study of self-dialogs along one script.

    Args:
        folder: to make it in.
        scenario: whose dialect is written.
        script: that all write along.
    """

    def __init__(self, folder: Path, scenario: str = "taskmaster3", script: str = SCRIPT) -> None:
        scripts = folder / "scripts"
        scripts.mkdir()
        # As many copies as sessions, since nobody is given the same script twice.
        for name in ("One", "Two"):
            (scripts / f"{name}.script").write_text(script.replace("SCENE", name), "utf-8")
        super().__init__(folder, "en", "de", scenario=scenario, material=scripts)
        self.out = folder / "OUT"

    def export(self) -> list[dict[str, Any]]:
        """Exports what was written; the reader finds nothing wrong with it."""
        assert "1 complete session" in self.run("export", str(self.folder), str(self.out))
        run("check", self.scenario, self.out, "--fail-on", "warning")
        (path,) = (each for each in self.out.glob("*/*.json") if each.parent.name == "data")
        records: list[dict[str, Any]] = json.loads(path.read_bytes())
        assert self.replay() == records
        return records

    def replay(self) -> list[dict[str, Any]]:
        """Returns the records of the first session, played again from its log."""
        told = json.loads(self.run("replay", str(self.folder), "s0001", "--json"))
        records: list[dict[str, Any]] = told["records"]
        return records


def begin(page: Any) -> None:
    """Leads somebody from the start page to the script."""
    page.locator("button.main").click()
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()
    page.locator("#quiz").wait_for()
    for name, value in ANSWERS.items():
        page.locator(f"input[name={name}][value='{value}']").check()
    page.locator("button.main").click()
    ready = page.locator("form[action$='/ready'] button")
    page.locator("#tm[data-phase]").or_(ready).first.wait_for()
    if ready.count():
        ready.click()
        page.locator("#tm[data-phase]").wait_for()


def sit_down(study: Writers, open_page: Any, **view: Any) -> Any:
    """Serves a study in which somebody is at the script; returns their page."""
    (page,) = seat_people(study, open_page, view)
    page.locator("#tm[data-phase]").wait_for()
    return page


def enter(page: Any, *values: str) -> None:
    """Fills in the form."""
    fields = page.locator("#tm-forms-page input")
    for number, value in enumerate(values):
        fields.nth(number).fill(value)
    page.locator("#tm-enter").click()
    page.locator("#tm-forms").wait_for(state="hidden")


def write(page: Any, turn: int, text: str) -> None:
    """Writes a turn, and waits until it counts."""
    box = page.locator(f"#tm-text-{turn}")
    box.fill(text)
    box.press("Enter")
    said(page, turn, text)


def said(page: Any, turn: int, text: str) -> None:
    """Waits until a turn stands in the dialogue, marked or not."""
    page.locator(f"[data-turn='{turn}']:not(.box) .tm-said").wait_for()
    words = "(each) => [...each.childNodes].map((n) => n.firstChild?.data ?? n.data).join('')"
    assert page.locator(f"[data-turn='{turn}'] .tm-said").evaluate(words) == text


def write_all(page: Any) -> None:
    """Goes from the form to where it is looked over."""
    enter(page, "my sister and me")
    for turn, text in TURNS.items():
        write(page, turn, text)
    page.locator("#tm[data-phase=review]").wait_for()


def submit(page: Any) -> None:
    """Confirms, ticks and submits."""
    page.locator("#tm-confirm").click()
    page.locator("#tm-marks-state.good").wait_for()
    for box in page.locator("#tm-checks input").all():
        box.check()
    page.locator("#tm-submit:enabled").click()
    page.locator(".code-text").wait_for()
