"""Classes that users of the Python API meet list their attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.test_docstrings import documented

ROOT = Path(__file__).parents[2] / "src" / "commonground"

API = (
    "errors.py",
    "extras.py",
    "figure.py",
    "findings.py",
    "metric.py",
    "model.py",
    "printing.py",
    "schema.py",
    "task.py",
    "evaluation/access.py",
    "evaluation/baselines/results.py",
    "evaluation/batches.py",
    "evaluation/comparing.py",
    "evaluation/coverage.py",
    "evaluation/reporting.py",
    "evaluation/scoring.py",
    "export/format.py",
    "export/loss.py",
    "export/run.py",
    "export/selection.py",
    "fetching.py",
    "stats/access.py",
    "stats/tables.py",
    "stats/views.py",
    "store/corpus.py",
    "store/manifest.py",
    "store/opening.py",
    "store/pictures.py",
    "store/report.py",
)
"""Modules whose values the functions of ``cg`` give or take."""


def list_attributes(node: ast.ClassDef) -> Iterator[str]:
    """The public fields of a struct, and what ``__init__`` sets on an instance."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and "ClassVar" not in ast.unparse(each.annotation):
            yield ast.unparse(each.target)
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            for inner in ast.walk(each):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    yield inner.attr


def find_classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for name in API:
        for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield f"{name}:{node.name}", node


CLASSES = dict(find_classes())


@pytest.mark.parametrize("place", CLASSES)
def test_a_class_lists_its_attributes(place: str) -> None:
    node = CLASSES[place]
    named = {name for name in list_attributes(node) if not name.startswith("_")}
    listed = documented(ast.get_docstring(node) or "", "Attributes")
    assert named - listed == set()
