"""What is installed from a built wheel works by itself; what the project says of itself agrees."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import commonground as cg

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run(folder: Path, *command: str | Path, path: str = "") -> subprocess.CompletedProcess[str]:
    # Where tests run with PYTHONPATH, the wheel must not find the clone by it.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["COMMONGROUND_STORE"] = str(folder / "store")
    return subprocess.run(
        list(map(str, command)), cwd=path or folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = run(
        folder,
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        folder,
        path=str(ROOT),
    )
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix()
        for path in (source / "commonground").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == ours


def test_the_wheel_alone_reads_and_asks(wheel: Path, tmp_path: Path) -> None:
    """Installed with the locked packages that it needs, and nothing of the clone."""
    if find_spec("uv") is None:
        pytest.skip("uv is not installed: `make test` brings it")
    venv.create(tmp_path / "env")
    place = tmp_path / "env" / "bin"
    install = [sys.executable, "-m", "uv", "pip", "install", "--python", str(place / "python")]
    # The cache has what the environment of the tests was made of; a test asks no network.
    done = run(tmp_path, *install, "--offline", "-c", str(ROOT / "requirements.lock"), str(wheel))
    if "network was disabled" in done.stderr:
        pytest.skip("the cache of uv does not hold the locked packages: `make test` fills it")
    assert done.returncode == 0, done.stderr
    for line in (
        "simulate frames files --dialogues 3",
        "import frames files",
        "site public --no-json",
        "export csv tables",
    ):
        done = run(tmp_path, place / "commonground", *line.split())
        assert done.returncode == 0, done.stdout + done.stderr
    where = run(tmp_path, place / "python", "-c", "import commonground; print(commonground)")
    assert str(place.parent) in where.stdout


def test_every_extra_is_locked_but_torch() -> None:
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements-dev.lock").read_text(), re.M))
    for name, wanted in PROJECT["optional-dependencies"].items():
        names = {re.split(r"[<>=~]", each)[0] for each in wanted}
        assert names <= locked or name == "torch", name


def test_both_locks_agree() -> None:
    locks = [
        set(re.findall(r"^[\w.-]+==\S+", (ROOT / name).read_text(), re.M))
        for name in ("requirements.lock", "requirements-dev.lock")
    ]
    assert locks[0] <= locks[1]


def test_models_are_tested_with_the_packages_of_the_other_tests() -> None:
    found = [
        dict(re.findall(r"^([\w.-]+)(==[^\\]+)", (ROOT / name).read_text(), re.M))
        for name in ("requirements-dev.lock", "requirements-models.lock")
    ]
    other = {name for name in found[0].keys() & found[1] if found[0][name] != found[1][name]}
    assert not other


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    said = dict(re.findall(r"^([\w-]+): (\S.*)$", text, re.M))
    assert said["version"] == PROJECT["version"] == cg.__version__
    assert (said["title"], said["license"]) == (PROJECT["name"], PROJECT["license"])
