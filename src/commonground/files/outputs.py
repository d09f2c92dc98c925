"""Files and folders that commands write: at every moment the old one or the new one, whole.

What is written stands in a hidden folder beside its place
(:mod:`~commonground.files.work_folders`), is synced, and takes the place in one step. A kill, a
full disk or a power cut leaves what was there before.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from commonground.errors import SourceError, UsageError
from commonground.files.listings import (
    Listing,
    carry_over,
    check_mounts,
    check_unchanged,
    find_added,
    find_changed,
    find_taken,
    read_listing,
    write_listing,
)
from commonground.files.work_folders import clear_leftovers, hidden_folder

_FILE_SUFFIXES = frozenset(
    {".arrow", ".csv", ".feather", ".htm", ".html", ".json", ".jsonl", ".md", ".ndjson", ".tsv"}
    | {".parquet", ".pkl", ".py", ".sqlite", ".txt", ".xlsx", ".xml", ".yaml", ".yml"}
    | {".bz2", ".gz", ".tar", ".tgz", ".xz", ".zip", ".zst", ".jpg", ".pdf", ".png", ".svg"}
)
"""Endings of names that are meant for a file."""

_MANIFEST, _MANIFEST_START = "manifest.json", 64
"""Name of a manifest of a store, and bytes that tell it from any other file of that name."""

_AT_CURRENT_FOLDER = -100
_EXCHANGE = 2
"""Of Linux's ``renameat2``: paths are as they stand, and the two names change places."""

_OPEN_FILES = tuple(map(Path, ("/dev/fd", "/dev/stdout", "/dev/stderr", "/proc")))
"""Names of files that are open already, which are written to and never replaced."""


@contextmanager
def new_file(out: Path, *, in_store: bool = False) -> Iterator[Path]:
    """Gives a path to write; the file takes the place of ``out`` when all went well.

    A pipe or a device has no place that could be taken and is written to directly.

    Args:
        out: the file wanted; its folder must be there. A file of that name is replaced and hands
            on its permissions.
        in_store: whether it is one of a store's own files.

    Raises:
        UsageError: it is in a store, whose files are its own.
        SourceError: it cannot be written.
    """
    try:
        if _is_written_directly(out):
            yield out
            return
        target = out.resolve()
        if not in_store:
            refuse_store(target, out)
        _check_writable(target)
        clear_leftovers(target)
        with hidden_folder(target, "new") as folder:
            staged = folder / target.name
            yield staged
            _take_place(staged, target)
            sync_path(target.parent)
    except OSError as error:
        raise _unwritable(out, error) from error


def write_file(out: Path, data: bytes, *, in_store: bool = False) -> None:
    """Writes a file in one step; see :func:`new_file`.

    Raises:
        UsageError, SourceError: as there.
    """
    with new_file(out, in_store=in_store) as staged:
        staged.write_bytes(data)


@contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """Gives an empty folder; each file written there moves below ``folder`` when all went well.

    ``folder`` is made where it is missing; other files in it stay. Each file is the old one or the
    new one at every moment, but for the time of a few renames some may be new while others are old;
    see :func:`new_folder`.

    Raises:
        UsageError: it is in a store.
        SourceError: a file cannot be written.
    """
    try:
        refuse_store(folder.resolve(), folder)
        folder.mkdir(parents=True, exist_ok=True)
        target = folder.resolve() / "files"
        clear_leftovers(target)
        with hidden_folder(target, "new") as hidden:
            # In it, since what stands there on Windows is the lock.
            staged = hidden / "files"
            staged.mkdir()
            yield staged
            written = sorted(path for path in staged.rglob("*") if path.is_file())
            # All places are looked at before the first file moves: a refusal halfway would leave
            # old and new files mixed.
            for path in written:
                place = folder / path.relative_to(staged)
                place.parent.mkdir(parents=True, exist_ok=True)
                _check_writable(place)
            for path in written:
                _take_place(path, folder / path.relative_to(staged))
            sync_path(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


@contextmanager
def new_folder(
    out: Path,
    what: str,
    *,
    kept: Mapping[str, Path],
    replaces: bool = True,
    of: str = "",
    force: bool | None = None,
) -> Iterator[Path]:
    """Gives an empty folder beside ``out`` that takes its place when all went well.

    What was written by the same command before is replaced; what somebody added to it stays, and
    where something of somebody's would be lost, nothing is written; see
    :mod:`~commonground.files.listings`.

    Args:
        what: what is written, for messages: ``export``.
        kept: folders that are never replaced, by what they are; the current folder and the user's
            home are among them without being named.
        replaces: whether an earlier output may be replaced; an empty folder always may.
        of: see :class:`~commonground.files.listings.Listing`; one of something else is not
            replaced.
        force: write into any folder, and replace files of the same names; None where the command
            has no ``--force``.

    Raises:
        UsageError: it is named like a file, something else is there, something would be lost, or
            a folder to be kept is in it.
        SourceError: it cannot be written.
    """
    refuse_file_name(out)
    try:
        target = out.resolve()
        clear_leftovers(target)
        _check_kept(target, out, kept)
        refuse_store(target, out)
        listing = _check_ours(target, out, what, replaces=replaces, of=of, force=force)
        if target.is_dir():
            _check_changed(target, out, listing, force=force)
        target.parent.mkdir(parents=True, exist_ok=True)
        with hidden_folder(target, "new") as folder:
            staged = folder / target.name
            staged.mkdir()
            yield staged
            if replaces:
                write_listing(staged, what, of)
            if target.is_dir():
                shutil.copymode(target, staged)
                # Once more: it may have taken hours.
                changed = _check_changed(target, out, listing, force=force)
                added = find_added(target, listing)
                if not force:
                    check_unchanged(out, find_taken(staged, added), force=force)
                carry_over(target, staged, [*added, *changed])
            sync_all(staged)
            _replace_folder(target, staged, listing)
    except OSError as error:
        raise _unwritable(out, error) from error


def refuse_store(target: Path, out: Path) -> None:
    """Refuses a place in a store, named without links: its parts are the store's own.

    Raises:
        UsageError: it is in one.
    """
    for folder in target.parents:
        # A store has a folder for each corpus, with a manifest that says where its parts are.
        manifests = [folder / _MANIFEST, *folder.glob(f"*/{_MANIFEST}")]
        found = next(filter(_is_manifest, manifests), None)
        if found is not None:
            store = found.parents[1]
            raise UsageError(f"{out} is in the store {store}.", "Name a place outside of it.")


def _is_manifest(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b'"schema_version"' in file.read(_MANIFEST_START)
    except OSError:
        return False


def refuse_file_name(out: Path) -> None:
    """Refuses a name that is meant for a file where a folder is to be written.

    Raises:
        UsageError: it ends like the name of a file.
    """
    name = Path(out.name)
    # Of ``out.tar.gz`` both endings go.
    while name.suffix.lower() in _FILE_SUFFIXES:
        name = Path(name.stem)
    if name.name != out.name:
        problem = f"{out} is named like a file, but a folder is written."
        raise UsageError(problem, f"Name a folder, such as {out.parent / name}.")


def _unwritable(out: Path, error: OSError) -> SourceError:
    advice = "Name a file in a folder that exists." if error.errno == errno.ENOENT else ""
    return SourceError(f"{out} cannot be written: {error.strerror or error}.", advice)


def _is_written_directly(out: Path) -> bool:
    try:
        mode = out.stat().st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        return False
    return not stat.S_ISREG(mode) or any(map(out.absolute().is_relative_to, _OPEN_FILES))


def _check_writable(target: Path) -> None:
    """Refuses what a program that opens the file would refuse, too.

    Raises:
        OSError: it is a folder, or a file that may not be written.
    """
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _take_place(staged: Path, target: Path) -> None:
    if target.exists():
        # Anyone who could read the old file can read the new one.
        shutil.copymode(target, staged)
    sync_path(staged)
    staged.replace(target)


def _check_kept(target: Path, out: Path, kept: Mapping[str, Path]) -> None:
    always = {"the folder you are in": Path.cwd()}
    with suppress(RuntimeError):  # a user without a home
        always["your home"] = Path.home()
    for what, folder in {**always, **kept}.items():
        if folder.resolve().is_relative_to(target):
            raise UsageError(f"{out} holds {what}.", "Name a new folder.")


def _check_ours(
    target: Path, out: Path, what: str, *, replaces: bool, of: str, force: bool | None
) -> Listing:
    """Returns what is listed of an output that may be replaced, which is nothing in any other.

    Raises:
        UsageError: it may not be replaced.
    """
    nothing = Listing(what, {})
    if not target.exists():
        return nothing
    if target.is_mount():
        advice = f"Name a folder in it, such as {out / what}."
        raise UsageError(f"{out} is where a disk is mounted and cannot be replaced.", advice)
    if not target.is_dir():
        raise UsageError(f"{out} is a file.", "Name a new folder.")
    check_mounts(target, out)
    listing = read_listing(target) if replaces else None
    if listing is not None and listing.what == what and listing.of == of:
        return listing
    if force or not any(target.iterdir()):
        return nothing
    if not replaces:
        raise UsageError(f"{out} is not an empty folder.", "Name a new one.")
    if listing is not None and listing.what == what:
        raise UsageError(f"{out} holds the {what} of another study.", "Name a new folder.")
    advice = "Name a new or an empty folder"
    more = "." if force is None else ", or give --force to write into it all the same."
    raise UsageError(f"{out} exists, but holds no {what} written by commonground.", advice + more)


def _check_changed(target: Path, out: Path, listing: Listing, *, force: bool | None) -> list[str]:
    """Returns what was changed in a folder since the command wrote it.

    Raises:
        UsageError: there is any, and it may not be replaced.
        OSError: something cannot be read.
    """
    changed = find_changed(target, listing)
    if not force:
        check_unchanged(out, changed, force=force)
    return changed


def _replace_folder(target: Path, staged: Path, listing: Listing) -> None:
    """Moves a folder into place; what was there goes only when the new one stands.

    What somebody puts into the old one in this very moment is in the new one, too.

    Where two folders cannot change places in one step, the old one is moved aside first. A process
    that is killed just then leaves it there, and the next command brings it back.
    """
    if not target.exists():
        staged.rename(target)
    elif _exchange(staged, target):
        carry_over(staged, target, find_added(staged, listing))
    else:
        with hidden_folder(target, "old") as aside:
            old = aside / target.name
            try:
                target.rename(old)
                staged.rename(target)
            # Even Ctrl-C between the two must not leave nothing under the name.
            except BaseException:
                if not target.exists():
                    old.rename(target)
                raise
            carry_over(old, target, find_added(old, listing))
    sync_path(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Lets two folders change places in one step; says whether this system can do so."""
    library = _load_system()
    if not hasattr(library, "renameat2"):
        return False
    names = os.fsencode(one), os.fsencode(other)
    # Python has no call for it; ``os.replace`` refuses a folder that is not empty.
    done: int = library.renameat2(
        _AT_CURRENT_FOLDER, names[0], _AT_CURRENT_FOLDER, names[1], _EXCHANGE
    )
    return done == 0


def _load_system() -> Any:
    """Returns the system's own library; None on Windows, which has none of what is called here."""
    return None if os.name == "nt" else ctypes.CDLL(None, use_errno=True)


def sync_path(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk.

    Raises:
        OSError: they cannot be written.
    """
    is_windows = os.name == "nt"
    if is_windows and path.is_dir():
        return  # no folder can be opened there; the system writes names at once
    # Windows syncs no file that is open for reading only.
    number = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def sync_all(folder: Path) -> None:
    """Waits until all below a folder is on the disk.

    One call for the whole file system where there is one: a site has tens of thousands of files.

    Raises:
        OSError: they cannot be written.
    """
    library = _load_system()
    if not hasattr(library, "syncfs"):
        for path in [*folder.rglob("*"), folder]:
            sync_path(path)
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        if library.syncfs(number) != 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
    finally:
        os.close(number)
