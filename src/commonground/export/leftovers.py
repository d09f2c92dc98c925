"""Hidden folders of writing, and those that a killed process left behind.

A process holds a lock on the folder that it writes: one without a lock is nobody's.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def hidden_folder(target: Path, kind: str) -> Iterator[Path]:
    """Gives an empty hidden folder beside another; what is left of it in the end is removed.

    Args:
        target: the folder beside which it stands.
        kind: ``new`` for what is to take its place, ``old`` for what has lost it.

    Raises:
        OSError: it cannot be made.
    """
    lock = None
    while lock is None:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.{kind}-", dir=target.parent))
        try:
            lock = _lock(folder)
        except OSError:  # no locks on this file system: nobody takes folders for leftovers there
            lock = os.open(os.devnull, os.O_RDONLY)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def clear_leftovers(target: Path) -> None:
    """Removes hidden folders of dead processes; a folder that one of them put aside comes back."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.(new|old)-[a-z0-9_]{{8}}")
    with suppress(OSError):
        for folder in list(target.parent.iterdir()):
            if pattern.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
                _clear(folder, target)


def _clear(folder: Path, target: Path) -> None:
    lock = _lock(folder)
    if lock is None:
        return
    try:
        aside = folder / target.name
        if ".old-" in folder.name and aside.exists() and not target.exists():
            aside.rename(target)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """Locks a folder until the file number is closed; null where another process has it.

    Raises:
        OSError: it cannot be locked.
    """
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(number)
        if isinstance(error, BlockingIOError):
            return None
        raise
    if folder.exists():
        return number
    os.close(number)  # removed in the moment before
    return None
