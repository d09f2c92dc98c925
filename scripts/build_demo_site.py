"""Builds a site of invented data in ``build/demo-site``: the explorer, and a game of PhotoBook.

Usage: ``python scripts/build_demo_site.py``. The site is files only, with relative addresses, for
any web host. The game runs in the browser: its rules are those of the package, and Pyodide, which
comes from the npm registry, runs them. Nothing is loaded from elsewhere when the site is visited.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import jinja2
import msgspec

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.static_site.writing import write_site
from commonground.explorer.web.templates import make_environment
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.texts import complete_texts
from commonground.play.demo import write_demo
from commonground.play.rooms.rendering import HERE as ROOMS
from commonground.play.scenarios.photobook.material import invent_material, write_material
from commonground.store.opening import open_store

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).parent / "demo_site"
BUILD = ROOT / "build"
SITE = "demo-site"
ROOM = ROOT / "src" / "commonground" / "play" / "scenarios" / "photobook" / "room"

PAGE_FILES = ("icon.svg", "line.js", "rooms.css", "rooms.js", "signals.js")
"""Of a study's pages, what a page of a game needs."""

REGISTRY = "https://registry.npmjs.org"
PYODIDE = "314.0.7"
PYODIDE_SHA512 = (
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
"""Of the package as the registry gives it, in the form in which npm states it."""
PYODIDE_FILES = (
    "package.json",
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
PYTHON, PLATFORM = "3.14", "pyemscripten_2026_0_wasm32"
"""What this version of Pyodide runs; the wheel of msgspec is made for the same."""

GAMES = 64
"""For so many games material is invented: eight sets of pictures."""
SEED = 1


def fetch_pyodide(folder: Path) -> dict[str, bytes]:
    """Returns the files of Pyodide, from the npm registry or from an earlier download.

    Args:
        folder: where downloads are kept.

    Raises:
        OSError: the registry does not answer.
        SystemExit: what it gives is not the package of the known hash.
    """
    kept = folder / f"pyodide-{PYODIDE}.tgz"
    if not kept.is_file():
        address = f"{REGISTRY}/pyodide/-/{kept.name}"
        with urllib.request.urlopen(address, timeout=120) as answer:  # noqa: S310 - always https
            data = answer.read()
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
    data = kept.read_bytes()
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != PYODIDE_SHA512:
        kept.unlink()
        raise SystemExit(f"{kept.name} does not have the hash that {Path(__file__).name} states.")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = {name: archive.extractfile(f"package/{name}") for name in PYODIDE_FILES}
        return {name: member.read() for name, member in members.items() if member is not None}


def fetch_wheel(folder: Path) -> Path:
    """Returns the wheel of msgspec for Pyodide: of the locked version, checked by its hash.

    Raises:
        SystemExit: the package index does not have it, or does not answer.
    """
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    (line,) = re.findall(r"^msgspec==(?:.*\\\n)*.*$", lock, re.MULTILINE)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = folder / "msgspec.txt"
    wanted.write_text(line, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--platform", PLATFORM, "--python-version", PYTHON]
    command += ["--dest", str(folder), "-r", str(wanted)]
    done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        command, capture_output=True, text=True, check=False
    )
    found = sorted(folder.glob(f"msgspec-*{PLATFORM}.whl"))
    if done.returncode or not found:
        raise SystemExit(done.stderr)
    return found[-1]


def list_rules() -> dict[str, Path]:
    """Returns the modules that the game loads, and the TOML beside them, by name in the archive."""
    program = (
        "import solo, sys; print(*(each.__file__ for each in sys.modules.values()"
        " if each.__name__.partition('.')[0] in ('commonground', 'solo')), sep='\\n')"
    )
    done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    modules = [Path(line) for line in done.stdout.split()]
    beside = [path for each in modules for path in each.parent.glob("*.toml")]
    source = ROOT / "src"
    return {
        (
            path.relative_to(source) if path.is_relative_to(source) else Path(path.name)
        ).as_posix(): path
        for path in [*modules, *beside]
    }


def write_rules(path: Path) -> None:
    """Writes the archive that Python unpacks in the browser."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(list_rules().items()):
            archive.write(source, name)


def write_game(out: Path, downloads: Path) -> None:
    """Writes the folder of the game: its page, Python, the rules, and pictures to play with.

    Args:
        out: a new folder.
        downloads: where what comes from registries is kept.
    """
    pyodide, wheel = fetch_pyodide(downloads), fetch_wheel(downloads)
    (out / "pyodide").mkdir(parents=True)
    for name, data in pyodide.items():
        (out / "pyodide" / name).write_bytes(data)
    shutil.copy(wheel, out / "pyodide")
    write_rules(out / "rules.zip")
    materials = invent_material(GAMES, SEED)
    (out / "material.json").write_bytes(msgspec.json.encode(materials))
    with tempfile.TemporaryDirectory() as work:
        write_material(materials, Path(work), SEED)
        shutil.copytree(Path(work) / "images", out / "pictures")
    for name in PAGE_FILES:
        copy_text(ROOMS / "static" / name, out)
    for path in [ROOM / "room.js", ROOM / "room.css", *ROOM.glob("*.svg")]:
        copy_text(path, out)
    copy_text(SOURCES / "local.js", out)
    script = (SOURCES / "python.js").read_text(encoding="utf-8")
    (out / "python.js").write_text(script.replace("WHEEL", wheel.name), encoding="utf-8")
    (out / "index.html").write_text(render("game_page.html"), encoding="utf-8")


def copy_text(path: Path, out: Path) -> None:
    """Copies a file of a page; what stands in ``/static/`` of a server stands beside it here."""
    text = path.read_text(encoding="utf-8").replace('"/static/', '"./')
    (out / path.name).write_text(text, encoding="utf-8")


def render(template: str) -> str:
    """Renders a page with the templates of a study's pages; files of a page lie beside it."""
    texts = complete_texts("en", (ROOMS / "texts", ROOM))
    searched = [SOURCES, ROOMS / "templates", ROOM]
    environment = make_environment(jinja2.FileSystemLoader(searched))
    page = environment.get_template(template).render(
        t=texts,
        language="en",
        study=SimpleNamespace(name="commonground demo"),
        plan=read_plan(ROOM),
        styles=["room.css"],
        paid=False,
        with_model=False,
        here="..",
        data={
            "token": "",
            "texts": texts.below("script"),
            "pictures": "pictures/",
            "sessions": 1,
            # No server is ever silent here; browsers keep no longer time than this times 2.5.
            "heartbeat_ms": 800_000_000,
            "language": "en",
        },
    )
    return page.replace('"/static/room.js"', '"./local.js"').replace('"/static/', '"./')


def build(folder: Path) -> Path:
    """Builds the site below a folder and returns where it is."""
    site, data = folder / SITE, folder / "demo-site-data"
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    opened = open_store(write_demo(data, seed=SEED))
    shown = OpenCorpora(opened, names=opened.all_corpora())
    write_site(shown, site / "explorer", packed=True)
    write_game(site / "play", folder / "npm")
    write_front(site)
    return site


def write_front(site: Path) -> None:
    """Writes the page from which the explorer and the game are opened."""
    for name in ("rooms.css", "icon.svg"):
        copy_text(ROOMS / "static" / name, site)
    (site / "index.html").write_text(render("front_page.html"), encoding="utf-8")


def main() -> None:
    """Builds the site and says how to look at it."""
    site = build(BUILD)
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    sys.stdout.write(f"{site}: {size / 1e6:.0f} MB, for any web host. To look at it: ")
    sys.stdout.write(f"python3 -m http.server --bind 127.0.0.1 --directory {site}\n")


if __name__ == "__main__":
    main()
