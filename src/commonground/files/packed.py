"""Packed files that are not read: what is in them, and the command that unpacks them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from shlex import quote

from commonground.files.sources import Document

_TAR = re.compile(r"\.(tar(\.(gz|bz2|xz|zst))?|tgz|tbz2?|txz|tzst)\Z", re.IGNORECASE)
_SINGLE = {".gz": "gunzip -k", ".bz2": "bunzip2 -k", ".xz": "unxz -k", ".zst": "unzstd"}
_ARCHIVES = {".zip": "unzip {path} -d {folder}", ".7z": "7z x {path} -o{folder}"}
_ARCHIVES[".rar"] = "unrar x {path} {folder}/"


def unpacked_name(document: Document) -> str | None:
    """Returns the name of the file that a packed one holds; None where it is no single one."""
    if _TAR.search(document.name):
        return None
    path = PurePosixPath(document.name)
    return str(path.with_suffix("")) if path.suffix.lower() in _SINGLE else None


def find_command(document: Document) -> str | None:
    """Returns the command that unpacks a file, for a shell; None where it is not packed.

    What is in an archive is taken out of that first.
    """
    name = document.entry or document.name
    suffix = PurePosixPath(name).suffix.lower()
    if not (_TAR.search(name) or suffix in _SINGLE or suffix in _ARCHIVES):
        return None
    if document.is_remote:
        # Whoever downloads it has it in the folder that they are in.
        return _unpack(document.path.rpartition("/")[2], document.entry)
    return _unpack(document.path, document.entry)


def _unpack(path: str, entry: str | None) -> str:
    if path.startswith("-"):
        path = f"./{path}"
    if entry is not None:
        folder = str(PurePosixPath(path).with_suffix(""))
        # In names of entries, `unzip` takes these for patterns.
        pattern = re.sub(r"([\[*?\\])", r"[\1]", entry)
        begin = f"unzip {quote(path)} {quote(pattern)} -d {quote(folder)}"
        # An archive of the kind that is read needs no more.
        if entry.lower().endswith(".zip"):
            return begin
        return f"{begin} && {_unpack(f'{folder}/{entry}', None)}"
    folder = str(PurePosixPath(path).parent)
    if _TAR.search(path):
        return f"tar -xf {quote(path)} -C {quote(folder)}"
    suffix = PurePosixPath(path).suffix
    if suffix.lower() in _SINGLE:
        return f"{_SINGLE[suffix.lower()]} {quote(path)}"
    return _ARCHIVES[suffix.lower()].format(path=quote(path), folder=quote(folder))
