"""Output that is closed, full, cut off or of another encoding: an exit code, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.thorough import a_few

COMMAND = [sys.executable, "-c", "from commonground.cli import main; main()"]


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *words], env=os.environ | environment, capture_output=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    a_few(["schema simmc", "tasks --json", "tasks", "report", "--help"], ["schema simmc", "tasks"]),
)
def test_a_reader_who_leaves_is_no_fault(words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, *words.split()], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=300
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("words", [("schema", "simmc"), ("info",), ("--version",)])
def test_a_full_disk_is_told_in_a_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False, timeout=300
        )
    assert done.returncode == 1
    assert done.stderr == b"error: The output: No space left on device.\n"


def test_without_an_output_there_is_nothing_to_complain_about() -> None:
    words = [*COMMAND, "info"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_goes_into_a_pipe_is_utf_8() -> None:
    expected = run("report", "--task", "simmc/dst").stdout
    assert "–" in expected.decode("utf-8")
    done = run("report", "--task", "simmc/dst", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stdout) == (0, expected)


def test_a_name_that_is_no_text_is_told() -> None:
    done = subprocess.run(
        [*map(os.fsencode, COMMAND), b"report", b"\xff.json"], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: \\xff.json cannot be read: ")
