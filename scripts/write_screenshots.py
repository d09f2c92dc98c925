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
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from commonground.corpora import get_corpus
from commonground.site.dialogues import load_drawn
from commonground.site.images import PictureFolder
from commonground.site.single import render_single
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CORPORA = ("frames", "mpchat", "photobook", "simmc", "taskmaster3")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
SIZE = (1400, 900)
WIDTH = 1000
"""Pixels across of a picture in the docs."""


def write_page(corpus: str, folder: Path) -> tuple[Path, int]:
    """Writes the page of an invented dialogue; returns it and an event in its middle."""
    files, store = folder / corpus, folder / "store"
    files.mkdir()
    entry = get_corpus(corpus)
    entry.simulate(files, dialogues=6, seed=4)
    pictures = files / "images"
    import_corpus(entry, [files], store=store, images=pictures if pictures.is_dir() else None)
    loaded = open_store(store).corpus(corpus)
    drawn = max(
        (load_drawn(loaded, each) for each in loaded.ids()), key=lambda each: len(each.page.rows)
    )
    page = folder / f"{corpus}.html"
    found = PictureFolder(pictures if pictures.is_dir() else None)
    page.write_text(render_single(drawn, found), encoding="utf-8")
    return page, len(drawn.page.rows) * 2 // 3


def take_picture(browser: Any, page: Path, event: int) -> bytes:
    """Opens a page at an event and returns what a reader sees, as WebP."""
    opened = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    opened.goto(f"{page.as_uri()}#e{event}")
    opened.wait_for_timeout(300)
    seen = Image.open(io.BytesIO(opened.screenshot()))
    opened.close()
    small = seen.convert("RGB").resize((WIDTH, WIDTH * seen.height // seen.width))
    data = io.BytesIO()
    small.save(data, "WEBP", quality=82)
    return data.getvalue()


def main() -> None:
    """Writes a picture for each corpus named, or for all."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for corpus in sys.argv[1:] or CORPORA:
            data = take_picture(browser, *write_page(corpus, Path(folder)))
            (IMAGES / f"{corpus}.webp").write_bytes(data)
            sys.stdout.write(f"docs/images/{corpus}.webp: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
