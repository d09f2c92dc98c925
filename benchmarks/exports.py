"""Exports of real corpora, as whole processes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
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
    ("taskmaster4", "taskmaster4/data", {"chat": 2.0}),
    (
        "photobook",
        "photobook/logs",
        {
            "hf": 2.0,
            "native": None,
            "convokit": None,
            "croissant": None,
        },
    ),
)
"""Corpora, their files, and formats with the seconds they may take."""


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    if not data:
        return []
    return [
        line
        for corpus, files, formats in JOBS
        if (Path(data) / files).exists()
        for line in _measure(corpus, Path(data) / files, formats)
    ]


def _measure(corpus: str, files: Path, formats: Mapping[str, float | None]) -> Iterator[Line]:
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    with tempfile.TemporaryDirectory() as folder:
        import_corpus(get_corpus(corpus), [files], store=Path(folder) / "store")
        theirs = _best(python(REWRITE, str(files), f"{folder}/rewritten"))
        for name, bar in formats.items():
            words = ["export", name, f"{folder}/out", "--store", f"{folder}/store"]
            ours = _best(python("from commonground.cli import main; main()", *words))
            yield _line(name, corpus, ours, theirs, bar)


def _line(name: str, corpus: str, ours: Run, theirs: Run, bar: float | None) -> Line:
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
