"""The notebook runs from its first cell to its last, and shows what it promises."""

from __future__ import annotations

import json
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


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)


@pytest.mark.parametrize("shown", ["120 dialogues", "<svg", "linear-history", "overlap", "score"])
def test_the_notebook_shows(outputs: str, shown: str) -> None:
    assert shown in outputs
