"""The tutorial on collecting, from nothing to a first game: an environment of its own, a wheel.

What commonground needs comes from uv's cache, with the locked versions. ``make wheel`` installs as
the page says instead, by pip, which asks the index of packages and takes a minute; where none can
be reached it is skipped. ``-s`` is not needed to see how long each step took: it is always printed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.docs.test_packaging import build_wheel, install, needs_uv
from tests.thorough import thorough
from tests.unit.play.rooms.conftest import Server
from tests.unit.play.rooms.playing import play_game, seat

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "how-to" / "collect.md").read_text(encoding="utf-8")
UNREACHABLE = re.compile(
    r"No matching distribution|Could not find a version|NewConnectionError|Temporary failure"
    r"|Max retries exceeded|ProxyError|Read timed out|ConnectTimeout"
)


class Machine:
    """A machine that has Python and the tree, and on which nothing is installed yet.

    Args:
        folder: that everything happens in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        self.bin = folder / "env" / "bin"
        self.environment = {**kept, "COMMONGROUND_STORE": str(folder / "commonground-store")}
        self.environment["PATH"] = os.pathsep.join((str(self.bin), kept.get("PATH", "")))

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self.seconds[step] = time.monotonic() - began_s

    def run(self, *words: object) -> str:
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode and UNREACHABLE.search(done.stdout + done.stderr):
            pytest.skip(f"no index of packages can be reached: {done.stderr.strip()[-300:]}")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def install_by_pip(machine: Machine) -> None:
    """Installs a wheel of the tree as somebody does who has nothing yet."""
    with machine.timed("virtual environment"):
        venv.create(machine.folder / "env", with_pip=True)
    pip = (machine.bin / "python", "-m", "pip", "--disable-pip-version-check")
    with machine.timed("wheel of the tree"):
        tree = machine.folder / "tree"
        # What a build leaves must not come into the checkout.
        left = shutil.ignore_patterns(".*", "*.egg-info", "build", "tests", "__pycache__")
        shutil.copytree(ROOT, tree, ignore=left)
        machine.run(*pip, "wheel", "--no-deps", "--wheel-dir", "dist", tree)
    with machine.timed("pip install ."):
        (wheel,) = (machine.folder / "dist").glob("commonground-*.whl")
        machine.run(*pip, "install", wheel)


def install_from_cache(machine: Machine) -> None:
    """Installs a wheel of the tree with the locked packages that it needs."""
    with machine.timed("wheel of the tree"):
        wheel = build_wheel(machine.folder)
    with machine.timed("virtual environment, and the wheel in it"):
        version = "{}.{}".format(*sys.version_info)
        install(wheel, machine.folder, "requirements.lock", version)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@thorough
@needs_uv
def test_the_first_game_is_played_in_a_few_minutes(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    installed, make, serve = re.findall(r"```sh\n(pip install \.)\n(.+)\n(.+)\n```", TEXT)[0]
    assert (installed, serve) == ("pip install .", "commonground collect serve studies/pilot")
    (install_by_pip if os.environ.get("COMMONGROUND_ASK_INDEX") else install_from_cache)(machine)
    with machine.timed(make):
        assert "is ready" in machine.run(*make.split())
    study = machine.folder / "studies" / "pilot"
    with machine.timed("serve, and two people play"):
        server = Server(study, program=(machine.bin / "commonground", machine.environment))
        try:
            play_game(server, seat(server, 1, clicks=True))
            assert server.stop() == 130
        finally:
            server.close()
    (after,) = re.findall(r"```sh\n(commonground collect export .+?)```", TEXT, re.DOTALL)[:1]
    for line in after.splitlines():
        with machine.timed(line):
            said = machine.run(*line.split())
    assert "on the beach" in said  # what was written stands in the game that is shown
    where = machine.run(machine.bin / "python", "-c", "import commonground as c; print(c.__file__)")
    assert Path(where.strip()).is_relative_to(machine.folder / "env")
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *tell(machine.seconds), ""]))


def tell(seconds: dict[str, float]) -> Iterator[str]:
    """Tells how long each step took."""
    yield f"The first game, on Python {sys.version_info.major}.{sys.version_info.minor}:"
    for step, each in seconds.items():
        yield f"  {each:6.1f} s  {step}"
    total = sum(seconds.values())
    yield f"  {total:6.1f} s  in all, for people who read and write at once; the page says 5 min"
