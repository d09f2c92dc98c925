"""Import of simulated PhotoBook at 1x, 4x and 16x the size of the real one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.imports import import_run
from benchmarks.measure import Line

REAL_GAMES = 2502
SIZES = (1, 4, 16)


def run() -> list[Line]:
    from commonground.corpora import get_corpus

    unit = int(os.environ.get("COMMONGROUND_BENCH_GAMES", REAL_GAMES))
    lines = []
    first: tuple[float, float] | None = None
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            get_corpus("photobook").simulate(Path(folder), dialogues=unit * size, seed=1)
            seconds, peak = import_run("photobook", [Path(folder)], 2)
        first = first or (seconds, peak)
        ratio = seconds / (first[0] * size)
        lines.append(
            Line(
                f"import {unit * size:,} simulated games",
                f"{seconds:.2f} s, {peak:.0f} MB",
                f"{size} times the first, {first[0] * size:.2f} s, {first[1]:.0f} MB",
                ratio,
                "time within 15 %, memory within 25 %",
                size == 1 or (ratio <= 1.15 and peak <= 1.25 * first[1]),
            )
        )
    return lines
