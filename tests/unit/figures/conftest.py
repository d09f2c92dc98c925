from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.files import simulated
from commonground.play.simulating import simulate_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import Store, open_store


@pytest.fixture
def store(toy: Entry, tmp_path: Path, import_toy: Callable[..., ImportSummary]) -> Store:
    """Four talks of two lines, half of them to learn from; `hello N` and `hello` in each.

    They stand for released ones, so that they are compared with what is published.
    """
    files = tmp_path / "files"
    files.mkdir()
    simulate_corpus(toy, files, dialogues=4, seed=0)
    (files / simulated.NAME).unlink()
    import_toy(files)
    return open_store(tmp_path / "store")
