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
from commonground.corpora import get_corpus
from commonground.engines import open_engine
from commonground.store.arrow import forgo_pandas
from commonground.store.importing import import_corpus
if __name__ == "__main__":
    forgo_pandas()
    name, jobs, store, files = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    with open_engine(name, jobs=jobs) as engine:
        corpus = get_corpus("photobook")
        print(import_corpus(corpus, [files], store=store, jobs=jobs, engine=engine).seconds)
"""


def _import(engine: str, folder: Path) -> Run:
    with tempfile.TemporaryDirectory() as store:
        return run_process(python(IMPORT, engine, str(WORKERS), store, str(folder)))


def _seconds(run: Run) -> float:
    return float(run.output.split()[-1])


def run() -> list[Line]:
    from commonground.corpora import get_corpus

    unit = int(os.environ.get("COMMONGROUND_BENCH_GAMES", REAL_GAMES))
    lines = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            get_corpus("photobook").simulate(folder, dialogues=unit * size, seed=1)
            pool, dask = (_import(engine, folder) for engine in ("pool", "dask"))
        lines += [_line("pool", unit * size, pool, pool), _line("dask", unit * size, dask, pool)]
    return lines


def _line(engine: str, games: int, found: Run, pool: Run) -> Line:
    ratio = _seconds(found) / _seconds(pool)
    return Line(
        f"import {games:,} simulated games, {engine}, {WORKERS} workers",
        f"{_seconds(found):.1f} s ({found.seconds:.1f} s with start and end),"
        f" {found.largest_mb:.0f} MB in the largest process",
        f"pool {_seconds(pool):.1f} s",
        ratio,
        f"at most {MOST_TIMES} times the pool, {MOST_MB} MB a process",
        ratio <= MOST_TIMES and found.largest_mb <= MOST_MB,
    )
