from __future__ import annotations

from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.corpora.photobook.log import Log, load_logs
from commonground.figures.tables import StoreData
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty simulated games of few players, who therefore come back."""
    folder = tmp_path_factory.mktemp("files")
    simulate_corpus(get_corpus("photobook"), folder, dialogues=20, seed=5)
    return folder


@pytest.fixture(scope="module")
def logs(files: Path) -> list[Log]:
    return load_logs(files / "logs")


@pytest.fixture(scope="module")
def data(files: Path, tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    """The games in a store, which tests only read."""
    store = tmp_path_factory.mktemp("figures") / "store"
    import_corpus(get_corpus("photobook"), [files], store=store)
    return StoreData(open_store(store), "photobook")
