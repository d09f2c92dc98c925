"""Stores in an object store, such as ``s3://BUCKET/PREFIX``, laid out as one on a disk is.

Objects cannot be locked or renamed, and a single one is written whole or not at all. That is
enough: parts go up first, under names of their own, and the manifest that names them last. Readers
have a folder of their own (:mod:`commonground.store.layout.mirrors`) and compare what they fetch
with the checksums of the manifest.

Two machines that import the same corpus at the same time are not kept apart: the later manifest
counts, whole, and whichever sees that it would be the later one in time gives up.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import msgspec

from commonground.errors import StoreError, UsageError
from commonground.files.listings import hash_file
from commonground.files.locks import hold_lock, lock_folder, take_lock
from commonground.files.remote import (
    CHECK_STORE,
    TRIES,
    RemotePath,
    download_files,
    is_remote,
    parse_address,
    upload_files,
)
from commonground.files.sources import safe_name
from commonground.store.layout.integrity import find_damage
from commonground.store.layout.manifest import (
    MANIFEST_NAME,
    PartFile,
    StoreManifest,
    data_folder,
    encode_manifest,
    list_imports,
    write_manifest,
)
from commonground.store.layout.mirrors import find_origin, make_mirror

KEPT_S = 24 * 60 * 60
"""Seconds after which parts that no manifest names are of an upload that was given up."""

# Who can write to a bucket must not be able to write anywhere else on the machines that read it.
_CORPUS = re.compile(r"\w+")
_DATA = re.compile(r"data-\w+")
_PART = re.compile(r"\w+-\d+\.parquet|index-\d+/\w[\w.-]*")


def bring_store(store: Path, corpora: Collection[str] | None = None) -> Path:
    """Returns the folder to read a store from, brought up to date where it is a mirror.

    Args:
        store: folder of the store, or its address.
        corpora: names of those that are wanted; None for all that the store has.

    Raises:
        StoreError: the object store does not answer or allow it.
        UsageError: it is no address that can be read, or a folder whose name is not UTF-8.
    """
    if not is_remote(store):
        # DuckDB, pyarrow and SQLite know no other names.
        if safe_name(str(store)) != str(store):
            raise UsageError(
                f"The store {safe_name(str(store))} has a name that is not UTF-8.",
                "Rename the folder, or choose another --store.",
            )
        return store
    origin = parse_address(store)
    mirror = make_mirror(origin)
    try:
        wanted = corpora if corpora is not None else {*_list(origin), *list_imports(mirror)}
        for corpus in sorted(wanted):
            with _alone(mirror / corpus):
                _bring_import(origin / corpus, mirror / corpus)
    except OSError as error:
        what = f"{origin} cannot be read: {error.strerror or error}."
        raise StoreError(what, CHECK_STORE) from error
    return mirror


def _list(origin: RemotePath) -> Iterator[str]:
    for each in origin.list():
        corpus, _, rest = each.path.removeprefix(f"{origin.path}/").partition("/")
        if rest == MANIFEST_NAME and _CORPUS.fullmatch(corpus):
            yield corpus


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lets one process fetch at a time; the others find all there when it is their turn."""
    folder.mkdir(parents=True, exist_ok=True)
    number = os.open(folder / ".fetching", os.O_RDWR | os.O_CREAT, 0o644)
    with hold_lock(number):
        take_lock(number, wait=True)
        yield


def _bring_import(origin: RemotePath, folder: Path) -> None:
    """Brings what a store has of a corpus to its mirror, as damaged as it may be there."""
    tried = b""
    # An import that comes into force meanwhile may remove what is being fetched.
    while (data := _read_manifest(origin)) != tried:
        if data is None:
            (folder / MANIFEST_NAME).unlink(missing_ok=True)
            return
        manifest = _decode(data)
        is_whole = manifest is None or find_damage(folder.parent, manifest) is None
        if is_whole and _read_local(folder) == data:
            return
        if manifest is not None:
            is_whole = _fetch(origin, manifest, folder / manifest.data)
        write_manifest(folder, data)
        if is_whole:
            return
        tried = data


def _read_manifest(origin: RemotePath) -> bytes | None:
    try:
        return (origin / MANIFEST_NAME).read()
    except FileNotFoundError:
        return None


def _read_local(folder: Path) -> bytes | None:
    try:
        return (folder / MANIFEST_NAME).read_bytes()
    except FileNotFoundError:
        return None


def _decode(data: bytes) -> StoreManifest | None:
    try:
        return msgspec.json.decode(data, type=StoreManifest)
    except msgspec.DecodeError:
        return None


def _fetch(origin: RemotePath, manifest: StoreManifest, folder: Path) -> bool:
    """Fetches the parts of an import; says whether all are whole then."""
    strange = [part.name for part in manifest.files if not _PART.fullmatch(part.name)]
    if strange or not _DATA.fullmatch(manifest.data):
        raise StoreError(
            f"{origin / MANIFEST_NAME} names files that imports do not write.",
            "Check who else can write there.",
        )
    folder.mkdir(exist_ok=True)
    # Anyone who tidies up takes a folder without a lock for one that was left.
    number = lock_folder(folder, shared=True)
    with hold_lock(number) if number is not None else nullcontext():
        return fetch_parts(origin / manifest.data, manifest.files, folder)


def fetch_parts(origin: RemotePath, parts: Iterable[PartFile], folder: Path) -> bool:
    """Fetches parts that a folder does not have yet; says whether all are whole then.

    Args:
        origin: where they are, one object each.

    Raises:
        OSError: the object store does not answer, or the folder cannot be written.
    """
    for left in reversed(range(TRIES + 1)):
        parts = [part for part in parts if not _is_whole(folder / part.name, part)]
        for part in parts:
            (folder / part.name).parent.mkdir(exist_ok=True)
            # Anyone who has the old file open keeps it.
            (folder / part.name).unlink(missing_ok=True)
        if not parts or not left:
            break
        with suppress(FileNotFoundError):
            download_files([part.name for part in parts], origin, folder)
    return not parts


def _is_whole(path: Path, part: PartFile) -> bool:
    try:
        return path.stat().st_size == part.size and hash_file(path) == part.sha256
    except FileNotFoundError:
        return False


def publish(store: Path, manifest: StoreManifest) -> None:
    """Makes a new import of a mirror the one that is read from its store; else does nothing.

    Args:
        store: folder of the store, with the previous manifest.

    Raises:
        StoreError: the object store does not take it, or was imported to by others since this
            import began; what was there before is untouched.
    """
    origin = find_origin(store)
    if origin is None:
        return
    place = origin / manifest.corpus
    before = _read_local(store / manifest.corpus)
    parts = [part.name for part in manifest.files]
    try:
        upload_files(parts, data_folder(store, manifest), place / manifest.data)
        if _read_manifest(place) != before:
            raise StoreError(
                f"Another import of {manifest.corpus} to {origin} has ended meanwhile.",
                "That one is in force. Try again.",
            )
        _put_in_force(place, encode_manifest(manifest))
    except OSError as error:
        raise StoreError(
            f"{origin} cannot be written: {error.strerror or error}.",
            "What was there before is untouched.",
        ) from error
    replaced = _decode(before) if before is not None else None
    # The new import is in force. What is left of the old one only takes room, until the next.
    with suppress(OSError):
        _remove_stale(place, manifest.data, replaced.data if replaced else None)


def _put_in_force(place: RemotePath, data: bytes) -> None:
    try:
        (place / MANIFEST_NAME).write(data)
    except OSError:
        # A request whose answer was lost may have been done.
        if _read_manifest(place) != data:
            raise


def _remove_stale(place: RemotePath, data: str, replaced: str | None) -> None:
    """Removes what was replaced, and what uploads that were given up left a day ago."""
    last: dict[str, int] = {}
    for each in place.list():
        folder, _, name = each.path.removeprefix(f"{place.path}/").partition("/")
        if name and folder != data:
            last[folder] = max(last.get(folder, 0), each.mtime_ns)
    for folder, changed in last.items():
        if folder == replaced or changed < time.time_ns() - KEPT_S * 1_000_000_000:
            (place / folder).remove()
