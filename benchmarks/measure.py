"""Times and peak memory of functions and of whole processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Line:
    """A line of the report: what was measured, against what, and how it stands to its bar."""

    job: str
    measured: str
    reference: str
    ratio: float | None
    bar: str
    holds: bool | None


@dataclass(frozen=True)
class Run:
    """A process that ran.

    Attributes:
        seconds: from start to end.
        peak_mb: the most memory that it and its children had together.
        output: what it wrote.
        largest_mb: the most memory that any one of them had.
        cpu_s: seconds of processors that they took, which other programs on the machine change
            less than they change the time from start to end.
    """

    seconds: float
    peak_mb: float
    output: str
    largest_mb: float = 0.0
    cpu_s: float = 0.0


def best_of(function: Callable[[], Any], times: int = 3) -> float:
    """Returns the shortest of several runs, in seconds."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def _environment() -> dict[str, str]:
    """Returns our environment, but with bytecode kept, as where the package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run_process(words: Sequence[str], environment: dict[str, str] | None = None) -> Run:
    """Runs a process to its end and watches its memory.

    The memory is the proportional share (PSS), so pages that forked workers share count once.
    """
    began, cpu_before = time.perf_counter(), _cpu_of_children()
    process = subprocess.Popen(
        list(words),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**_environment(), **(environment or {})},
    )
    peaks, largest = [0.0], [0.0]
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.02):
            shares = tree_mb(process.pid)
            peaks.append(sum(shares))
            largest.append(max(shares, default=0.0))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - began
    stop.set()
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{words} ended with {process.returncode}:\n{output}")
    cpu_s = _cpu_of_children() - cpu_before
    return Run(seconds, max(peaks), output, max(largest), cpu_s)


def _cpu_of_children() -> float:
    """Returns the seconds of processors that processes took that have ended, and those below."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree_mb(pid: int) -> list[float]:
    """Returns the memory (PSS) of a process and of each process below it, in MB."""
    shares = []
    for each in _tree(pid):
        try:
            rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
        except OSError:
            continue
        kilobytes = (int(line.split()[1]) for line in rollup.splitlines() if "Pss:" in line)
        shares.append(next(kilobytes) / 1024)
    return shares


def tree_cpu_s(pid: int) -> float:
    """Returns the seconds of processors that a process has taken, and those below it."""
    ticks = 0
    for each in _tree(pid):
        try:
            # The name of a program stands in brackets and may have spaces.
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _tree(pid: int) -> Iterator[int]:
    """Yields a process and those below it."""
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        try:
            # A process that a thread started is the child of that thread.
            lists = [path.read_text() for path in Path(f"/proc/{each}/task").glob("*/children")]
        except OSError:
            continue
        waiting += [int(word) for words in lists for word in words.split()]
        yield each


def python(code: str, *arguments: str) -> list[str]:
    """Returns the words that run Python code with the project's interpreter."""
    return [sys.executable, "-c", code, *arguments]
