"""Exports of real corpora, as whole processes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.measure import Line, Run, python, run_process

REWRITE = (
    "import json, pathlib, sys\n"
    "out = open(sys.argv[2], 'w')\n"
    "for path in sorted(pathlib.Path(sys.argv[1]).rglob('*.json')):\n"
    "    out.write(json.dumps(json.loads(path.read_bytes())) + '\\n')\n"
)
"""Reads released JSON and writes it again with the standard library: the least an export does."""

JOBS = (
    ("chat", "taskmaster4", "taskmaster4/data", 2.0),
    ("hf", "photobook", "photobook/logs", 2.0),
    ("native", "photobook", "photobook/logs", None),
)


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    if not data:
        return []
    return [
        _measure(name, corpus, Path(data) / files, bar)
        for name, corpus, files, bar in JOBS
        if (Path(data) / files).exists()
    ]


def _measure(name: str, corpus: str, files: Path, bar: float | None) -> Line:
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    with tempfile.TemporaryDirectory() as folder:
        import_corpus(get_corpus(corpus), [files], store=Path(folder) / "store")
        out = f"{folder}/out"
        words = ["export", name, out, "--store", f"{folder}/store"]
        ours = _best(python("from commonground.cli import main; main()", *words))
        theirs = _best(python(REWRITE, str(files), f"{folder}/rewritten"))
    return Line(
        f"`export {name}` of {corpus}, whole process",
        f"{ours.seconds:.2f} s, {ours.peak_mb:.0f} MB",
        f"released JSON read and written with `json` {theirs.seconds:.2f} s",
        ours.seconds / theirs.seconds,
        "" if bar is None else f"under {bar:g} s",
        None if bar is None else ours.seconds < bar,
    )


def _best(words: list[str]) -> Run:
    return min((run_process(words) for _ in range(3)), key=lambda found: found.seconds)
