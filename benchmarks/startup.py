"""Help text, and a first answer from a store, as whole processes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.measure import Line, best_of, python, run_process

COUNT = (
    "import sys, commonground as cg;"
    "print(cg.open_store(sys.argv[1]).database.rows("
    "'select speaker, count(*) from events group by 1'))"
)


def run() -> list[Line]:
    nothing = best_of(lambda: run_process(python("pass")), 5)
    words = python("from commonground.cli import main; main()", "--help")
    helped = best_of(lambda: run_process(words), 5)
    added = helped - nothing
    lines = [
        Line(
            "`commonground --help`",
            f"{helped * 1000:.0f} ms",
            f"`python -c pass` {nothing * 1000:.0f} ms",
            None,
            "at most 100 ms above it",
            added <= 0.1,
        )
    ]
    data = os.environ.get("COMMONGROUND_DATA")
    if data:
        with tempfile.TemporaryDirectory() as folder:
            lines.append(_count(Path(data), folder))
    return lines


def _count(data: Path, folder: str) -> Line:
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    import_corpus(get_corpus("photobook"), [data / "photobook/logs"], store=Path(folder))
    seconds = best_of(lambda: run_process(python(COUNT, folder)), 5)
    return Line(
        "open the store, count events per speaker, whole process",
        f"{seconds * 1000:.0f} ms",
        "see `convokit`",
        None,
        "under 400 ms",
        seconds < 0.4,
    )
