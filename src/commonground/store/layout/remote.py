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
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from commonground.errors import StoreError, UsageError
from commonground.files.listings import hash_file
from commonground.files.locks import hold_lock, lock_folder, take_lock
from commonground.files.remote import (
    CHECK_STORE,
    TRIES,
    describe_error,
    download_file,
    find_remote,
    is_remote,
    list_below,
    read_remote,
    remove_below,
    upload_file,
    write_address,
    write_remote,
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

_AT_ONCE = 8
"""Files under way at a time: most of the time of each is waiting for the store."""

_LOCK_NAME = ".fetching"

# Who can write to a bucket must not be able to write anywhere else on the machines that read it.
_CORPUS = re.compile(r"\w+")
_DATA = re.compile(r"data-\w+")
_PART = re.compile(r"\w+-\d+\.parquet|index-\d+/\w[\w.-]*")

T = TypeVar("T")


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
        _refuse_odd_name(store)
        return store
    address = write_address(store)
    mirror = make_mirror(address)
    try:
        wanted = corpora if corpora is not None else {*_list(address), *list_imports(mirror)}
        for corpus in sorted(wanted):
            _Fetch(address, mirror, corpus).run()
    except OSError as error:
        what = f"{address} cannot be read: {describe_error(error)}."
        raise StoreError(what, CHECK_STORE) from error
    return mirror


def _refuse_odd_name(store: Path) -> None:
    # DuckDB, pyarrow and SQLite know no other names.
    if safe_name(str(store)) != str(store):
        raise UsageError(
            f"The store {safe_name(str(store))} has a name that is not UTF-8.",
            "Rename the folder, or choose another --store.",
        )


def _list(address: str) -> Iterator[str]:
    for each in list_below(address):
        corpus, _, rest = each.name.partition("/")
        if rest == MANIFEST_NAME and _CORPUS.fullmatch(corpus):
            yield corpus


def _read_manifest(address: str, corpus: str) -> bytes | None:
    place = f"{address}/{corpus}/{MANIFEST_NAME}"
    found = find_remote(place)
    return None if found is None else read_remote(place, found.size)


class _Fetch:
    """One corpus that is brought from a store to its mirror."""

    def __init__(self, address: str, mirror: Path, corpus: str) -> None:
        self._address = address
        self._mirror = mirror
        self._corpus = corpus
        self._folder = mirror / corpus

    def run(self) -> None:
        data = _read_manifest(self._address, self._corpus)
        if self._is_here(data):
            return
        with _waiting_lock(self._folder):
            while not self._is_here(data):
                whole = data is None or self._bring(data)
                # An import that came into force meanwhile may have removed what was fetched.
                again = data if whole else _read_manifest(self._address, self._corpus)
                if again == data:
                    return
                data = again

    def _is_here(self, data: bytes | None) -> bool:
        """Says whether the mirror has what a manifest speaks of; puts away what is not there."""
        path = self._folder / MANIFEST_NAME
        if data is None:
            path.unlink(missing_ok=True)
            return True
        try:
            if path.read_bytes() != data:
                return False
        except FileNotFoundError:
            return False
        manifest = _decode(data)
        return manifest is None or find_damage(self._mirror, manifest) is None

    def _bring(self, data: bytes) -> bool:
        """Fetches an import and puts it in force here; says whether it is whole.

        One that is not, or whose manifest is damaged, comes as it is: who opens it is told.
        """
        manifest = _decode(data)
        if manifest is None:
            write_manifest(self._folder, data)
            return True
        _refuse_strange_names(self._address, manifest)
        folder = data_folder(self._mirror, manifest)
        folder.mkdir(exist_ok=True)
        # Whoever tidies up takes a folder without a lock for one that was left.
        number = lock_folder(folder, shared=True)
        with hold_lock(number) if number is not None else nullcontext():
            place = f"{self._address}/{self._corpus}/{folder.name}"
            come = fetch_parts(place, manifest.files, folder)
            write_manifest(self._folder, data)
        return come


def _decode(data: bytes) -> StoreManifest | None:
    try:
        return msgspec.json.decode(data, type=StoreManifest)
    except msgspec.DecodeError:
        return None


def _refuse_strange_names(address: str, manifest: StoreManifest) -> None:
    named = [part.name for part in manifest.files if not is_part_name(part.name)]
    if named or not _DATA.fullmatch(manifest.data):
        raise StoreError(
            f"{address}/{manifest.corpus}/{MANIFEST_NAME} names files that no import writes.",
            "See who else can write there.",
        )


def is_part_name(name: str) -> bool:
    """Says whether a name is one that an import gives to a part file."""
    return _PART.fullmatch(name) is not None


@contextmanager
def _waiting_lock(folder: Path) -> Iterator[None]:
    """Lets one process fetch at a time; the others find all there when it is their turn."""
    folder.mkdir(parents=True, exist_ok=True)
    number = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    with hold_lock(number):
        take_lock(number, wait=True)
        yield


def fetch_parts(address: str, parts: Sequence[PartFile], folder: Path) -> bool:
    """Fetches parts that are not in a folder yet; says whether all are whole then.

    Args:
        address: where they are, one object each.
        parts: what they have to be.
        folder: where they are wanted.

    Raises:
        OSError: the object store does not answer, or the folder cannot be written.
    """

    def fetch(part: PartFile) -> bool:
        target = folder / part.name
        return _is_part(target, part) or _fetch_part(f"{address}/{part.name}", part, target)

    return all(_at_once(fetch, parts))


def _is_part(path: Path, part: PartFile) -> bool:
    try:
        return path.stat().st_size == part.size and hash_file(path) == part.sha256
    except FileNotFoundError:
        return False


def _fetch_part(place: str, part: PartFile, target: Path) -> bool:
    beside = target.with_name(f"{target.name}.new")
    beside.parent.mkdir(parents=True, exist_ok=True)
    # Downloads are cut off now and then; what came is held against its sha256 afterwards.
    for left in reversed(range(TRIES)):
        try:
            download_file(place, beside)
        except FileNotFoundError:
            return False
        except OSError:
            if not left:
                raise
            continue
        if _is_part(beside, part):
            # Whoever has the old file open keeps it.
            beside.replace(target)
            return True
    beside.unlink()
    return False


def _at_once(do: Callable[[PartFile], T], parts: Sequence[PartFile]) -> list[T]:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(do, parts))


def send_parts(folder: Path, parts: Sequence[PartFile], address: str) -> None:
    """Copies parts of a folder to an object store.

    Args:
        folder: where they are.
        parts: their names.
        address: where they are wanted, one object each.

    Raises:
        OSError: the object store does not take them.
    """
    _at_once(lambda part: upload_file(folder / part.name, f"{address}/{part.name}"), parts)


def publish(store: Path, manifest: StoreManifest) -> None:
    """Makes a new import of a mirror the one that is read from its store; else does nothing.

    Args:
        store: folder of the store, with the manifest of before.
        manifest: of the import.

    Raises:
        StoreError: the object store does not take it, or was imported to by others since this
            import began; what was there before is untouched.
    """
    address = find_origin(store)
    if address is None:
        return
    corpus = manifest.corpus
    place = f"{address}/{corpus}/{manifest.data}"
    try:
        before = _read_local(store / corpus / MANIFEST_NAME)
        send_parts(data_folder(store, manifest), manifest.files, place)
        if _read_manifest(address, corpus) != before:
            raise StoreError(
                f"Another import of {corpus} to {address} has ended meanwhile.",
                "That one is in force. Try again.",
            )
        _switch(address, corpus, encode_manifest(manifest))
    except OSError as error:
        raise StoreError(
            f"{address} cannot be written: {describe_error(error)}.",
            "What was there before is untouched.",
        ) from error
    replaced = _decode(before) if before is not None else None
    # The new import is in force. What is left of the old one only takes room, until the next.
    with suppress(OSError):
        _remove_stale(address, manifest, replaced.data if replaced else None)


def _read_local(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _switch(address: str, corpus: str, data: bytes) -> None:
    try:
        write_remote(f"{address}/{corpus}/{MANIFEST_NAME}", data)
    except OSError:
        # A request whose answer was lost may have been done.
        if _read_manifest(address, corpus) != data:
            raise


def _remove_stale(address: str, manifest: StoreManifest, replaced: str | None) -> None:
    """Removes what was replaced, and what uploads that were given up left a day ago."""
    root = f"{address}/{manifest.corpus}"
    last: dict[str, int] = {}
    for each in list_below(root):
        folder, _, rest = each.name.partition("/")
        if rest and folder != manifest.data:
            last[folder] = max(last.get(folder, 0), int(each.changed))
    oldest = time.time_ns() - KEPT_S * 1_000_000_000
    for folder, changed in last.items():
        if folder == replaced or changed < oldest:
            remove_below(f"{root}/{folder}")
