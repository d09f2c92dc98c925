"""Stores of all released files of a corpus, where these are at hand, imported once in a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.store.importing import import_corpus
from tests.sharing import build_once

PARTS = {"photobook": ("logs", "data_splits.json", "domain_ids.txt")}
"""What is imported of a corpus where it is not the whole folder."""


def find_released(folder: str) -> Path:
    """Returns a folder of released files; skips the test where it is not at hand.

    Args:
        folder: its name in the folder that ``COMMONGROUND_DATA`` names.
    """
    if "COMMONGROUND_DATA" not in os.environ:
        pytest.skip("COMMONGROUND_DATA names no folder of released files")
    found = Path(os.environ["COMMONGROUND_DATA"], folder)
    if not found.is_dir():
        pytest.skip(f"{found} is not there")
    return found


def import_released(
    factory: pytest.TempPathFactory, corpus: str, folder: str | None = None
) -> Path:
    """Returns a store of all released files of a corpus, which tests only read.

    Args:
        factory: pytest's, of temporary folders.
        corpus: name of the corpus.
        folder: name of the folder of its files; None where it is that of the corpus.
    """
    files = find_released(folder or corpus)
    paths = [files / each for each in PARTS.get(corpus, ())] or [files]

    def build(store: Path) -> None:
        import_corpus(get_corpus(corpus), paths, store=store, jobs=1)

    return build_once(factory, f"released-{corpus}", build)
