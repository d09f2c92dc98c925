"""Writes pictures of dialogue pages, of invented data, to ``docs/images``.

Usage: ``python scripts/write_screenshots.py [CORPUS ...]``. Needs playwright and the system's
Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import sync_playwright

from commonground.corpora import get_corpus
from commonground.explorer.dialogue import draw_stored, render_single
from commonground.model import Dialogue
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store
from commonground.store.pictures import PictureFolder

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
BREADTH = 1400
"""Pixels across of the window."""

WIDTH = 1000
"""Pixels across of a picture in the docs."""

TALL = 2400
"""Pixels of a window in which the beginning of a page is seen whole, without scrolling."""


class Scene(NamedTuple):
    """What a picture shows of a dialogue.

    Attributes:
        kind: `utterance`, or the name of the action that is in focus.
        share: how far into the dialogue, or its part, that event stands; from 0 to 1.
        segment: number of the part; null for the whole dialogue.
        height: pixels of the page that are shown.
        from_top: whether the beginning of the page is shown, not what stands around the event.
    """

    kind: str = "utterance"
    share: float = 0.6
    segment: int | None = None
    height: int = 900
    from_top: bool = False

    def event(self, dialogue: Dialogue) -> int:
        """Returns the number of the event in focus."""
        fitting = [
            number
            for number, each in enumerate(dialogue.events)
            if self.kind in (each.kind, each.name) and self.segment in (None, each.segment)
        ]
        return fitting[int(self.share * (len(fitting) - 1))]


SCENES = {
    "frames": Scene("search", 0.0, from_top=True),
    "mpchat": Scene(share=0.3),
    "photobook": Scene("selection", 0.3, segment=4, height=700),
    "simmc": Scene(),
    "taskmaster3": Scene(height=840),
}


def write_page(corpus: str, folder: Path) -> tuple[Path, int]:
    """Writes the page of an invented dialogue, the longest of some; returns it and an event."""
    files, store = folder / corpus, folder / "store"
    files.mkdir()
    entry = get_corpus(corpus)
    simulate_corpus(entry, files, dialogues=6, seed=4)
    pictures = files / "images"
    import_corpus(entry, [files], store=store, images=pictures if pictures.is_dir() else None)
    loaded = open_store(store).corpus(corpus)
    drawn = max(
        (draw_stored(loaded, each) for each in loaded.ids()), key=lambda each: len(each.page.rows)
    )
    page = folder / f"{corpus}.html"
    found = PictureFolder(pictures if pictures.is_dir() else None)
    page.write_text(render_single(drawn, found), encoding="utf-8")
    return page, SCENES[corpus].event(drawn.dialogue)


def take_picture(browser: Any, scene: Scene, page: Path, event: int) -> bytes:
    """Opens a page at an event and returns what a reader sees, as WebP."""
    height = TALL if scene.from_top else scene.height
    opened = browser.new_page(viewport={"width": BREADTH, "height": height})
    opened.goto(page.as_uri() if scene.from_top else f"{page.as_uri()}#e{event}")
    for _ in range(event if scene.from_top else 0):
        opened.keyboard.press("n")
    opened.wait_for_timeout(300)
    seen = opened.screenshot()
    opened.close()
    return shrink(seen, scene.height)


def shrink(seen: bytes, height: int) -> bytes:
    """Cuts the screenshot of a window to a height, and makes it as wide as the docs are."""
    cut = Image.open(io.BytesIO(seen)).crop((0, 0, BREADTH, height))
    small = cut.convert("RGB").resize((WIDTH, WIDTH * height // BREADTH))
    data = io.BytesIO()
    small.save(data, "WEBP", quality=82)
    return data.getvalue()


def open_browser(started: Any) -> Any:
    """Starts the system's Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    return started.chromium.launch(executable_path=path, args=list(ARGUMENTS))


def main() -> None:
    """Writes a picture for each corpus named, or for all."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = open_browser(started)
        for corpus in sys.argv[1:] or SCENES:
            data = take_picture(browser, SCENES[corpus], *write_page(corpus, Path(folder)))
            (IMAGES / f"{corpus}.webp").write_bytes(data)
            sys.stdout.write(f"docs/images/{corpus}.webp: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
