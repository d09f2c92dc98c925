"""Imports of the real corpora against decoding the same bytes."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.measure import Line, best_of, python, run_process

IMPORT = """
import sys
from pathlib import Path
from time import perf_counter
from commonground.corpora import get_corpus
from commonground.store import importing
from commonground.store.arrow import forgo_pandas
forgo_pandas()
write_index = importing.write_index

def time_index(*given):
    global index
    started = perf_counter()
    written = write_index(*given)
    index = perf_counter() - started
    return written

importing.write_index = time_index
tables = whole = 1e9
for _ in range(int(sys.argv[3])):
    summary = importing.import_corpus(
        get_corpus(sys.argv[1]), sys.argv[4:], store=Path(sys.argv[2]), force=True, check=False
    )
    whole, tables = min(whole, summary.seconds), min(tables, summary.seconds - index)
print(tables, whole)
"""


class ImportTimes(NamedTuple):
    """The best times of imports.

    Attributes:
        tables: seconds without the index.
        whole: seconds with the index.
        peak_mb: memory.
    """

    tables: float
    whole: float
    peak_mb: float


def import_run(corpus: str, paths: Sequence[str | Path], times: int = 3) -> ImportTimes:
    """Imports several times in a fresh process; returns the best times and the peak in MB."""
    with tempfile.TemporaryDirectory() as store:

        def words(count: int) -> list[str]:
            return python(IMPORT, corpus, store, str(count), *map(str, paths))

        # Not watched: to add up the memory of three processes on two cores fifty times a second
        # takes a quarter of the time.
        timed = subprocess.run(words(times), check=True, stdout=subprocess.PIPE, text=True)
        watched = run_process(words(1))
    tables, whole = map(float, timed.stdout.split()[-2:])
    return ImportTimes(tables, whole, watched.peak_mb)


def run() -> list[Line]:
    lines = []
    data = os.environ.get("COMMONGROUND_DATA")
    if data:
        lines += _photobook(Path(data) / "photobook")
        files = sorted((Path(data) / "taskmaster4/data").glob("*.json"))
        lines.append(_against_json("taskmaster4", files, files))
    frames = os.environ.get("COMMONGROUND_FRAMES")
    if frames:
        lines.append(_against_json("frames", [Path(frames)], [Path(frames)]))
    return lines


def _photobook(folder: Path) -> list[Line]:
    from commonground.corpora.photobook.native import Game

    texts = [path.read_bytes() for path in sorted((folder / "logs").glob("*.json"))]
    decoder = msgspec.json.Decoder(Game)
    reference = best_of(_without_collecting(lambda: [decoder.decode(text) for text in texts]), 5)
    paths = [folder / "logs", folder / "data_splits.json", folder / "domain_ids.txt"]
    times = import_run("photobook", paths, 5)
    return [
        Line(
            f"import PhotoBook, {what}",
            f"{seconds * 1000:.0f} ms, {times.peak_mb:.0f} MB",
            f"typed decode {reference * 1000:.0f} ms",
            seconds / reference,
            f"at most {most} times, under 450 MB",
            seconds <= most * reference and times.peak_mb < 450,
        )
        for what, seconds, most in (
            ("tables alone", times.tables, 6),
            ("tables and index", times.whole, 16),
        )
    ]


def _without_collecting(function: Callable[[], Any]) -> Callable[[], None]:
    def run_it() -> None:
        gc.disable()
        function()
        gc.enable()

    return run_it


def _against_json(corpus: str, files: Sequence[Path], paths: Sequence[Path]) -> Line:
    texts = [path.read_bytes() for path in files]
    reference = best_of(lambda: [json.loads(text) for text in texts])
    times = import_run(corpus, paths)
    size = sum(len(text) for text in texts) / 1e6
    return Line(
        f"import {corpus}, {size:.0f} MB, tables alone",
        f"{times.tables:.2f} s, {times.peak_mb:.0f} MB",
        f"`json.loads` {reference:.2f} s",
        times.tables / reference,
        "at most 4 times",
        times.tables <= 4 * reference,
    )
