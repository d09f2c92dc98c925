"""One import in the place of another: one at a time, none where nothing changed, no leftovers."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commonground import __version__
from commonground.errors import SourceError, StoreError
from commonground.store.manifest import StoreManifest, load_manifest
from commonground.store.planning import Intake


@contextmanager
def lock_corpus(store: Path, corpus: str) -> Iterator[None]:
    """Keeps two imports of one corpus from meeting in one store.

    Raises:
        StoreError: another is under way, or the store cannot be written.
    """
    folder = store / corpus
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            advice = "Wait for it, or stop it, and try again."
            raise StoreError(f"Another import of {corpus} is under way.", advice) from None
        yield


def load_manifest_or_none(store: Path, corpus: str) -> StoreManifest | None:
    """Reads a manifest; null too where it is damaged or of another version."""
    try:
        return load_manifest(store, corpus)
    except StoreError:
        return None


def is_unchanged(manifest: StoreManifest, intake: Intake) -> bool:
    """Says whether an import would give what is in the store already."""
    if intake.check and not manifest.checked:
        return False
    if manifest.commonground != __version__ or manifest.images != intake.options.images:
        return False
    before = {s.name: s for s in manifest.sources if s.format is not None}
    now = {document.name: (document, fmt) for document, fmt in intake.identified.known}
    if before.keys() != now.keys():
        return False
    if any(before[name].size != document.size for name, (document, _) in now.items()):
        return False
    try:
        return all(
            before[name].format == fmt.name
            and before[name].sha256 == hashlib.sha256(document.read()).hexdigest()
            for name, (document, fmt) in now.items()
        )
    except SourceError:
        return False


def remove_stale(store: Path, corpus: str) -> None:
    """Removes data folders that no manifest names: of killed imports, and of the one replaced.

    Where the manifest cannot be read (it is damaged, or of another version), all of them stay: one
    is the import of before.
    """
    try:
        manifest = load_manifest(store, corpus)
    except StoreError:
        return
    for folder in (store / corpus).glob("data-*"):
        if manifest is None or folder.name != manifest.data:
            shutil.rmtree(folder, ignore_errors=True)
