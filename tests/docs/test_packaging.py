"""What is installed from a built wheel works by itself; what the project says of itself agrees."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.thorough import thorough

import commonground as cg

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

needs_uv = pytest.mark.skipif(
    find_spec("uv") is None, reason="uv is not installed: `make test` brings it"
)


def run(folder: Path, *command: str | Path, path: str = "") -> subprocess.CompletedProcess[str]:
    # Where tests run with PYTHONPATH, the wheel must not find the clone by it.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["COMMONGROUND_STORE"] = str(folder / "store")
    return subprocess.run(
        list(map(str, command)), cwd=path or folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def build_wheel(folder: Path) -> Path:
    """Builds the wheel into a folder and returns its path."""
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


def install(wheel: Path, folder: Path, lock: str, python: str, extras: str = "") -> Path:
    """Makes an environment of its own with a wheel, and returns the folder of its programs.

    Args:
        wheel: the wheel.
        folder: an empty folder.
        lock: file whose versions are taken.
        python: version of Python.
        extras: names of extras, with commas between; empty for none.
    """
    uv = [sys.executable, "-m", "uv"]
    # The cache has what the environment of the tests was made of; a test asks no network.
    asking = [] if os.environ.get("COMMONGROUND_ASK_INDEX") else ["--offline"]
    made = run(folder, *uv, "venv", "--offline", "--python", python, folder / "env")
    if made.returncode:
        pytest.skip(f"Python {python} is not at hand")
    place = folder / "env" / "bin"
    target = f"{wheel}[{extras}]" if extras else str(wheel)
    done = run(
        folder,
        *uv,
        "pip",
        "install",
        "--python",
        place / "python",
        *asking,
        "-c",
        ROOT / lock,
        target,
    )
    if "network was disabled" in done.stderr:
        pytest.skip(f"the cache of uv lacks packages for Python {python}: see `make wheel`")
    assert done.returncode == 0, done.stderr
    return place


def try_lines(folder: Path, place: Path, lines: Iterable[str]) -> None:
    for line in lines:
        program, *words = shlex.split(line)
        done = run(folder, place / program, *words)
        assert done.returncode == 0, line + done.stdout + done.stderr


@needs_uv
def test_the_wheel_alone_reads_and_asks(wheel: Path, tmp_path: Path) -> None:
    """Installed with the locked packages that it needs, and nothing of the clone."""
    place = install(wheel, tmp_path, "requirements.lock", "{}.{}".format(*sys.version_info))
    try_lines(
        tmp_path,
        place,
        (
            "commonground simulate frames files --dialogues 3",
            "commonground import frames files",
            "commonground site public --no-json",
            "commonground export csv tables",
        ),
    )
    where = run(tmp_path, place / "python", "-c", "import commonground; print(commonground)")
    assert str(place.parent) in where.stdout


USES = {
    "baselines": "commonground baseline frames/nlu --method linear --limit 8",
    "dask": "commonground import frames files --engine dask --jobs 1 --store dasked",
    "encoders": 'python -c "import onnxruntime, tokenizers"',
    "figures": "commonground stats frames --figure lengths --out drawn",
    "hf": "python -c \"import commonground as cg, datasets; cg.export('hf', 'hf'); "
    "assert datasets.load_dataset('hf', 'dialogues')\"",
    "hub": 'python -c "import huggingface_hub"',
    "inspect": "inspect eval commonground/frames_nlu --model mockllm/model --limit 1",
    "matplotlib": 'python -c "import matplotlib.figure"',
    "mcp": 'python -c "import mcp.server.stdio"',
    "pandas": "python -c \"import commonground as cg; cg.load('frames').to_pandas('acts')\"",
    "polars": "python -c \"import commonground as cg; cg.load('frames').to_polars('acts')\"",
}
"""For each extra but torch, something that needs it."""


@thorough
@needs_uv
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_with_its_extras_does_all(wheel: Path, tmp_path: Path, python: str) -> None:
    place = install(wheel, tmp_path, "requirements-dev.lock", python, ",".join(USES))
    made = ("commonground simulate frames files --dialogues 20", "commonground import frames files")
    try_lines(tmp_path, place, (*made, *USES.values()))


def test_every_extra_is_tried_but_torch() -> None:
    assert {*USES, "torch"} == set(PROJECT["optional-dependencies"])


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
