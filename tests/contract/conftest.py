"""Every corpus, simulated once per run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

NAMES = tuple(entry.name for entry in iterate_corpora())
DIALOGUES = 24


class Simulated:
    """A simulated corpus, its files and its import."""

    def __init__(self, name: str, folder: Path) -> None:
        self.entry: Entry = get_corpus(name)
        self.files = folder / name
        self.store = folder / "store"
        self.files.mkdir(parents=True)
        simulate_corpus(self.entry, self.files, dialogues=DIALOGUES, seed=3)
        images = self.files / "images"
        self.summary = import_corpus(
            self.entry,
            [self.files],
            store=self.store,
            images=images if images.is_dir() else None,
        )

    @property
    def corpus(self) -> Corpus:
        return open_store(self.store).corpus(self.entry.name)


@pytest.fixture(scope="session")
def simulated_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("simulated")


@cache
def simulate(name: str, folder: Path) -> Simulated:
    return Simulated(name, folder)


@pytest.fixture(params=NAMES)
def simulated(request: pytest.FixtureRequest, simulated_folder: Path) -> Simulated:
    return simulate(request.param, simulated_folder)


@pytest.fixture(params=NAMES)
def entry(request: pytest.FixtureRequest) -> Entry:
    return get_corpus(request.param)
