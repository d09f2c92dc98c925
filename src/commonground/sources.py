"""Folders, files and archives as one list of named documents.

Nothing here knows what is in a document. Archives are never unpacked to disk.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import msgspec

from commonground import faults
from commonground.errors import SourceError
from commonground.findings import Finding

MAX_ENTRY_BYTES = 8 << 30
MAX_RATIO = 200
RATIO_FROM_BYTES = 64 << 20
"""An archive entry is refused over ``MAX_ENTRY_BYTES``, or from ``RATIO_FROM_BYTES`` on when it is
more than ``MAX_RATIO`` times larger than its compressed form."""


class Document(msgspec.Struct, frozen=True, gc=False):
    """A named run of bytes: a file, or an entry of an archive.

    Attributes:
        name: path below what the user named, with forward slashes; an entry's name starts with
            the archive's.
        path: the file on disk that holds it.
        entry: name inside the archive; null for a plain file.
        size: length in bytes, unpacked.
    """

    name: str
    path: str
    entry: str | None
    size: int

    @property
    def base(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    def read(self) -> bytes:
        """Returns all bytes.

        Raises:
            SourceError: the file or entry cannot be read.
        """
        try:
            if self.entry is None:
                return _read_file(self.path)
            with zipfile.ZipFile(self.path) as archive, archive.open(self.entry) as stream:
                data = stream.read(self.size + 1)
        except (OSError, RuntimeError, zipfile.BadZipFile, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(f"{self.name} cannot be read: {reason}.") from error
        if len(data) != self.size:
            raise SourceError(f"{self.name} has not the size that its archive states.")
        return data


def _read_file(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        data = os.read(descriptor, size + 1)
        if len(data) == size:
            return data
        parts = [data]
        while chunk := os.read(descriptor, 1 << 24):
            parts.append(chunk)
        return b"".join(parts)
    finally:
        os.close(descriptor)


class Listing(msgspec.Struct):
    """What was found below the paths that a user named.

    Attributes:
        documents: in order of name.
        findings: entries that are there but not safe or not possible to read.
    """

    documents: list[Document] = []
    findings: list[Finding] = []


def list_documents(paths: Iterable[str | Path]) -> Listing:
    """Lists the documents below files, folders and zip archives.

    A folder is walked to its leaves, without hidden files and without following linked folders.
    Names are relative to the folder named; where two folders would give the same name, the
    folder's own name goes before it.

    Raises:
        SourceError: a path does not exist or cannot be listed, or nothing is there.
    """
    roots = [Path(path) for path in paths]
    listing = Listing()
    seen: set[str] = set()
    for root in roots:
        found = _list_root(root, listing.findings)
        if seen and any(document.name in seen for document in found):
            prefix = root.resolve().name
            found = [
                msgspec.structs.replace(document, name=f"{prefix}/{document.name}")
                for document in found
            ]
        if len(roots) > 1:
            found = [document for document in found if document.name not in seen]
            seen.update(document.name for document in found)
        listing.documents.extend(found)
    if not listing.documents and not listing.findings:
        named = ", ".join(str(root) for root in roots)
        raise SourceError(f"{named} is empty.", "Name the folder that holds the released files.")
    listing.documents.sort(key=lambda document: document.name)
    return listing


def _list_root(root: Path, findings: list[Finding]) -> list[Document]:
    try:
        mode = root.stat().st_mode
    except FileNotFoundError:
        raise SourceError(f"{root} does not exist.", "Check the path.") from None
    except OSError as error:
        raise SourceError(f"{root} cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(mode):
        return _list_folder(root, findings)
    return _list_file(root, root.name, findings)


def _list_folder(root: Path, findings: list[Finding]) -> list[Document]:
    documents: list[Document] = []

    def unlistable(error: OSError) -> None:
        name = os.path.relpath(error.filename, root)
        findings.append(faults.UNREADABLE.finding(name, found=error.strerror))

    for folder, folders, files in os.walk(root, onerror=unlistable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        prefix = Path(folder).relative_to(root).as_posix()
        prefix = "" if prefix == "." else prefix + "/"
        for base in sorted(files):
            if base.startswith("."):
                continue
            path = f"{folder}/{base}"
            if base.lower().endswith(".zip"):
                documents.extend(_list_file(Path(path), prefix + base, findings))
                continue
            try:
                status = os.stat(path)  # noqa: PTH116 - a Path for each of many files costs memory
            except OSError as error:
                findings.append(faults.UNREADABLE.finding(prefix + base, found=error.strerror))
                continue
            if stat.S_ISREG(status.st_mode):
                documents.append(Document(prefix + base, path, None, status.st_size))
    return documents


def _list_file(path: Path, name: str, findings: list[Finding]) -> list[Document]:
    if path.suffix.lower() == ".zip":
        return _list_archive(path, name, findings)
    return [Document(name, str(path), None, path.stat().st_size)]


def _list_archive(path: Path, name: str, findings: list[Finding]) -> list[Document]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        findings.append(faults.DAMAGED_ARCHIVE.finding(name, found=str(error)))
        return []
    documents = []
    for entry in entries:
        if entry.is_dir() or _is_clutter(entry.filename):
            continue
        full = f"{name}/{entry.filename}"
        if is_outside(entry.filename):
            findings.append(faults.UNSAFE_ENTRY.finding(full, found=entry.filename))
        elif _is_bomb(entry):
            size = f"{entry.file_size:,} bytes from {entry.compress_size:,}"
            findings.append(faults.ARCHIVE_BOMB.finding(full, found=size))
        elif entry.flag_bits & 1:
            findings.append(faults.DAMAGED_ARCHIVE.finding(full, found="the entry is encrypted"))
        else:
            documents.append(Document(full, str(path), entry.filename, entry.file_size))
    return documents


def _is_clutter(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or (bool(parts) and parts[-1].startswith("."))


def is_outside(name: str) -> bool:
    """Says whether a relative name would leave the folder it is relative to."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return (
        not parts or parts[0] == "/" or ".." in parts or (len(parts[0]) > 1 and parts[0][1] == ":")
    )


def _is_bomb(entry: zipfile.ZipInfo) -> bool:
    if entry.file_size > MAX_ENTRY_BYTES:
        return True
    ratio = entry.file_size / max(entry.compress_size, 1)
    return entry.file_size > RATIO_FROM_BYTES and ratio > MAX_RATIO
