"""The events of the real PhotoBook as a dataframe, against ConvoKit's of its messages.

``COMMONGROUND_CONVOKIT`` names the Python of an environment with ConvoKit; without it there is no
reference.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.convokit import BUILD
from benchmarks.measure import Line, python, run_process

BAR_S = 0.5

OURS = """
import sys, time
import pandas
import commonground as cg
began = time.perf_counter()
frame = cg.open_store(sys.argv[1]).corpus("photobook").to_pandas("events")
print(len(frame), time.perf_counter() - began)
"""
"""Opens a store and makes the dataframe; pandas is there already, as in a notebook."""

THEIRS = """
import sys, time
from convokit import Corpus
corpus = Corpus(filename=sys.argv[1] + '/photobook')
began = time.perf_counter()
frame = corpus.get_utterances_dataframe()
print(len(frame), time.perf_counter() - began)
"""
"""Makes the dataframe of a corpus that is loaded already."""


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    logs = Path(data) / "photobook/logs" if data else None
    if logs is None or not logs.is_dir():
        return []
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    other = os.environ.get("COMMONGROUND_CONVOKIT")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        import_corpus(get_corpus("photobook"), [logs], store=store, check=False)
        runs = [_last_line(python(OURS, str(store))) for _ in range(3)]
        theirs = None
        if other:
            run_process([other, "-c", BUILD, str(logs), folder])
            theirs = _last_line([other, "-c", THEIRS, folder])[1]
    count, ours = min(runs, key=lambda found: found[1])
    return [
        Line(
            f"`to_pandas()` of {count:,.0f} events of PhotoBook",
            f"{ours * 1000:.0f} ms",
            "" if theirs is None else f"ConvoKit, its utterances {theirs:.2f} s",
            None if theirs is None else theirs / ours,
            f"under {BAR_S:g} s",
            ours < BAR_S,
        )
    ]


def _last_line(words: list[str]) -> tuple[float, float]:
    """Returns rows and seconds, which a process prints last."""
    rows, seconds = run_process(words).output.splitlines()[-1].split()
    return float(rows), float(seconds)
