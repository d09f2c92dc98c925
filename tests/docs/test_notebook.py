"""The notebooks run from their first cell to their last, and show what they promise."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest
from tests.thorough import a_few

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = {
    "from_file_to_score": ("120 dialogues", "<svg", "linear-history", "overlap", "score"),
    "people_beside_models": (
        *(
            "people-people",
            "model-model",
            "40 of 40 games",
            "area mark",
            "marked images that both wrote",
        ),
        *("partners 0.", "never met 0."),
    ),
    "found_the_picture": ("changed by 0.0", "score: people", "<svg", "other words:"),
}
"""What each notebook shows."""


@pytest.fixture(scope="module", params=a_few(SHOWN, ["people_beside_models"]))
def outputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The name of a notebook, and everything that it shows, as text."""
    from nbclient import NotebookClient

    read: Any = nbformat.read
    notebook = read(EXAMPLES / f"{request.param}.ipynb", as_version=4)
    folder, other = tmp_path_factory.mktemp("notebook"), tmp_path_factory.mktemp("other")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of the kernel's own libraries
        patch.setenv("COMMONGROUND_STORE", str(other))
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    assert not list(other.iterdir())  # somebody's own store stays as it is
    return [request.param, json.dumps([cell.get("outputs", []) for cell in notebook.cells])]


def test_the_notebooks_show_what_they_promise(outputs: list[str]) -> None:
    name, shown = outputs
    assert [each for each in SHOWN[name] if each not in shown] == []


@pytest.mark.parametrize("name", SHOWN)
def test_the_notebooks_are_kept_with_what_they_show(name: str) -> None:
    cells = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    kept = json.dumps([cell.get("outputs", []) for cell in cells])
    missing = [each for each in SHOWN[name] if each not in kept]
    assert missing == [], "run scripts/write_notebooks.py"
    # Nothing of a machine or of a run.
    assert all(cell.get("execution_count") is None for cell in cells)
    assert tempfile.gettempdir() not in kept
    assert "stderr" not in kept


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == SHOWN.keys()
