"""Folders, files and archives as one list of named documents.

Nothing here knows what is in a document. Archives are never unpacked to disk.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from commonground.errors import SourceError
from commonground.files import faults
from commonground.files.remote import CHECK_STORE, is_remote, parse_address, wait_for
from commonground.findings import Finding

MAX_ENTRY_BYTES = 8 << 30
MAX_RATIO = 200
RATIO_FROM_BYTES = 64 << 20
"""An archive entry is refused over ``MAX_ENTRY_BYTES``, or from ``RATIO_FROM_BYTES`` on when it is
more than ``MAX_RATIO`` times larger than its compressed form. An archive is refused where its
entries together are that, or more than ``MAX_ARCHIVE_BYTES``, or more than ``MAX_ENTRIES``."""

MAX_ARCHIVE_BYTES = 64 << 30
MAX_ENTRIES = 1_000_000
MAX_UNKNOWN_BYTES = 256 << 20
"""How much is read of a file beyond the size that it says it has, as those of ``/proc`` do."""

WHOLE_BYTES = 8 << 20
"""How large a file may be that is read at once where a piece at a time would do."""

_DAMAGED = (
    OSError,
    RuntimeError,
    ValueError,
    EOFError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
)
"""What ``zipfile`` raises of archives that are damaged, encrypted or of a newer kind."""

T = TypeVar("T")


def is_file(path: Path) -> bool:
    """Says whether there is a file; no, too, where there can be none of that name.

    A name that comes from data may be longer than any of a file, or hold what no name can.
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def safe_name(name: str) -> str:
    r"""Writes a file name with escapes (``\\xff``) for bytes that are not UTF-8, as it is shown.

    A name that is UTF-8 stays as it is.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode(errors="backslashreplace")
    return name


def find_path(name: str) -> Path:
    """Returns the path that :func:`safe_name` wrote: the escaped one, where the name is not one."""
    path = Path(name)
    if "\\x" not in name or path.exists():
        return path
    # Only bytes from 0x80 on are escaped by ``safe_name``, so only those are taken back.
    escaped = re.sub(
        rb"\\x([89a-f][0-9a-f])", lambda found: bytes.fromhex(found[1].decode()), name.encode()
    )
    return Path(os.fsdecode(escaped))


class Document(msgspec.Struct, frozen=True, gc=False):
    """A named run of bytes: a file, or an entry of an archive.

    Attributes:
        name: path below what the user named, with forward slashes; an entry's name starts with
            the archive's.
        path: the file on disk that holds it, or the address of one in an object store.
        entry: name inside the archive; None for a plain file.
        size: length in bytes, unpacked.
        changed: when a file of an object store was last changed; empty for one on disk.
    """

    name: str
    path: str
    entry: str | None
    size: int
    changed: str = ""

    @property
    def base(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    @property
    def is_remote(self) -> bool:
        """Whether it is in an object store."""
        return bool(self.changed)

    def read(self) -> bytes:
        """Returns all bytes.

        Raises:
            SourceError: the file or entry cannot be read.
        """
        if self.entry is None and not self.is_remote:
            with self._explaining():
                return _read_file(self.path)
        # One byte more than was announced tells a lie about the size without reading the rest.
        data = self.read_start(self.size + 1)
        if len(data) != self.size:
            raise SourceError(f"{self.name} does not have the size that it was listed with.")
        return data

    def read_start(self, count: int) -> bytes:
        """Returns so many bytes from the beginning, or all where there are fewer.

        Raises:
            SourceError: the file or entry cannot be read.
        """
        with self._explaining():
            if (entry := self.entry) is not None:
                return _use_archive(self, lambda archive: archive.open(entry).read(count))
            if self.is_remote:
                return parse_address(self.path).read(count)
            with self._open() as file:
                return file.read(count)

    def find_sha256(self) -> str:
        """Returns the checksum of all bytes, in hexadecimal digits.

        Raises:
            SourceError: the file or entry cannot be read, or has another size than was listed.
        """
        if self.size <= WHOLE_BYTES or self.entry is not None or self.is_remote:
            return hashlib.sha256(self.read()).hexdigest()
        with self._explaining(), self._open() as file:
            digest = hashlib.file_digest(file, "sha256")
            if file.tell() != self.size:
                raise SourceError(f"{self.name} does not have the size that it was listed with.")
        return digest.hexdigest()

    @contextmanager
    def _open(self) -> Iterator[BufferedReader]:
        _refuse_endless(self.path, os.stat(self.path).st_mode)  # noqa: PTH116 - as elsewhere
        with open(self.path, "rb") as file:  # noqa: PTH123 - as elsewhere
            yield file

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Says what kept bytes from being read.

        Raises:
            SourceError: something did.
        """
        try:
            yield
        except _DAMAGED as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(f"{self.name} cannot be read: {reason}.") from error
        except MemoryError as error:
            # What was asked for at once was too much; all that was there before still is.
            raise SourceError(f"{self.name} is larger than the memory left.") from error


def read_path(path: str | Path) -> bytes:
    """Returns all bytes of a file that a user named.

    Raises:
        SourceError: it cannot be read, or is no file.
    """
    try:
        return _read_file(path)
    except OSError as error:
        shown = safe_name(str(path))
        raise SourceError(
            f"{shown} cannot be read: {error.strerror}.", "Check the path."
        ) from error


def _use_archive(document: Document, use: Callable[[zipfile.ZipFile], T]) -> T:
    """Does something with the archive that a document is, or is in."""
    if not document.is_remote:
        with zipfile.ZipFile(document.path) as archive:
            return use(archive)
    with parse_address(document.path).open() as file:
        return wait_for(lambda: use(zipfile.ZipFile(file)))


# Windows has no such pipes, and changes line ends unless it is told not to.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _read_file(path: str | Path) -> bytes:
    # Without O_NONBLOCK opening a pipe would wait for somebody to write to it.
    descriptor = os.open(path, _READING)
    try:
        status = os.fstat(descriptor)
        _refuse_endless(str(path), status.st_mode)
        size = status.st_size
        # A byte more than there should be: if it does not come, one call has read all.
        data = os.read(descriptor, size + 1)
        if len(data) == size:
            return data
        parts, total = [data], len(data)
        # 16 MiB at a time: a file that grows while it is read is cut off soon after its limit.
        while chunk := os.read(descriptor, 1 << 24):
            parts.append(chunk)
            total += len(chunk)
            if total > size + MAX_UNKNOWN_BYTES:
                shown = safe_name(str(path))
                raise SourceError(f"{shown} has more than it says: {total:,} bytes and no end.")
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _refuse_endless(path: str, mode: int) -> None:
    kind = _describe_kind(mode)
    if kind is not None:
        raise SourceError(
            f"{safe_name(path)} is {kind}, not a file.",
            "Write its output to a file, and name that.",
        )


def _describe_kind(mode: int) -> str | None:
    """Says what it is that is neither a file nor a folder; None for those two."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


class FoundFiles(msgspec.Struct):
    """What was found below the paths that a user named.

    Attributes:
        documents: in order of name.
        findings: entries that are there but not safe or not possible to read.
    """

    documents: list[Document] = []
    findings: list[Finding] = []


def list_documents(paths: Iterable[str | Path]) -> FoundFiles:
    """Lists the documents below files, folders, zip archives and addresses of object stores.

    A folder is walked to its leaves, without hidden files and without following linked folders.
    Names are relative to the folder named; where two folders would give the same name, the
    folder's own name goes before it.

    Raises:
        SourceError: a path does not exist or cannot be listed, or nothing is there.
    """
    roots = [Path(path) for path in paths]
    listing = FoundFiles()
    seen: set[str] = set()
    places: set[tuple[str, str | None]] = set()
    for root in roots:
        found = _list_root(root, listing.findings)
        if seen and any(document.name in seen for document in found):
            prefix = safe_name(root.name if is_remote(root) else root.resolve().name)
            found = [
                msgspec.structs.replace(document, name=f"{prefix}/{document.name}")
                for document in found
            ]
        for document in found:
            # A file that is named twice, by itself and by its folder, is one document. Where only
            # one path is named, the places of a million files would be kept for nothing.
            if len(roots) > 1:
                path = document.path
                if not document.is_remote:
                    path = os.path.abspath(path)  # noqa: PTH100 - of many files
                place = (path, document.entry)
                if place in places:
                    continue
                places.add(place)
            listing.documents.append(_name_once(document, seen))
    if not listing.documents and not listing.findings:
        named = ", ".join(safe_name(str(root)) for root in roots)
        raise SourceError(f"{named} is empty.", "Name the folder that holds the released files.")
    listing.documents.sort(key=lambda document: document.name)
    return listing


def _name_once(document: Document, seen: set[str]) -> Document:
    """Gives a document a number after its name where another has the name."""
    name, count = document.name, 2
    while name in seen:
        name, count = f"{document.name}~{count}", count + 1
    seen.add(name)
    return document if name == document.name else msgspec.structs.replace(document, name=name)


def _list_root(root: Path, findings: list[Finding]) -> list[Document]:
    shown = safe_name(str(root))
    if is_remote(root):
        return _list_remote(root, findings)
    try:
        mode = root.stat().st_mode
    except FileNotFoundError:
        raise SourceError(f"{shown} does not exist.", "Check the path.") from None
    except OSError as error:
        raise SourceError(f"{shown} cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(mode):
        return _list_folder(root, findings)
    _refuse_endless(str(root), mode)
    return _list_file(root, safe_name(root.name), findings)


def _list_folder(root: Path, findings: list[Finding]) -> list[Document]:
    documents: list[Document] = []

    def unlistable(error: OSError) -> None:
        name = safe_name(os.path.relpath(error.filename, root))
        findings.append(faults.UNREADABLE.finding(name, found=error.strerror))

    for folder, folders, files in os.walk(root, onerror=unlistable):
        # In place, since ``os.walk`` goes on with this very list; the order must be every
        # machine's.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        prefix = Path(folder).relative_to(root).as_posix()
        prefix = "" if prefix == "." else prefix + "/"
        for base in sorted(files):
            if base.startswith("."):
                continue
            path, name = f"{folder}/{base}", safe_name(prefix + base)
            try:
                status = os.stat(path)  # noqa: PTH116 - a Path for each of many files costs memory
            except OSError as error:
                findings.append(faults.UNREADABLE.finding(name, found=error.strerror))
                continue
            kind = _describe_kind(status.st_mode)
            if kind is not None:
                findings.append(faults.UNREADABLE.finding(name, found=f"{kind}, not a file"))
            elif base.lower().endswith(".zip"):
                documents.extend(_list_file(Path(path), name, findings))
            else:
                documents.append(Document(name, path, None, status.st_size))
    return documents


def _list_remote(root: Path, findings: list[Finding]) -> list[Document]:
    documents: list[Document] = []
    place = parse_address(root)
    try:
        found = place.list()
    except OSError as error:
        raise SourceError(f"{place} cannot be listed: {error.strerror}.", CHECK_STORE) from error
    if not found:
        raise SourceError(f"{place} does not exist.", "Check bucket and prefix.")
    for each in sorted(found, key=lambda each: each.path):
        name = each.path.removeprefix(place.path).lstrip("/") or each.base_name
        if any(part.startswith(".") for part in name.split("/")):
            continue
        whole = Document(name, f"{place.kind}://{each.path}", None, each.size, str(each.mtime_ns))
        if name.lower().endswith(".zip"):
            documents.extend(_list_archive(whole, findings))
        else:
            documents.append(whole)
    return documents


def _list_file(path: Path, name: str, findings: list[Finding]) -> list[Document]:
    whole = Document(name, str(path), None, path.stat().st_size)
    return _list_archive(whole, findings) if path.suffix.lower() == ".zip" else [whole]


def _list_archive(whole: Document, findings: list[Finding]) -> list[Document]:
    """Lists the entries of an archive, which is a document itself."""
    name, packed = whole.name, whole.size
    try:
        entries = _use_archive(whole, zipfile.ZipFile.infolist)
    except _DAMAGED as error:
        findings.append(faults.DAMAGED_ARCHIVE.finding(name, found=str(error)))
        return []
    if len(entries) > MAX_ENTRIES:
        findings.append(faults.ARCHIVE_BOMB.finding(name, found=f"{len(entries):,} entries"))
        return []
    documents: dict[str, Document] = {}
    for entry in entries:
        if entry.is_dir() or _is_clutter(entry.filename):
            continue
        full = f"{name}/{entry.filename}"
        if is_outside(entry.filename):
            findings.append(faults.UNSAFE_ENTRY.finding(full, found=entry.filename))
        elif entry.file_size > MAX_ENTRY_BYTES or _is_suspicious(
            entry.file_size, entry.compress_size
        ):
            size = f"{entry.file_size:,} bytes from {entry.compress_size:,}"
            findings.append(faults.ARCHIVE_BOMB.finding(full, found=size))
        # The first bit of the flags of a ZIP entry says that it is encrypted.
        elif entry.flag_bits & 1:
            findings.append(faults.DAMAGED_ARCHIVE.finding(full, found="the entry is encrypted"))
        else:
            # ZIP allows a name twice; programs that unpack it leave the later one standing.
            if full in documents:
                found = "a later entry of the same name is read instead"
                findings.append(faults.DAMAGED_ARCHIVE.finding(full, found=found))
            documents[full] = Document(
                full, whole.path, entry.filename, entry.file_size, whole.changed
            )
    total = sum(each.size for each in documents.values())
    if total > MAX_ARCHIVE_BYTES or _is_suspicious(total, packed):
        size = f"{total:,} bytes in {len(documents):,} entries from {packed:,}"
        findings.append(faults.ARCHIVE_BOMB.finding(name, found=size))
        return []
    return list(documents.values())


def _is_clutter(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or (bool(parts) and parts[-1].startswith("."))


def is_outside(name: str, *, backslashes: bool = True) -> bool:
    """Says whether a relative name would leave the folder it is relative to.

    Args:
        backslashes: whether they divide folders, as on some systems they do.
    """
    parts = PurePosixPath(name.replace("\\", "/") if backslashes else name).parts
    # A colon after the first letter names a drive of Windows, as in ``C:``.
    return (
        not parts or parts[0] == "/" or ".." in parts or (len(parts[0]) > 1 and parts[0][1] == ":")
    )


def _is_suspicious(size: int, packed: int) -> bool:
    return size > RATIO_FROM_BYTES and size / max(packed, 1) > MAX_RATIO
