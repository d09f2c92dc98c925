"""A worker that is killed as it starts ends a command in plain words, or changes nothing."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import commonground as cg
from tests.faults.commands import COMMAND
from tests.thorough import one_in


def find_workers(process: int) -> list[psutil.Process]:
    found = []
    for each in psutil.Process(process).children(recursive=True):
        try:
            found += [each] if "import spawn_main" in " ".join(each.cmdline()) else []
        except psutil.Error:  # it has ended
            continue
    return found


@pytest.mark.parametrize("after_s", one_in(2, [0.0, 0.5]))
def test_a_worker_of_dask_that_is_killed_at_its_start(after_s: float, tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=2)
    words = ["import", "photobook", str(files), "--engine", "dask", "--jobs", "2"]
    with subprocess.Popen(
        [*COMMAND, *words, "--store", str(tmp_path / "store")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while not (workers := find_workers(running.pid)):
            assert running.poll() is None
            time.sleep(0.01)
        time.sleep(after_s)
        with suppress(psutil.NoSuchProcess):  # on a fast machine all is done by then
            workers[0].send_signal(signal.SIGKILL)
        _, told = running.communicate(timeout=300)
    assert "Traceback" not in told
    # The later it is, the likelier is that the worker was there, and is replaced.
    assert running.returncode == 0 or told.startswith("error: A worker of Dask ended")
