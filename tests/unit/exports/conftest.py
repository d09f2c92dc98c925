"""A small store that the tests of exports share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.exports.format import get_export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import Store, open_store
from tests.conftest import finding_toy
from tests.sharing import build_once

from .dialogues import Converter
from .planted import plant_dialogue

CORPORA = tuple(entry.name for entry in iterate_corpora())
KINDS = ("chats", "frames", "photobook", "simmc2", "taskmaster3")
"""One corpus of each kind: several versions of one have the same roles, calls and facts."""


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of six invented dialogues of each corpus."""

    def build(folder: Path) -> None:
        for name in CORPORA:
            simulate_corpus(get_corpus(name), folder / name, dialogues=6, seed=1)
            import_corpus(get_corpus(name), [folder / name], store=folder / "store")

    return build_once(tmp_path_factory, "exports", build) / "store"


@pytest.fixture(scope="session")
def store(simulated: Path) -> Store:
    return open_store(simulated)


@pytest.fixture
def export(store: Store, tmp_path: Path) -> Callable[..., tuple[Path, Report]]:
    """Exports in a format and returns the folder and the report."""

    def run(
        name: str, *corpora: str, where: str | None = None, **options: object
    ) -> tuple[Path, Report]:
        out = tmp_path / name
        selection = Selection(store, corpora, where=where)
        return out, run_export(get_export(name), selection, out, options)

    return run


@pytest.fixture(scope="session")
def planted_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def build(folder: Path) -> None:
        converter, talks = Converter(), folder / "talks.json"
        converter.write([plant_dialogue(1), plant_dialogue(2, is_silent=True)], talks)
        with finding_toy() as toy, pytest.MonkeyPatch.context() as patch:
            patch.setattr(toy.module("convert"), "convert", converter.convert)
            import_corpus(toy, [talks], store=folder / "store", jobs=1)

    return build_once(tmp_path_factory, "planted", build) / "store"


@pytest.fixture(scope="session")
def opened_planted(planted_folder: Path) -> Store:
    return open_store(planted_folder)


@pytest.fixture
def planted(toy: Entry, opened_planted: Store) -> Store:
    """A store of two dialogues of marks; the second has actions only."""
    return opened_planted
