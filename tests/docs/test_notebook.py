"""The notebook runs from its first cell to its last, and shows what it promises."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "from_file_to_score.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything that the notebook shows, as text."""
    from nbclient import NotebookClient

    read: Any = nbformat.read
    notebook = read(NOTEBOOK, as_version=4)
    folder, other = tmp_path_factory.mktemp("notebook"), tmp_path_factory.mktemp("other")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of the kernel's own libraries
        patch.setenv("COMMONGROUND_STORE", str(other))
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    assert not list(other.iterdir())  # somebody's own store stays as it is
    return json.dumps([cell.get("outputs", []) for cell in notebook.cells])


@pytest.fixture(scope="module")
def kept() -> str:
    """Everything that the notebook is kept with, as text."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return json.dumps([cell.get("outputs", []) for cell in cells])


@pytest.mark.parametrize("shown", ["120 dialogues", "<svg", "linear-history", "overlap", "score"])
def test_the_notebook_shows(outputs: str, kept: str, shown: str) -> None:
    assert shown in outputs
    assert shown in kept, "run scripts/write_notebook.py"


def test_nothing_of_a_machine_or_a_run_is_kept(kept: str) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(cell.get("execution_count") is None for cell in cells)
    assert tempfile.gettempdir() not in kept
    assert "stderr" not in kept
