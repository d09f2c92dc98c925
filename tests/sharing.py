"""What several processes of one run of the tests need, built by the first that does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import portalocker
import pytest


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
