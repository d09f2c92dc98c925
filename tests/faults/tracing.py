"""Commands run under strace: their system calls recorded, or made to fail, or to kill.

What a command does to files is looked at from outside, in all of its processes, with the options
that users give. ``COMMONGROUND_FAULTS`` makes the tests longer: ``1`` tries every point.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from tests import forks

TOY_FOLDER = Path(__file__).parents[1] / "corpora"
LONG = bool(os.environ.get("COMMONGROUND_FAULTS"))
STRACE = shutil.which("strace")

needs_strace = pytest.mark.skipif(
    STRACE is None or sys.platform != "linux", reason="strace is not installed (make tools)"
)

CHANGING = ("write", "pwrite64", "fsync", "rename", "mkdir", "unlink", "unlinkat", "rmdir")
"""System calls by which a command changes files, as they come on Linux."""


class Call(msgspec.Struct, frozen=True):
    """A system call that did not fail.

    Attributes:
        process: id of the thread that made it.
        name: its name, without ``at`` and numbers: ``open``, ``write``, ``rename``.
        paths: the files that it speaks of, absolute.
        result: what it returned.
        creates: whether it is an ``open`` that makes a file, or empties it.
    """

    process: int
    name: str
    paths: list[str]
    result: int
    creates: bool


class Done(msgspec.Struct, frozen=True):
    """How a command ended: its exit status and what it printed, both streams together."""

    status: int
    output: str


def command(*words: str) -> list[str]:
    """Returns the words that run a command of ours as its script does."""
    return [sys.executable, "-m", "commonground", *words]


def environment() -> dict[str, str]:
    """Returns an environment in which the toy corpus is found."""
    return {**os.environ, "COMMONGROUND_CORPORA": str(TOY_FOLDER), "PYTHONDONTWRITEBYTECODE": "1"}


def run(
    *words: str,
    cwd: Path,
    under: Sequence[str] = (),
    timeout: float = 600,
    python: str | None = None,
) -> Done:
    """Runs a command of ours to its end.

    Args:
        words: the command, without ``commonground``.
        cwd: folder that it runs in.
        under: command that runs it, such as strace with options.
        timeout: seconds after which the test fails.
        python: code to run instead of a command.
    """
    if not under and python is None:
        forked = forks.run(*words, cwd=cwd, env=environment(), timeout_s=timeout)
        return Done(forked.returncode, forked.stdout + forked.stderr)
    ours = command(*words) if python is None else [sys.executable, "-c", python]
    done = subprocess.run(
        [*under, *ours],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout)


def record(*words: str, cwd: Path) -> list[Call]:
    """Runs a command and returns those of its calls that may change files, in order."""
    log = cwd.parent / "strace.log"
    names = ["openat", "creat", "renameat", "renameat2", "mkdirat", "fdatasync", *CHANGING]
    names += ["syncfs", "truncate", "ftruncate", "link", "linkat", "symlink"]
    assert STRACE is not None
    under = [STRACE, "-f", "-y", "-s", "0", "-o", str(log), "-e", f"trace={','.join(names)}"]
    done = run(*words, cwd=cwd, under=under)
    assert done.status == 0, done.output
    return list(parse_log(log.read_text(encoding="utf-8", errors="replace"), cwd))


_LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)")
_UNFINISHED = re.compile(r"(\d+) +(\w+\(.*) <unfinished \.\.\.>")
_RESUMED = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)")
_PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"|\d+<([^>]*)>')
_BASE = re.compile(r"(at\d?|64)$")


def parse_log(text: str, cwd: Path) -> Iterator[Call]:
    """Yields the calls of a log of ``strace -f -y`` that did not fail."""
    begun: dict[str, str] = {}
    for line in text.splitlines():
        if match := _UNFINISHED.match(line):
            begun[match[1]] = match[2]
            continue
        if match := _RESUMED.match(line):
            line = f"{match[1]} {begun.pop(match[1])}{match[2]}"
        match = _LINE.match(line)
        if match is None or int(match[4]) < 0:
            continue
        process, name, arguments, result = match.groups()
        paths = [
            at[3] if at[2] is None else os.path.normpath(Path(at[1] or cwd, at[2]))
            for at in _PLACE.finditer(arguments)
        ]
        if name == "unlinkat" and "AT_REMOVEDIR" in arguments:
            name = "rmdir"
        name = "open" if name in ("openat", "creat") else _BASE.sub("", name)
        creates = "O_CREAT" in arguments or "O_TRUNC" in arguments
        yield Call(int(process), name, paths, int(result), creates)


def run_with_fault(
    *words: str,
    cwd: Path,
    calls: Sequence[str],
    fault: str,
    when: str,
    everywhere: bool,
    python: str | None = None,
) -> Done:
    """Runs a command in which a system call fails, or kills.

    Args:
        words: the command, without ``commonground``.
        cwd: folder that it runs in.
        calls: names of the system calls.
        fault: what happens, in strace's words: ``signal=KILL``, ``error=ENOSPC``.
        when: at which of those calls of a thread, from 1; ``3+`` for the third and all later.
        everywhere: in every process of the command; else only in the first.
        python: code to run instead of a command.
    """
    assert STRACE is not None
    inject = f"inject={','.join(calls)}:{fault}:when={when}"
    under = [STRACE, *(["-f"] if everywhere else []), "-o", "/dev/null", "-e", inject]
    return run(*words, cwd=cwd, under=under, python=python)


def points(count: int, short: int) -> list[int]:
    """Returns the numbers from 1 to ``count``; of many only some, unless the long tests are on."""
    if LONG or count <= short:
        return list(range(1, count + 1))
    return sorted({round(1 + i * (count - 1) / (short - 1)) for i in range(short)})


def processes_in(folder: Path) -> list[int]:
    """Lists the processes that work in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                inside = (entry / "cwd").readlink() == folder
            except OSError:
                continue
            if inside:
                found.append(int(entry.name))
    return found


def end_processes_in(folder: Path) -> None:
    """Kills what still works in a folder, so that a failed test leaves nothing behind."""
    for process in processes_in(folder):
        os.kill(process, signal.SIGKILL)
