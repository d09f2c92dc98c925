"""Fixtures that many tests share."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import commonground.corpora as corpora
from commonground.corpora import Entry, get_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store

# A test that names no store must not import into the one of the one who runs it, so that store has
# another name here; a test that only reads it asks for that.
if "COMMONGROUND_STORE" in os.environ:
    os.environ["COMMONGROUND_READ_STORE"] = os.environ.pop("COMMONGROUND_STORE")

# Machines are shared: how long one example takes, or drawing it, says nothing of the code.
settings.register_profile(
    "shared",
    deadline=None,
    max_examples=int(os.environ.get("COMMONGROUND_EXAMPLES", "30")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("shared")

TOY_FOLDER = Path(__file__).parent / "corpora"

SLOW = ("docs", "unit/bench/inspect_tasks", "faults", "browser", "golden", "contract")
"""Folders whose files take longest; they come first, so that no process is alone in the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folders = [f"tests/{each}/" for each in SLOW]

    def rank(item: pytest.Item) -> int:
        ways = (number for number, each in enumerate(folders) if item.nodeid.startswith(each))
        return next(ways, len(SLOW))

    items.sort(key=rank)


def pytest_collection() -> None:
    gc.disable()  # all that is loaded and collected stays to the end


def pytest_collection_finish() -> None:
    """Lets nobody look again for cycles in what is loaded and collected, which stays to the end."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # or DuckDB complains at the end of what was never let go


@pytest.fixture(scope="session", autouse=True)
def hasty_disk() -> Iterator[None]:
    """Lets no test wait until a disk has what was written, 20 ms each time, a dozen an import.

    What a power cut or a full disk does is tried on processes of their own, in ``tests/faults``.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield


_find_with_toy = cache(corpora._find_entries.__wrapped__)
"""Finds the toy corpus, too, and reads the manifests of all once for all tests."""


@contextmanager
def finding_toy() -> Iterator[Entry]:
    """Has the toy corpus found like any other; gives it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "__path__", [*corpora.__path__, str(TOY_FOLDER)])
        patch.setattr(corpora, "_find_entries", _find_with_toy)
        yield get_corpus("toy")


@pytest.fixture
def toy() -> Iterator[Entry]:
    """The toy corpus, found like any other while the test runs."""
    with finding_toy() as entry:
        yield entry


def make_talks(talks: dict[str, list[str]]) -> str:
    """Returns a file of toy talks, each a list of what ann says, as JSON."""
    records = [
        {"talk_id": key, "lines": [{"who": "ann", "says": text} for text in lines]}
        for key, lines in talks.items()
    ]
    return json.dumps({"train": records})


def import_talks(folder: Path, talks: dict[str, list[str]]) -> None:
    """Imports toy talks into the store ``store`` of a folder, for tests of a module that read it.

    Args:
        folder: that has nothing of them yet.
        talks: what ann says, by the id of the talk.
    """
    path = folder / "talks.json"
    path.write_text(make_talks(talks), encoding="utf-8")
    with finding_toy() as toy:
        import_corpus(toy, [path], store=folder / "store")


@pytest.fixture
def write_talks(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of toy talks, each a list of what ann says, and returns its path."""

    def write(talks: dict[str, list[str]], name: str = "talks.json") -> Path:
        path = tmp_path / name
        path.write_text(make_talks(talks), encoding="utf-8")
        return path

    return write


@pytest.fixture
def import_toy(toy: Entry, tmp_path: Path) -> Callable[..., ImportSummary]:
    """Imports toy files into a store below the test's own folder."""

    def run(*paths: Path, **options: Any) -> ImportSummary:
        options.setdefault("replace", True)
        return import_corpus(toy, paths, store=tmp_path / "store", **options)

    return run


@pytest.fixture
def open_toy(tmp_path: Path) -> Callable[[], Corpus]:
    """Opens what :func:`import_toy` imported."""
    return lambda: open_store(tmp_path / "store").corpus("toy")
