"""The imports of a corpus in a store: which is in force, which is read, which can go.

Each import is a generation: a data folder of its own, that the manifest names once it is whole.
A process that writes or reads a generation holds a lock on its folder (``files.locks``), which
ends with the process however that ends, and needs no file that could be written. Where a file
system has no locks, earlier generations stay until they are removed by hand, since
nobody can tell whether they are still read.

What killed imports left is removed.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from commonground.errors import StoreError
from commonground.files.locks import hold_lock, lock_folder, take_lock
from commonground.files.outputs import sync_path
from commonground.store.layout.integrity import damaged_error, find_damage
from commonground.store.layout.manifest import (
    MANIFEST_NAME,
    StoreManifest,
    data_folder,
    load_manifest,
    save_manifest,
)
from commonground.store.layout.remote import publish

_LOCK_NAME = ".lock"
# A lock that stands in the way is held for one look at the manifest, or for a removal.
_PAUSE_S = 0.005
# What file systems without locks answer, such as network mounts and some FUSE ones.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL})


@contextmanager
def lock_corpus(store: Path, corpus: str) -> Iterator[None]:
    """Keeps two imports of one corpus from meeting in one store.

    Raises:
        StoreError: another is under way, or the store cannot be written or locked.
    """
    folder = store / corpus
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The lock file stays for good: once removed, another import could make and lock a new one
        # while this one still holds the old.
        number = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    with hold_lock(number):
        try:
            # Refused at once and not waited for: the other import may take an hour.
            is_alone = take_lock(number)
        except OSError as error:
            advice = "Import to a folder on a disk of this machine."
            raise StoreError(f"{folder} cannot be locked: {error.strerror}.", advice) from error
        if not is_alone:
            advice = "Wait for it, or stop it, and try again."
            raise StoreError(f"Another import of {corpus} is under way.", advice)
        yield


@contextmanager
def new_generation(store: Path, corpus: str) -> Iterator[Path]:
    """Gives an empty data folder to write to; it is removed unless the manifest names it then.

    Raises:
        OSError: it cannot be made.
    """
    number = None
    while number is None:  # who tidies up may have taken it in this moment for one of the dead
        folder = store / corpus / f"data-{uuid.uuid4().hex[:12]}"
        folder.mkdir()
        with suppress(FileNotFoundError):
            number = _lock_shared(folder)
    with hold_lock(number):
        try:
            yield folder
        finally:
            if not _is_in_force(store, corpus, folder):
                shutil.rmtree(folder, ignore_errors=True)


def put_in_force(store: Path, manifest: StoreManifest) -> None:
    """Makes a new import the one that is read.

    Power may fail between any two writes, and the disk may have done later ones and not earlier
    ones, unless it was waited for: the parts (each when it was written), the folders that name
    them, the manifest, the folder that names the manifest. Only then may what was before go.

    Of a mirror, the store that it mirrors has the import first.

    Raises:
        OSError, StoreError: it cannot be; what was there before is in force.
    """
    folder = data_folder(store, manifest)
    # A folder's entry is on the disk only when the folder above it was synced: from the inside out.
    for each in (folder, folder.parent, store, store.resolve().parent):
        sync_path(each)
    publish(store, manifest)
    save_manifest(store, manifest)


def _is_in_force(store: Path, corpus: str, folder: Path) -> bool:
    """Tells whether the manifest names a data folder, or cannot be read and might."""
    try:
        manifest = load_manifest(store, corpus)
    except StoreError:
        return True
    return manifest is not None and manifest.data == folder.name


class HeldImport:
    """An import that stays on the disk for as long as this object lives."""

    def __init__(self, manifest: StoreManifest, number: int) -> None:
        self.manifest = manifest
        # To close the folder is to give up its lock; this happens at the end of Python, too.
        weakref.finalize(self, os.close, number)


def hold_import(store: Path, corpus: str) -> HeldImport | None:
    """Opens the import of a corpus that is in force, and keeps it from being removed.

    Returns:
        The import; None where nothing was imported.

    Raises:
        StoreError: a part of it is not there or not whole, or the manifest is damaged.
    """
    while True:
        manifest = load_manifest(store, corpus)
        if manifest is None:
            return None
        held = None
        # A folder that has just been removed cannot be opened; the manifest then names another.
        with suppress(OSError):
            number = _lock_shared(data_folder(store, manifest))
            if number is None:  # somebody looks whether it can go, or removes it
                time.sleep(_PAUSE_S)
                continue
            held = HeldImport(manifest, number)
        if held is not None and find_damage(store, manifest) is None:
            return held
        # An import may have replaced this one since the manifest was read; then that is opened.
        if load_manifest(store, corpus) == manifest:
            raise damaged_error(store, manifest)


def _lock_shared(folder: Path) -> int | None:
    """Locks a folder as others may, too; opens it only where the file system has no locks.

    Returns:
        What is to be closed in the end; None where somebody has it alone, or it was removed.

    Raises:
        OSError: it cannot be opened.
    """
    try:
        return lock_folder(folder, shared=True)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        # What is open protects from nothing, but callers hold and close it like a lock.
        return os.open(os.devnull, os.O_RDONLY)


def link_part(source: Path, target: Path) -> None:
    """Gives a file of one generation to another one, too.

    Raises:
        OSError: it cannot be.
    """
    try:
        os.link(source, target)
    except OSError:  # a file system without links, or with too many of them
        shutil.copyfile(source, target)


def remove_stale(store: Path, corpus: str) -> None:
    """Removes what no living process writes or reads and no manifest names.

    That is earlier generations, and what killed imports left behind. Where the manifest cannot
    be read (it is damaged, or of another version), all stay: one is the previous import.
    """
    folders = (store / corpus).glob("data-*")
    for folder in [each for each in folders if not _is_in_force(store, corpus, each)]:
        with suppress(OSError):
            number = lock_folder(folder)
            if number is None:
                continue
            with hold_lock(number):
                # Only now it is certain: it may have come into force before it was locked.
                if not _is_in_force(store, corpus, folder):
                    shutil.rmtree(folder, ignore_errors=True)


def remove_import(store: Path, corpus: str) -> None:
    """Removes the import of a corpus; who has it open reads on.

    Args:
        corpus: name of the corpus; its import may be damaged, or of another version.

    Raises:
        StoreError: it was not imported, an import of it is under way, or the store cannot be
            written.
    """
    manifest = store / corpus / MANIFEST_NAME
    with lock_corpus(store, corpus):
        try:
            # From here on nothing is imported, whatever ends this; the data goes by itself.
            manifest.unlink()
            sync_path(manifest.parent)
        except OSError as error:
            raise StoreError(f"{manifest} cannot be removed: {error.strerror}.") from error
        remove_stale(store, corpus)


def remove_all_stale(store: Path) -> None:
    """Removes what is stale of every corpus in a store; costs a look at its folders."""
    with suppress(OSError):
        for folder in store.iterdir():
            if folder.is_dir():
                remove_stale(store, folder.name)
