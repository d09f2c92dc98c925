"""Every command that a message prints is run as it is printed, and does what it is said to do.

`tests/docs/test_hints.py` holds every mention of a command in the source to the options that there
are; here those that a user meets are provoked, one by one.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
from tests import forks

TOY = Path(__file__).parents[2] / "corpora"
Run = Callable[[str], subprocess.CompletedProcess[str]]
FILES = ("simulate toy files", "import toy files")
"""Commands that leave a folder of files and a store."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A message with a command in it.

    Attributes:
        before: command lines that lead to it, each of which succeeds.
        provoked: the one that prints it.
        status: exit status of that.
        command: what the printed command looks like, as a regular expression.
        fill: what stands in the places that a reader fills in.
        shows: something that the printed command prints.
        mends: whether what provoked it succeeds afterwards.
    """

    before: tuple[str, ...] = ()
    provoked: str
    status: int
    command: str
    fill: Mapping[str, str] = {}
    shows: str
    mends: bool = False


HINTS = {
    "simulate": Hint(
        provoked="simulate toy 'my files'",
        status=0,
        command=r"commonground import toy 'my files'",
        shows="dialogues and",
    ),
    "play": Hint(
        provoked="play photobook --games 1 --out 'my games'",
        status=0,
        command=r"commonground import photobook 'my games'",
        shows="1 dialogue and",
    ),
    "findings": Hint(
        before=("simulate photobook files --dialogues 2",),
        provoked="import photobook files --store 'my store'",
        status=0,
        command=r"commonground check photobook --store 'my store'",
        shows="CG-PHOTOBOOK-",
    ),
    "pictures": Hint(
        before=("simulate photobook files --dialogues 2",),
        provoked="import photobook files",
        status=0,
        command=r"commonground import photobook files --images .*",
        shows="found below",
    ),
    "rules": Hint(
        before=("simulate photobook files --dialogues 2",),
        provoked="check photobook files",
        status=0,
        command=r"commonground check --explain CODE",
        fill={"CODE": "CG-PHOTOBOOK-003"},
        shows="CG-PHOTOBOOK-003",
    ),
    "another corpus": Hint(
        before=("simulate photobook files --dialogues 2",),
        provoked="import toy files/logs",
        status=1,
        command=r"commonground import photobook PATH",
        fill={"PATH": "files"},
        shows="2 dialogues and",
    ),
    "no store": Hint(
        before=("simulate toy files",),
        provoked="stats toy --store 'my store'",
        status=1,
        command=r"commonground import CORPUS PATH",
        fill={"CORPUS": "toy", "PATH": "files --store 'my store'"},
        shows="dialogues and",
        mends=True,
    ),
    "not imported": Hint(
        before=(
            "simulate photobook games --dialogues 2",
            "simulate toy files",
            "import photobook games --store 'my store'",
        ),
        provoked="show toy t0 --store 'my store'",
        status=1,
        command=r"commonground import toy PATH --store 'my store'",
        fill={"PATH": "files"},
        shows="dialogues and",
        mends=True,
    ),
    "no layer": Hint(
        before=(*FILES, "simulate photobook games --dialogues 2"),
        provoked="layer remove photobook questions --store commonground-store",
        status=1,
        command=r"commonground import photobook PATH",
        fill={"PATH": "games"},
        shows="dialogues and",
    ),
    "check": Hint(
        before=FILES,
        provoked="check --store toy",
        status=2,
        command=r"commonground check toy",
        shows="Nothing found",
    ),
    "no query": Hint(
        before=FILES,
        provoked="sql",
        status=2,
        command=r"commonground sql --help",
        shows="Usage:",
    ),
    "too many rows": Hint(
        before=FILES,
        provoked="sql 'select * from range(10)' --max-rows 5 --format csv",
        status=1,
        command=r"commonground sql --max-rows N",
        fill={"N": "10 'select * from range(10)' --format csv"},
        shows="9",
    ),
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command line in a folder of the test, as a user would."""

    def call(line: str) -> subprocess.CompletedProcess[str]:
        words = shlex.split(line.removeprefix("commonground "))
        environment = {**os.environ, "COMMONGROUND_CORPORA": str(TOY)}
        return forks.run(*words, cwd=tmp_path, env=environment)

    return call


def fill_in(command: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        command = re.sub(rf"\b{name}\b", value, command)
    return command


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
def test_a_printed_command_does_what_it_is_printed_for(run: Run, hint: Hint) -> None:
    for line in hint.before:
        done = run(line)
        assert done.returncode == 0, done.stdout + done.stderr
    done = run(hint.provoked)
    printed = done.stdout + done.stderr
    assert done.returncode == hint.status, printed
    found = re.search(hint.command, printed)
    assert found, printed
    followed = run(fill_in(found[0], hint.fill))
    assert followed.returncode == 0, followed.stdout + followed.stderr
    assert hint.shows in followed.stdout
    if hint.mends:
        assert run(hint.provoked).returncode == 0


@pytest.mark.parametrize("ask", ["sql 'select * from events'", "check --integrity"])
def test_a_damaged_import_is_repaired_as_advised(run: Run, tmp_path: Path, ask: str) -> None:
    for line in FILES:
        run(f"{line} --store 'my store'")
    (part,) = (tmp_path / "my store").rglob("events-*.parquet")
    part.write_bytes(part.read_bytes()[:-1])
    ask += " --store 'my store'"
    done = run(ask)
    assert done.returncode == 1
    found = re.search(r"commonground import toy PATH --store 'my store'", done.stdout + done.stderr)
    assert found
    assert run(fill_in(found[0], {"PATH": "files"})).returncode == 0
    assert run(ask).returncode == 0
