"""Import and check of simulated PhotoBook at 1x, 4x and 16x the size of the real one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.imports import import_run
from benchmarks.measure import Line, python, run_process

REAL_GAMES = 2502
SIZES = (1, 4, 16)
TIMES = 2
CHECK = """
import sys, tempfile, time
from pathlib import Path
from commonground.play.simulating import simulate_corpus
from commonground.corpora import get_corpus
from commonground.store.arrow import forgo_pandas
from commonground.store.importing import check_files
forgo_pandas()
with tempfile.TemporaryDirectory() as folder:
    began = time.perf_counter()
    check_files(get_corpus("photobook"), [sys.argv[1]], folder=Path(folder))
    print(time.perf_counter() - began)
"""


def check_run(folder: str) -> tuple[float, float]:
    """Checks in a fresh process; returns the time and the peak in MB."""
    found = run_process(python(CHECK, folder))
    return float(found.output.split()[-1]), found.peak_mb


def _best(runs: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns the shortest time and the largest peak."""
    return min(seconds for seconds, _ in runs), max(peak for _, peak in runs)


def run() -> list[Line]:
    from commonground.corpora import get_corpus
    from commonground.play.simulating import simulate_corpus

    unit = int(os.environ.get("COMMONGROUND_BENCH_GAMES", REAL_GAMES))
    found: dict[str, list[tuple[float, float]]] = {"import": [], "check": []}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            simulate_corpus(get_corpus("photobook"), Path(folder), dialogues=unit * size, seed=1)
            runs = [import_run("photobook", [Path(folder)], 1) for _ in range(TIMES)]
            found["import"].append(_best([(each.whole, each.peak_mb) for each in runs]))
            found["check"].append(_best([check_run(folder) for _ in range(TIMES)]))
    sizes = [unit * size for size in SIZES]
    return [
        *_lines("import", sizes, found["import"], "time within 15 %, memory within 25 %", 0),
        *_lines("check", sizes, found["check"], "time 15 %, memory 25 % and 2 kB a file", 2e3),
    ]


def _lines(
    job: str, sizes: list[int], runs: list[tuple[float, float]], bar: str, per_file: float
) -> list[Line]:
    """Compares each size with the first.

    A check keeps so little that the list of its files is most of what grows, so it is allowed some
    bytes a file on top.
    """
    lines = []
    for size, (seconds, peak) in zip(sizes, runs, strict=True):
        times, (first_s, first_mb) = size / sizes[0], runs[0]
        ratio = seconds / (first_s * times)
        allowed = first_mb * 0.25 + (size - sizes[0]) * per_file / 1e6
        lines.append(
            Line(
                f"{job} {size:,} simulated games",
                f"{seconds:.2f} s, {peak:.0f} MB",
                f"{times:g} times the first, {first_s * times:.2f} s, {first_mb:.0f} MB",
                ratio,
                bar,
                size == sizes[0] or (ratio <= 1.15 and peak - first_mb <= allowed),
            )
        )
    return lines
