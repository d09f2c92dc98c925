"""What the rules add to an import."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.measure import Line, python, run_process

TWICE = """
import sys
from pathlib import Path
from commonground.corpora import get_corpus
from commonground.store.arrow import forgo_pandas
from commonground.store.importing import import_corpus
forgo_pandas()
best = {True: 1e9, False: 1e9}
for _ in range(4):
    for checked in (True, False):
        summary = import_corpus(
            get_corpus(sys.argv[1]), sys.argv[3:], store=Path(sys.argv[2]), force=True, jobs=1,
            check=checked
        )
        best[checked] = min(best[checked], summary.seconds)
print(best[True], best[False])
"""


def run() -> list[Line]:
    jobs = {}
    data = os.environ.get("COMMONGROUND_DATA")
    if data:
        jobs["photobook"] = Path(data) / "photobook/logs"
        jobs["taskmaster4"] = Path(data) / "taskmaster4/data"
        jobs["simmc"] = Path(data) / "simmc1"
    frames = os.environ.get("COMMONGROUND_FRAMES")
    if frames:
        jobs["frames"] = Path(frames)
    return [_line(corpus, path) for corpus, path in jobs.items()]


def _line(corpus: str, path: Path) -> Line:
    with tempfile.TemporaryDirectory() as store:
        found = run_process(python(TWICE, corpus, store, str(path)))
    with_rules, without = map(float, found.output.split()[-2:])
    return Line(
        f"import {corpus} with its rules, one process",
        f"{with_rules:.2f} s",
        f"without {without:.2f} s",
        with_rules / without,
        "at most 1.6 times",
        with_rules <= 1.6 * without,
    )
