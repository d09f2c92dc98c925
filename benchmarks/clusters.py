"""The same import by processes of this machine and by workers of Dask, at 1x and 10x PhotoBook."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.measure import Line, Run, python, run_process
from benchmarks.scaling import REAL_GAMES

SIZES = (1, 10)
WORKERS = 2
MOST_MB = 350
MOST_TIMES = 1.6
IMPORT = """
import sys
from pathlib import Path
from commonground.play.simulating import simulate_corpus
from commonground.corpora import get_corpus
from commonground.engines import open_engine
from commonground.store.arrow import forgo_pandas
from commonground.store.importing import import_corpus
if __name__ == "__main__":
    forgo_pandas()
    name, jobs, corpus, files, store = sys.argv[1:]
    options = {"store": Path(store), "jobs": int(jobs)}
    with open_engine(name, jobs=int(jobs)) as engine:
        print(import_corpus(get_corpus(corpus), [files], engine=engine, **options).seconds)
"""


def import_on(engine: str, corpus: str, files: Path, store: Path) -> Run:
    """Imports with two workers of an engine, in a process of its own."""
    return run_process(python(IMPORT, engine, str(WORKERS), corpus, str(files), str(store)))


def _import(engine: str, folder: Path) -> Run:
    with tempfile.TemporaryDirectory() as store:
        return import_on(engine, "photobook", folder, Path(store))


def seconds_of(run: Run) -> float:
    """Returns the seconds that a process wrote last."""
    return float(run.output.split()[-1])


def run() -> list[Line]:
    from commonground.corpora import get_corpus
    from commonground.play.simulating import simulate_corpus

    unit = int(os.environ.get("COMMONGROUND_BENCH_GAMES", REAL_GAMES))
    lines = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            simulate_corpus(get_corpus("photobook"), folder, dialogues=unit * size, seed=1)
            pool, dask = (_import(engine, folder) for engine in ("pool", "dask"))
        lines += [_line("pool", unit * size, pool, pool), _line("dask", unit * size, dask, pool)]
    return lines


def _line(engine: str, games: int, found: Run, pool: Run) -> Line:
    ratio = seconds_of(found) / seconds_of(pool)
    return Line(
        f"import {games:,} simulated games, {engine}, {WORKERS} workers",
        f"{seconds_of(found):.1f} s ({found.seconds:.1f} s with start and end),"
        f" {found.largest_mb:.0f} MB in the largest process",
        f"pool {seconds_of(pool):.1f} s",
        ratio,
        f"at most {MOST_TIMES} times the pool, {MOST_MB} MB a process",
        ratio <= MOST_TIMES and found.largest_mb <= MOST_MB,
    )
