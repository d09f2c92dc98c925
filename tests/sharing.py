"""What several tests, and processes of one run of the tests, need: it is built or opened once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import portalocker
import pytest

from commonground.store.opening import open_store


def build_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """Returns a folder that is filled once in a run, however many processes ask for it.

    Tests only read it: another one may be reading it at the same time.

    Args:
        factory: pytest's, of temporary folders.
        name: of the folder.
        build: fills it.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, built = base / "shared" / name, base / "shared" / f"{name}.built"
    folder.parent.mkdir(exist_ok=True)
    with portalocker.Lock(folder.with_name(f"{name}.lock"), timeout=3600, check_interval=0.1):
        if not built.exists():
            folder.mkdir()
            build(folder)
            built.touch()
    return folder


@contextmanager
def keep_open(store: Path) -> Iterator[Path]:
    """Keeps a store that tests only read open, so that each that opens it shares its databases.

    Args:
        store: its folder.
    """
    opened = open_store(store)
    kept = [opened.database, *(opened.database_of(name) for name in opened.corpora())]
    yield store
    kept.clear()
