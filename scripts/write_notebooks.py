"""Runs the notebooks in ``examples/``, each in an empty folder, and keeps them with their outputs.

Usage: ``python scripts/write_notebooks.py``. Run it after a change of a notebook, or of what it
shows. Nothing of this machine is kept: an output that names a path of it is refused.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"
KEPT = ("text/html", "image/svg+xml", "text/plain")
"""Forms of an output that are kept; others need a viewer of their own, or repeat these."""


def tidy(cell: dict[str, Any]) -> None:
    """Leaves of the outputs of a cell what a reader sees: no numbers of runs, no warnings."""
    cell["metadata"] = {}
    if cell["cell_type"] != "code":
        return
    cell["execution_count"] = None
    outputs = [each for each in cell["outputs"] if each.get("name") != "stderr"]
    for each in outputs:
        if "execution_count" in each:
            each["execution_count"] = None
        if "data" in each:
            each["data"] = {kind: each["data"][kind] for kind in KEPT if kind in each["data"]}
    cell["outputs"] = outputs


def write(path: Path) -> None:
    """Runs a notebook and writes it."""
    notebook: Any = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}})
        client.execute()
        text = nbformat.writes(notebook)
    if folder in text:
        sys.exit(f"{path}: an output names the folder {folder}: print no path of this machine.")
    kept = json.loads(text)
    for cell in kept["cells"]:
        tidy(cell)
    kept["metadata"]["language_info"] = {"name": "python"}
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{path}: {len(text):,} characters\n")


if __name__ == "__main__":
    for each in sorted(EXAMPLES.glob("*.ipynb")):
        write(each)
