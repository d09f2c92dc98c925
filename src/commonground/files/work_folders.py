"""Folders that a process works in, and those that a killed one left behind.

A process holds a lock on each folder of its own: one without a lock is nobody's. The number of a
process would not do, since another process may have it by now; nor would an age, since a large
export takes hours.

Where the folders are stands in the user's cache, as links. So the next command of any kind finds
those of the dead wherever they are, and one look at an empty folder is all it costs.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from commonground.files.locks import hold_lock, lock_folder

_HIDDEN = re.compile(r"\..+\.(new|old)-[a-z0-9_]{8}", re.DOTALL)
_TEMPORARY = re.compile(r"commonground-[0-9a-f]{8}")
_MOST_NAME_BYTES = 200
"""Bytes of a name that are kept in that of its hidden folder; file systems allow 255 in all."""


@contextmanager
def hidden_folder(target: Path, kind: str) -> Iterator[Path]:
    """Gives an empty hidden folder beside something; what is left of it in the end is removed.

    Args:
        kind: ``new`` for what is to take its place, ``old`` for what has lost it.

    Raises:
        OSError: it cannot be made.
    """
    with _own_folder(target.parent, f".{_shorten(target.name)}.{kind}-") as folder:
        yield folder


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Gives an empty folder for what only this process reads; removed in the end.

    Raises:
        OSError: it cannot be made.
    """
    import tempfile

    with _own_folder(Path(tempfile.gettempdir()).resolve(), "commonground-") as folder:
        yield folder


def clear_leftovers(target: Path) -> None:
    """Removes hidden folders of dead processes beside a file or folder.

    What one of them put aside comes back where nothing has taken its place.
    """
    start = re.escape(_shorten(target.name))
    # As `tempfile` ends names: with eight such characters.
    pattern = re.compile(rf"\.{start}\.(new|old)-[a-z0-9_]{{8}}")
    with suppress(OSError):
        for folder in list(target.parent.iterdir()):
            if pattern.fullmatch(folder.name):
                _clear(folder)


def clear_work_folders() -> None:
    """Removes what killed processes of this user left on this machine, wherever it is."""
    listing = _listing()
    if listing is None:
        return
    try:
        links = os.listdir(listing)  # noqa: PTH208 - paths cost time in every command's start
    except OSError:
        return
    for name in links:
        link = listing / name
        with suppress(OSError):
            place = link.readlink()
            if _HIDDEN.fullmatch(place.name) or _TEMPORARY.fullmatch(place.name):
                _clear(place)
            # What still stands stays listed: it is in use, or cannot be removed as yet.
            if not os.path.lexists(place):
                link.unlink()


@contextmanager
def _own_folder(parent: Path, start: str) -> Iterator[Path]:
    lock = None
    while lock is None:
        # Not from `random`: a seed that somebody set, or a fork, would give two processes one name.
        folder = parent / f"{start}{os.urandom(4).hex()}"
        link = _list_place(folder)
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            _unlist(link)
            if isinstance(error, FileExistsError):
                continue
            raise
        if link is not None and not os.path.lexists(link):
            link = _list_place(folder)  # another command found it listed before it was made
        try:
            lock = lock_folder(folder)
        except FileNotFoundError:  # another command took it for one of the dead in this moment
            continue
        except OSError:  # no locks on this file system: nobody takes folders for leftovers there
            lock = os.open(os.devnull, os.O_RDONLY)
    owner = os.getpid()
    try:
        with hold_lock(lock):
            try:
                yield folder
            finally:
                if os.getpid() == owner:
                    _remove(folder, link)
    finally:
        # On Windows the lock is a file in the folder, which cannot go before it is closed.
        if os.name == "nt" and os.getpid() == owner:
            _remove(folder, link)


def _remove(folder: Path, link: Path | None) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        _unlist(link)


def _listing() -> Path | None:
    """Returns the folder that lists the places of this machine; None for a user without a home.

    Several machines may share a home, and each has other places and sees its own locks only.
    """
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    # Python's word for a home that cannot be found out.
    except RuntimeError:
        return None
    return base / "commonground" / f"places-{platform.node()}"


def _list_place(folder: Path) -> Path | None:
    """Lists a folder before it is made; None where that cannot be.

    Its next writer finds such a folder beside its output, as before there were lists.
    """
    listing = _listing()
    if listing is None:
        return None
    link = listing / os.urandom(8).hex()
    try:
        listing.mkdir(parents=True, exist_ok=True, mode=0o700)
        link.symlink_to(folder)  # made in one step, with all that it says
    except OSError:
        return None
    return link


def _unlist(link: Path | None) -> None:
    if link is not None:
        with suppress(OSError):
            link.unlink()


def _clear(folder: Path) -> None:
    """Removes a folder whose process is dead; what had been put aside in it comes back."""
    try:
        lock = lock_folder(folder)
    except OSError:
        return
    if lock is None:
        return
    import shutil

    try:
        if ".old-" in folder.name:
            for aside in folder.iterdir():
                if not os.path.lexists(folder.parent / aside.name):
                    # The process died between the two renames: what was there before goes back to
                    # its place.
                    aside.rename(folder.parent / aside.name)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _shorten(name: str) -> str:
    # By bytes, since that is how file systems count; half a character is carried as a surrogate.
    return os.fsdecode(os.fsencode(name)[:_MOST_NAME_BYTES])
