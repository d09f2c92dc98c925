"""Locks on files and folders, which end with the process however that ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_held: set[int] = set()
"""Numbers of locked files that a forked process must not keep: a lock is as long as any copy of
its number is open, and the workers of a killed command would hold it."""


def _let_go() -> None:
    for lock in _held:
        with suppress(OSError):
            os.close(lock)
    _held.clear()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def hold_lock(lock: int) -> Iterator[None]:
    """Closes a locked file in the end, and at once in every process that is forked from this."""
    owner = os.getpid()
    _held.add(lock)
    try:
        yield
    finally:
        if os.getpid() == owner:
            _held.discard(lock)
            os.close(lock)


def take_lock(file: int | IO[bytes], *, shared: bool = False, wait: bool = False) -> bool:
    """Locks an open file until it is closed; says whether it did.

    Raises:
        OSError: it cannot be locked, as on a file system without locks.
    """
    # Here, since most commands start without taking one.
    import portalocker

    flags = portalocker.LockFlags.SHARED if shared else portalocker.LockFlags.EXCLUSIVE
    if not wait:
        flags |= portalocker.LockFlags.NON_BLOCKING
    try:
        portalocker.lock(file, flags)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise error.__cause__ if isinstance(error.__cause__, OSError) else OSError(error) from None
    return True


def lock_folder(folder: Path, *, shared: bool = False, wait: bool = False) -> int | None:
    """Locks a folder until the file number that is returned is closed, however the process ends.

    Returns:
        The number; None where another process has a lock that excludes this one, or where the
        folder was removed in this moment.

    Raises:
        OSError: it is no folder, or cannot be locked.
    """
    if os.name == "nt":  # no folder can be opened there: a file in it is locked in its place
        number = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
    else:
        # A link that somebody else put there is not followed, in a folder such as /tmp.
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        is_ours = take_lock(number, shared=shared, wait=wait)
    except OSError:
        os.close(number)
        raise
    if is_ours and folder.exists():
        return number
    os.close(number)  # another's, or removed in the moment before
    return None
