from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai.model._model_info import clear_model_info_cache
from tests.sharing import build_once, keep_open

from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus

INSPECT_AI = ("ResourceWarning", "DeprecationWarning", "pytest.PytestUnraisableExceptionWarning")
"""What inspect_ai warns of itself: streams left unclosed, old names of its own libraries."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Passes over what inspect_ai warns of."""
    for item in items:
        if item.nodeid.startswith("tests/unit/bench/inspect_tasks/"):
            for each in INSPECT_AI:
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{each}"))


@pytest.fixture(scope="module", autouse=True)
def unclosed_streams() -> Iterator[None]:
    """Collects what inspect_ai leaves unclosed, which later tests must not be blamed for."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def forgotten_prices() -> Iterator[None]:
    """Has inspect_ai forget models and their prices, which it would apply to later tests, too."""
    yield
    clear_model_info_cache()


CORPORA = ("frames", "mpchat", "photobook", "simmc", "taskmaster3", "taskmaster4")


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store of small invented corpora."""

    def build(folder: Path) -> None:
        for name in CORPORA:
            simulate_corpus(get_corpus(name), folder / name, dialogues=6, seed=1)
            images = folder / name / "images"
            import_corpus(
                get_corpus(name),
                [folder / name],
                store=folder / "store",
                images=images if images.exists() else None,
            )

    with keep_open(build_once(tmp_path_factory, "inspected", build) / "store") as store:
        yield store


@pytest.fixture(scope="session")
def real_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of released files that are at hand: some games, one domain, and a third corpus."""
    if "COMMONGROUND_DATA" not in os.environ:
        pytest.skip("needs released files: COMMONGROUND_DATA names their folder")
    data = Path(os.environ["COMMONGROUND_DATA"])
    games = data / "photobook"
    some = [*sorted((games / "logs").glob("*.json"))[::25], games / "data_splits.json"]

    def build(folder: Path) -> None:
        for name, paths in (
            ("photobook", some),
            ("simmc", [data / "simmc1" / "fashion"]),
            ("taskmaster3", [data / "taskmaster3"]),
        ):
            if all(path.exists() for path in paths):
                import_corpus(get_corpus(name), paths, store=folder / "store", check=False)

    return build_once(tmp_path_factory, "inspected-real", build) / "store"
