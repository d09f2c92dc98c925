"""All statistics of the real PhotoBook from the store, against decoding its logs."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from pathlib import Path

import msgspec

from benchmarks.measure import Line, best_of, python, run_process

BAR_S = 3.0

STATISTICS = """
import sys, time
begin = time.perf_counter()
from commonground.figures.views import describe_figure
from commonground.figures.figure_runs import choose_figures
from commonground.store.opening import open_store
best = 1e9
for _ in range(3):
    chosen = choose_figures(open_store(sys.argv[1]), "photobook")
    views = [describe_figure(each) for each in chosen.run()]
    end = time.perf_counter()
    best, begin = min(best, end - begin), end
print(len(views), best)
"""


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    folder = Path(data) / "photobook" if data else None
    if folder is None or not folder.is_dir():
        return []
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    names = ("logs", "data_splits.json", "domain_ids.txt")
    with tempfile.TemporaryDirectory() as store:
        paths = [folder / name for name in names]
        import_corpus(get_corpus("photobook"), paths, store=Path(store), check=False)
        figures, seconds = run_process(python(STATISTICS, store)).output.split()
        pictures = _draw(store)
    decode = _decode(folder / "logs")
    best = float(seconds)
    return [
        Line(
            f"all {figures} statistics of PhotoBook from the store",
            f"{best * 1000:.0f} ms",
            f"typed decode of the logs {decode * 1000:.0f} ms",
            best / decode,
            f"under {BAR_S:.0f} s",
            best < BAR_S,
        ),
        Line("the same with charts as SVG and PNG", f"{pictures:.1f} s", "", None, "", None),
    ]


def _decode(logs: Path) -> float:
    from commonground.corpora.photobook.native import Game

    texts = [path.read_bytes() for path in sorted(logs.glob("*.json"))]
    decoder = msgspec.json.Decoder(Game)
    gc.disable()
    try:
        return best_of(lambda: [decoder.decode(text) for text in texts], 5)
    finally:
        gc.enable()


def _draw(store: str) -> float:
    """Returns the seconds that ``commonground stats --out`` takes, start-up included."""
    with tempfile.TemporaryDirectory() as out:
        code = "import sys; from commonground.cli import main; main()"
        began = time.perf_counter()
        run_process(python(code, "stats", "photobook", "--out", out, "--store", store))
        return time.perf_counter() - began
