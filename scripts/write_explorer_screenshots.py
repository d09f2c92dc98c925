"""Writes pictures of the explorer's lists, of invented data, to ``docs/images``.

Usage: ``python scripts/write_explorer_screenshots.py [PAGE ...]``. Needs playwright and the
system's Chromium. Pages of dialogues are drawn by ``write_screenshots.py``.

Each page is opened by its address, as a reader would who has it as a bookmark; so what the pages
look like may change, and the pictures are renewed without a change here.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright
from write_screenshots import BREADTH, IMAGES, open_browser, shrink

import commonground as cg
from commonground.bench.evaluation.access import find_gold
from commonground.bench.evaluation.instances import write_scored
from commonground.bench.evaluation.tasks import get_task

CORPORA = ("frames", "mpchat", "photobook", "simmc", "simmc2", "taskmaster3", "taskmaster4")
DIALOGUES = 40
FAULTS = 3
"""Records of each corpus that are broken, so that there are findings to be seen."""

TASK, METHOD = "photobook/reference", "overlap"
"""What the page of results shows."""


PATIENCE_MS = 120_000


class Scene(NamedTuple):
    """A page of the explorer.

    Attributes:
        address: its path, with what is asked for.
        height: pixels of it that are shown.
    """

    address: str
    height: int = 860


SCENES = {
    "corpora": Scene("/"),
    "search": Scene("/photobook/?q=speaker%3AA+round%3A3+the"),
    "objects": Scene("/photobook/?tab=objects"),
    "findings": Scene("/photobook/findings"),
    "figures": Scene("/photobook/figures#scores"),
    "results": Scene("/results?only=wrong"),
}


def fill_store(folder: Path) -> tuple[Path, Path]:
    """Imports invented corpora with some faults; returns the store and a file of results."""
    store, scored = folder / "store", folder / f"{METHOD}.parquet"
    for corpus in CORPORA:
        files = cg.simulate(corpus, folder / corpus, dialogues=DIALOGUES, seed=1, faults=FAULTS)
        pictures = files / "images"
        images = pictures if pictures.is_dir() else None
        cg.import_files(corpus, files, images=images, store=store)
    (made,) = cg.run_baselines(TASK, METHOD, store=store, out=folder / "runs")
    task, found = get_task(TASK), cg.evaluate(TASK, made.predictions.path, store=store)
    write_scored(found.instances, scored, task=task, gold=find_gold(task, store=store))
    return store, scored


@contextmanager
def serving(store: Path, scored: Path) -> Iterator[str]:
    """Serves a store by a process of its own; yields its address."""
    words = ("serve", "--store", str(store), "--results", str(scored), "--port", "0")
    with subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-m", "commonground", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            lines = iter(server.stdout.readline, "")
            yield next(found[0] for each in lines if (found := re.search(r"http://[^\s/]+", each)))
        finally:
            server.send_signal(signal.SIGINT)


def take_picture(browser: Any, address: str, scene: Scene) -> bytes:
    """Opens a page and returns the beginning of it, as WebP."""
    window = {"width": BREADTH, "height": scene.height}
    page = browser.new_page(viewport=window, reduced_motion="reduce")
    page.goto(f"{address}{scene.address.partition('#')[0]}")
    # While figures are counted, a page says so and loads itself again.
    page.wait_for_function("() => !document.querySelector('progress')", timeout=PATIENCE_MS)
    answer = page.reload()
    if not answer.ok:
        sys.exit(f"{scene.address} answers {answer.status}")
    page.goto(f"{address}{scene.address}")
    page.wait_for_timeout(300)  # pictures are decoded after the page is loaded
    seen = page.screenshot()
    page.close()
    return shrink(seen, scene.height)


def main() -> None:
    """Writes a picture for each page named, or for all."""
    wanted = {name: SCENES[name] for name in sys.argv[1:] or SCENES}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = open_browser(started)
        with serving(*fill_store(Path(folder))) as address:
            for name, scene in wanted.items():
                data = take_picture(browser, address, scene)
                (IMAGES / f"explorer-{name}.webp").write_bytes(data)
                sys.stdout.write(f"docs/images/explorer-{name}.webp: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
