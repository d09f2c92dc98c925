"""What is installed from a built wheel, and how long it takes to come up: base, and each extra.

The wheel is built, then installed into a fresh environment by uv, alone and with one extra after
the other; torch is left out, since it alone is several GB. Asks the index of packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from benchmarks.measure import Line, best_of, run_process

ROOT = Path(__file__).parents[1]
LEFT_OUT = frozenset({"torch"})
TIMES = 7


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _build(folder)
        base = _install(folder / "base", str(wheel))
        lines = [_import_time(base), _help_time(base)]
        base_mb, base_packages = _size(base)
        lines.append(
            Line(
                "the built wheel, installed",
                f"{base_mb:.0f} MB, {base_packages} packages",
                f"the wheel alone {wheel.stat().st_size / 1e6:.1f} MB",
                None,
                "under 600 MB",
                base_mb < 600,
            )
        )
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for extra in sorted(set(project["optional-dependencies"]) - LEFT_OUT):
            mb, packages = _size(_install(folder / extra, f"{wheel}[{extra}]"))
            lines.append(
                Line(
                    f"the wheel with `[{extra}]`",
                    f"{mb:.0f} MB, {packages} packages",
                    f"base {base_mb:.0f} MB, {base_packages}",
                    mb / base_mb,
                    "",
                    None,
                )
            )
        return lines


def _build(folder: Path) -> Path:
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _install(folder: Path, wanted: str) -> Path:
    """Makes an environment that has what is wanted and nothing else, and returns it."""
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    python = str(folder / "bin" / "python")
    # What is locked is what `make` installs; the rest is the newest that fits.
    pip = [*uv, "pip", "install", "--quiet", "--python", python]
    subprocess.run([*pip, "-c", str(ROOT / "requirements-dev.lock"), wanted], check=True)
    return folder


def _size(environment: Path) -> tuple[float, int]:
    """Returns MB on the disk and the number of packages, without bytecode."""
    (packages,) = environment.glob("lib/python*/site-packages")
    files = (f for f in packages.rglob("*") if f.is_file() and f.suffix != ".pyc")
    return sum(f.stat().st_size for f in files) / 1e6, len(list(packages.glob("*.dist-info")))


def _import_time(environment: Path) -> Line:
    python = str(environment / "bin" / "python")
    nothing = best_of(lambda: run_process([python, "-c", "pass"]), TIMES)
    seconds = best_of(lambda: run_process([python, "-c", "import commonground"]), TIMES)
    return _startup("`import commonground`, installed", seconds, nothing, 0.05)


def _help_time(environment: Path) -> Line:
    folder = environment / "bin"
    nothing = best_of(lambda: run_process([str(folder / "python"), "-c", "pass"]), TIMES)
    seconds = best_of(lambda: run_process([str(folder / "commonground"), "--help"]), TIMES)
    return _startup("`commonground --help`, installed", seconds, nothing, 0.1)


def _startup(job: str, seconds: float, nothing: float, bar_s: float) -> Line:
    return Line(
        job,
        f"{seconds * 1000:.0f} ms",
        f"`python -c pass` {nothing * 1000:.0f} ms",
        None,
        f"at most {bar_s * 1000:.0f} ms above it",
        seconds - nothing <= bar_s,
    )
