"""A small store of simulated corpora, and the explorer on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.sharing import build_once

from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.server.app import create_app
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

CORPORA = ("photobook", "frames", "taskmaster3")


@pytest.fixture(scope="session")
def site_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def build(folder: Path) -> None:
        for name in CORPORA:
            files = folder / name
            simulate_corpus(get_corpus(name), files, dialogues=30, seed=5)
            images = files / "images" if (files / "images").is_dir() else None
            import_corpus(get_corpus(name), [files], store=folder / "store", images=images, jobs=1)

    return build_once(tmp_path_factory, "site", build) / "store"


@pytest.fixture(scope="session")
def corpora(site_store: Path) -> OpenCorpora:
    return OpenCorpora(open_store(site_store))


@pytest.fixture(scope="session")
def photobook(corpora: OpenCorpora) -> OpenCorpus:
    return corpora.get("photobook")


@pytest.fixture(scope="session")
def frames(corpora: OpenCorpora) -> OpenCorpus:
    return corpora.get("frames")


@pytest.fixture
def client(corpora: OpenCorpora) -> TestClient:
    return TestClient(create_app(corpora), follow_redirects=False)


@pytest.fixture
def found(corpora: OpenCorpora) -> Callable[[str, str], list[str]]:
    """Gives the ids that a query finds in a corpus."""

    def run(corpus: str, query: str) -> list[str]:
        opened = corpora.get(corpus)
        return [opened.index.blocks.ids[o] for o in opened.select(query).ordinals]

    return run


@pytest.fixture
def phrases(
    import_toy: Callable[..., object], tmp_path: Path, write_talks: Callable[..., Path]
) -> OpenCorpus:
    """A corpus of three short talks."""
    talks = {"a": ["the green suitcase"], "b": ["green", "suitcase"], "c": ["le Café"]}
    import_toy(write_talks(talks))
    return OpenCorpus(open_store(tmp_path / "store").corpus("toy"))
