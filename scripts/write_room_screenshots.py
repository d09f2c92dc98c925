"""Writes pictures of the pages that people work on, with invented data, to ``docs/images``.

Usage: ``python scripts/write_room_screenshots.py [SCENARIO ...]``. Needs playwright and the
system's Chromium. Each scenario has a scene below: what it is played with, and what is done until
the picture is taken.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import sync_playwright

from commonground.collect.preparing import prepare_study
from commonground.corpora import get_scenario
from commonground.corpora.simmc.scenario.annotation import material as annotation
from commonground.corpora.simmc.scenario.release import release_records
from commonground.rooms.rehearsing import serve_beside

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDTH = 1000
"""Pixels across of a picture in the docs."""


class Scene(NamedTuple):
    """What a picture shows.

    Attributes:
        prepare: writes what is played with into a folder.
        act: leads a page from the first look at the work to what the picture shows.
        height: pixels of the window.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Any], None]
    height: int


def write_talk(folder: Path) -> None:
    """Writes an invented talk in which things are compared, with their pictures."""
    seed = 27
    (talk, *_) = annotation.invent_material(2, seed)
    annotation.write_material([talk], folder, seed)
    records = [each for each in (talk.dialogue, talk.calls, talk.task) if each is not None]
    for file in release_records(records):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)


def annotate(page: Any) -> None:
    """Goes on to the comparison, accepts some of its proposals and searches for its act."""
    for number in range(2, 8):
        page.keyboard.press("Enter")
        page.locator(f"#sa-place:has-text('{number}')").wait_for()
    page.keyboard.press("1")
    page.locator(".sa-slot .sa-main").first.click()
    page.locator("#sa-words").focus()
    page.keyboard.press("a")
    page.locator("#sa-query").press_sequentially("sk comp p")
    page.locator("#sa-options [aria-selected=true]").wait_for()


SCENES = {"simmc-annotation": Scene(write_talk, annotate, 800)}


def enter(page: Any, scenario: str) -> None:
    """Leads somebody who works alone from the start page to the work."""
    plan = tomllib.loads((get_scenario(scenario).room / "room.toml").read_text(encoding="utf-8"))
    page.locator("button.main").click()
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()
    for question in plan["quiz"]:
        page.locator(f"input[name={question['name']}][value='{question['right']}']").check()
    page.locator("button.main").click()
    page.locator(".table").wait_for()


def take_picture(browser: Any, scenario: str, folder: Path) -> bytes:
    """Plays a scene and returns its last look, as WebP."""
    scene, material = SCENES[scenario], folder / "material"
    material.mkdir()
    scene.prepare(material)
    prepare_study(folder / "study", scenario, material=material, languages=("en",))
    with serve_beside(folder / "study") as address:
        page = browser.new_page(viewport={"width": 1280, "height": scene.height})
        page.goto(address)
        enter(page, scenario)
        scene.act(page)
        seen = Image.open(io.BytesIO(page.screenshot()))
        page.close()
    small = seen.convert("RGB").resize((WIDTH, WIDTH * seen.height // seen.width))
    data = io.BytesIO()
    small.save(data, "WEBP", quality=82)
    return data.getvalue()


def main() -> None:
    """Writes a picture for each scenario named, or for all."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for scenario in sys.argv[1:] or SCENES:
            with tempfile.TemporaryDirectory() as folder:
                data = take_picture(browser, scenario, Path(folder))
            name = f"collect-{scenario}.webp"
            (IMAGES / name).write_bytes(data)
            sys.stdout.write(f"docs/images/{name}: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
