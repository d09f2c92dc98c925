"""Folders of this machine that hold what a store in an object store holds.

Anyone who reads a store reads the files of a folder, most of them in place. So a store in an object
store has such a folder here, in the user's cache: :mod:`commonground.store.layout.remote` brings it
up to date, and takes back what is imported to it. It can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from commonground.errors import StoreError
from commonground.files.remote import RemotePath, is_remote, parse_address

_ORIGIN = ".origin"
"""File of a mirror that says of which store it is one."""


def make_mirror(origin: RemotePath) -> Path:
    """Returns the folder of this machine for a store in an object store; makes it if need be.

    Raises:
        StoreError: it cannot be made.
    """
    # The same bucket at another server is another store.
    digest = hashlib.sha256(f"{origin.server}\n{origin}".encode()).hexdigest()
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = base / "commonground" / "stores" / digest[:16]
        # What is in a bucket may not be for other users of this machine.
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if find_origin(folder) != origin:
            (folder / _ORIGIN).write_text(str(origin), encoding="utf-8")
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(
            f"No folder can be made for what {origin} has: {reason}.",
            "Set XDG_CACHE_HOME to a folder that you can write.",
        ) from error
    return folder


def find_origin(store: Path) -> RemotePath | None:
    """Returns the place of the store that a folder mirrors; None for any other folder."""
    try:
        return parse_address((store / _ORIGIN).read_text(encoding="utf-8"))
    except OSError:
        return None


def name_store(store: Path) -> str:
    """Returns the name of a store as its users gave it, also for the folder that mirrors it."""
    origin = parse_address(store) if is_remote(store) else find_origin(store)
    return str(origin or store)
