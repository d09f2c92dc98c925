"""Runs a command again and again and kills it (SIGKILL) at moments of its choice.

Reads one run after another from standard input, as JSON: the words of the command, the folder of
its outputs, what that is to look like before, and the moment. That is a number of touches of the
folder (files opened, made, renamed, removed; 0 for never) or, with a point, of seconds. Prints
``killed``, or the exit code and the number of touches. Each run is a fork, so that Python and what
commands import start once.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from commonground.cli import main

LOADED = (
    *("commonground.bench.evaluation.baselines.run", "commonground.exports.run"),
    *("commonground.bench.inspect_tasks.logs.standings", "commonground.explorer.corpora"),
    *("commonground.explorer.static_site.writing", "commonground.figures.drawing.writing"),
    *("commonground.play.curves", "commonground.play.simulating", "commonground.store.importing"),
    *("duckdb", "jinja2", "numpy", "pyarrow.csv", "pyarrow.parquet", "rich.table"),
    *("nltk.tokenize.destructive", "scipy.sparse", "sklearn.linear_model"),
)
"""Modules that commands load, loaded once for all runs."""

TOUCHES = frozenset({"open", "shutil.rmtree"} | {f"os.{n}" for n in ("mkdir", "remove", "rename")})


class Killer:
    """Counts touches of a folder, and ends the process at one of them."""

    def __init__(self, folder: str, moment: float) -> None:
        self._folder = folder
        self._moment = moment
        self.touches = 0
        if isinstance(moment, float):
            threading.Thread(target=self._wait, daemon=True).start()

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event not in TOUCHES:
            return
        named = [os.fspath(each) for each in args if isinstance(each, str | os.PathLike)]
        if any(str(each).startswith(self._folder) for each in named):
            self.touches += 1
            if self.touches == self._moment:
                os.kill(os.getpid(), signal.SIGKILL)

    def _wait(self) -> None:
        time.sleep(self._moment)
        os.kill(os.getpid(), signal.SIGKILL)


def run(folder: str, words: list[str], moment: float) -> str:
    """Runs a command in a fork; returns what became of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        killer = Killer(folder, moment)
        sys.addaudithook(killer)
        sys.argv = ["commonground", *words]
        code: Any = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        os.write(writing, f"{code or 0} {killer.touches}".encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        return "killed" if os.WIFSIGNALED(status) else told.read()


def put_back(before: Path, out: Path) -> None:
    """Makes what is written look as before."""
    shutil.rmtree(out, ignore_errors=True)
    if before.exists():
        shutil.copytree(before, out)
    else:
        out.mkdir()


def serve() -> None:
    """Answers one line of JSON after another."""
    for name in LOADED:
        importlib.import_module(name)
    gc.freeze()  # what was loaded is not looked through again in each fork
    os.fsync = lambda fd: None  # noqa: ARG005 - who is killed loses nothing that was written
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["before"] is not None:
            put_back(Path(asked["before"]), Path(asked["folder"]))
        told = run(asked["folder"], asked["words"], asked["moment"])
        sys.stdout.write(told + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
