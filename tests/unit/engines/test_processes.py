"""Pools end, whatever their processes are at."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from commonground.engines.processes import open_pool


def nothing() -> None:
    """What a process of a pool does first."""


def interrupt(pool: Any, *, in_a_message: bool) -> None:
    """Stops while all of a pool's processes are at work, as Ctrl-C does."""
    pool.submit(os.getpid).result()
    for _ in range(4):
        pool.submit(time.sleep, 600)
    if in_a_message:
        # The pool's thread reads the length of a message, and waits for its bytes.
        os.write(pool._result_queue._writer.fileno(), b"\0\0\xff\xff half")
    raise KeyboardInterrupt


@pytest.mark.parametrize("in_a_message", [False, True])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_that_is_stopped_at_work_ends(method: str, in_a_message: bool) -> None:
    before = set(threading.enumerate())
    with (
        pytest.raises(KeyboardInterrupt),
        open_pool(2, multiprocessing.get_context(method), nothing) as pool,
    ):
        interrupt(pool, in_a_message=in_a_message)
    # Python waits for the pool's threads when it ends.
    for thread in set(threading.enumerate()) - before:
        thread.join(300)
        assert not thread.is_alive()


def test_nothing_of_the_current_folder_is_run(tmp_path: Path) -> None:
    for name in ("json", "pickle", "struct", "socket", "multiprocessing", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('RAN', 'w').close()\nraise SystemExit(name)\n")
    code = "from commonground.cli import main; main()"
    study = tmp_path / "study"
    for words in (
        ("new", study, "--scenario", "photobook"),
        ("rehearse", study, "--sessions", "1", "--speed", "1000"),
    ):
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, "collect", *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    spawned = (
        "import multiprocessing as m, os, click\n"
        "from commonground import cli\n"
        "def spawn():\n"
        "    with m.get_context('spawn').Pool(1) as pool: pool.apply(os.getpid)\n"
        "cli.group = lambda **_: spawn()\n"
        "cli.main()\n"
    )
    subprocess.run([sys.executable, "-P", "-c", spawned], cwd=tmp_path, check=True)
    assert not (tmp_path / "RAN").exists()
