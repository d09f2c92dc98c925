"""Commands as a user types them, with default options, in a folder of their own."""

from __future__ import annotations

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec

from commonground.cli import main
from tests import forks

COMMAND = [sys.executable, "-c", "from commonground.cli import main; main()"]


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return msgspec.json.decode(self.out)


def run(folder: Path, *words: str | bytes | Path) -> Done:
    """Runs a command in a folder, in this process; what it does not catch, the test meets.

    Args:
        folder: where it runs, and has its store.
        words: the command line after ``commonground``.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    line = ["commonground", *map(os.fsdecode, words)]
    code = 0
    with (
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        patch("sys.argv", line),
        patch("commonground.store.arrow.forgo_pandas"),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Done(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return data.decode()


def run_process(folder: Path, *words: str | bytes | Path, timeout_s: float = 600) -> Done:
    """Runs a command as :func:`run` does, in a process of its own that must not hang."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COMMONGROUND")}
    done = forks.run(*words, cwd=folder, env=environment, timeout_s=timeout_s)
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def find(folder: Path, corpus: str, *paths: str | bytes | Path) -> set[tuple[str, str, str]]:
    """Checks files and returns code, file and path of each finding."""
    done = run(folder, "check", corpus, *paths, "--json")
    assert done.code in (0, 1), done.err
    return {
        (code, place["source_file"] or "", place["source_path"] or "")
        for code, places in done.json()["findings"].items()
        for place in places
    }
