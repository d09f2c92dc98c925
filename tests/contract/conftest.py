"""Every corpus, simulated once per run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import StoreManifest
from commonground.store.opening import Store, open_store
from tests.sharing import build_once

NAMES = tuple(entry.name for entry in iterate_corpora())
DIALOGUES = 12


class Simulated:
    """A simulated corpus, its files and its import; all are only read."""

    def __init__(self, name: str, factory: pytest.TempPathFactory) -> None:
        self.entry: Entry = get_corpus(name)
        folder = build_once(factory, f"contract-{name}", self._build)
        self.files, self.store = folder / name, folder / "store"
        # One connection for all tests: they only ask.
        self.opened: Store = open_store(self.store)
        self.manifest: StoreManifest = self.opened.manifests[name]
        self.corpus: Corpus = self.opened.corpus(name)

    def _build(self, folder: Path) -> None:
        files = folder / self.entry.name
        files.mkdir()
        simulate_corpus(self.entry, files, dialogues=DIALOGUES, seed=3)
        images = files / "images" if (files / "images").is_dir() else None
        import_corpus(self.entry, [files], store=folder / "store", images=images)


Simulate = Callable[[str], Simulated]


@pytest.fixture(scope="session")
def simulate(tmp_path_factory: pytest.TempPathFactory) -> Simulate:
    """Gives the simulated corpus of a name."""
    return cache(lambda name: Simulated(name, tmp_path_factory))


@pytest.fixture(params=NAMES)
def simulated(request: pytest.FixtureRequest, simulate: Simulate) -> Simulated:
    return simulate(request.param)


@pytest.fixture(params=NAMES)
def entry(request: pytest.FixtureRequest) -> Entry:
    return get_corpus(request.param)
