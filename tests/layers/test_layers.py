"""The direction of imports, the absence of cycles, and what start-up must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "commonground"
PACKAGE = "commonground"

# Lowest first; a layer may import itself and those before it.
LAYERS = (
    (
        "errors",
        "discovery",
        "findings",
        "model",
        "task",
        "method",
        "figure",
        "view",
        "notebook",
        "records",
        "drawing",
        "processes",
        "visible",
    ),
    ("faults", "schema", "simulated", "sources", "places", "outputs"),
    (
        "formats",
        "dividing",
        "joining",
        "roundtrip",
        "jsonschema",
        "predictions",
        "reading",
        "scenario",
    ),
    ("metrics", "checks", "learners"),
    ("corpora",),
    ("fetching", "store"),
    ("evaluation", "stats", "export", "playing"),
    ("collect",),
    ("web",),
    ("site", "rooms"),
    ("cli", "__main__"),
)
ORDER = {name: number for number, names in enumerate(LAYERS) for name in names}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in ROOT.rglob("*.py")}


@cache
def imports(name: str, everywhere: bool) -> frozenset[str]:
    """Modules of ours that a module imports: at its top, or anywhere in it."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if everywhere else iter(tree.body)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in MODULES else node.module)
    return frozenset(each for each in found if each in MODULES and each != name)


def layer(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_go_down(name: str) -> None:
    mine = layer(name)
    if not mine:
        return
    assert mine in ORDER, f"{mine} stands in no layer"
    for other in imports(name, True):
        if layer(other):
            assert ORDER[layer(other)] <= ORDER[mine], f"{name} imports {other}"


def test_no_corpus_imports_another() -> None:
    for name in MODULES:
        if layer(name) != "corpora" or name.count(".") < 2:
            continue
        folder = name.split(".")[2]
        for other in imports(name, True):
            if other.startswith(f"{PACKAGE}.corpora."):
                assert other.split(".")[2] == folder, f"{name} imports {other}"


def test_there_is_no_import_cycle() -> None:
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in imports(name, False):
                visit(other, (*trail, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


@pytest.mark.parametrize("code", ["import commonground", "COMMAND --help", "COMMAND list --help"])
def test_start_up_loads_nothing_heavy(code: str, tmp_path: Path) -> None:
    if code.startswith("COMMAND"):
        words = code.split()[1:]
        code = (
            "import sys; sys.argv = ['commonground'] + " + repr(words) + "\n"
            "from commonground.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass"
        )
    code += (
        "\nimport sys; print(sorted({'pyarrow', 'duckdb', 'pandas', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert result.stdout.splitlines()[-1] == "[]"
