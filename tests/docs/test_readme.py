"""Every line of the README works as typed, in order, in an empty folder; what it says is so."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.forks import find_commands

from commonground.corpora import iterate_corpora

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.DOTALL | re.MULTILINE)
INSTALLING = "pip install '.[baselines,figures,pandas]'"
"""The only line that is not run: what it installs is what the tests run with."""

SERVING = re.compile(r"commonground (collect )?serve\b")


class Reader:
    """Somebody who types what the README says.

    Args:
        folder: where they begin; programs that are not ours are in it, too.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "empty"
        self.folder.mkdir()
        browser = folder / "xdg-open"  # no test opens a browser
        browser.write_text("#!/bin/sh\n")
        browser.chmod(0o755)
        self._environment = {**os.environ, "PATH": os.pathsep.join((str(folder), find_commands()))}
        self._environment.pop("COMMONGROUND_STORE", None)

    def type(self, line: str) -> str:
        """Types a line of a shell; returns what is printed."""
        if line.startswith("cd "):
            self.folder /= line.removeprefix("cd ")
            return ""
        if SERVING.match(line):
            return self._serve(line)
        return self._run("bash", "-euc", line)

    def run_python(self, block: str) -> str:
        return self._run(sys.executable, "-c", block)

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            words, cwd=self.folder, env=self._environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{words[-1]}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _serve(self, line: str) -> str:
        """Starts a server and stops it as soon as it says where it is."""
        with subprocess.Popen(
            ["bash", "-euc", f"exec {line}"],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        ) as server:
            assert server.stdout is not None
            said = ""
            while "http://" not in said:
                printed = server.stdout.readline()
                assert printed, f"{line}\n{said}"
                said += printed
            server.send_signal(signal.SIGINT)
            assert server.wait() in (0, 130), said
        return said


def list_lines() -> Iterator[str]:
    for kind, block in BLOCKS:
        if kind == "sh":
            yield from block.splitlines()


def test_every_line_works_as_typed(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    printed = ""
    for kind, block in BLOCKS:
        if kind == "python":
            printed = reader.run_python(block)
        elif kind == "text":
            assert printed == block
        else:
            for line in block.splitlines():
                assert line == INSTALLING or reader.type(line) or line.startswith("cd "), line


def test_the_commands_of_all_doors_are_there() -> None:
    used = {line.split()[1] for line in list_lines() if line.startswith("commonground ")}
    doors = {"serve", "show", "sql", "stats", "baseline", "evaluate", "report", "export", "collect"}
    assert {"demo", "import", *doors} <= used


def test_nothing_is_published_that_may_not_be() -> None:
    free = {e.name for e in iterate_corpora() if e.manifest.licence.startswith("CC BY 4.0")}
    for line in list_lines():
        if line.startswith(("commonground export", "commonground site")):
            named = re.search(r"--corpus (\S+)", line)
            assert named is not None, line
            assert named[1] in free - {"mpchat"}, line


@pytest.mark.parametrize("name", [entry.name for entry in iterate_corpora()])
def test_the_licence_of_a_corpus_is_that_of_its_manifest(name: str) -> None:
    (licence,) = (entry.manifest.licence for entry in iterate_corpora() if entry.name == name)
    family = re.sub(r"taskmaster\d", "taskmaster1", name)
    (row,) = (line for line in TEXT.splitlines() if line.startswith("|") and f"`{family}`" in line)
    assert row.endswith(f"| {licence} |")


def test_pythons_are_those_of_the_package() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    versions = re.findall(r"Python :: (3\.\d+)", project)
    assert f"Python {versions[0]} to {versions[-1]}." in TEXT
