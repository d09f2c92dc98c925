"""Files that hold something else than is read: what it is, and the command that undoes it.

Some are packed and say so in their names. Others have the name of a released file, and are packed
all the same or hold JSON Lines or UTF-16: they are known by their first bytes.
"""

from __future__ import annotations

import codecs
import os
import re
import shlex
from collections.abc import Callable, Set
from pathlib import PurePosixPath

import msgspec

from commonground.files import faults
from commonground.files.dividing import peek_record
from commonground.files.formats import FileFormat
from commonground.files.sources import Document
from commonground.findings import Finding

_TAR = re.compile(r"\.(tar(\.(gz|bz2|xz|zst))?|tgz|tbz2?|txz|tzst)\Z", re.IGNORECASE)
_SINGLE = {".gz": "gunzip -k", ".bz2": "bunzip2 -k", ".xz": "unxz -k", ".zst": "unzstd"}
_ARCHIVES = {".7z": "7z x {path} -o{folder}", ".rar": "unrar x {path} {folder}/"}

_FIRST_BYTES = {
    ".gz": rb"\x1f\x8b\x08",
    ".bz2": rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
    ".xz": rb"\xfd7zXZ\x00",
    ".zst": rb"\x28\xb5\x2f\xfd",
    ".zip": rb"PK\x03\x04",
    ".7z": rb"7z\xbc\xaf\x27\x1c",
    ".rar": rb"Rar!\x1a\x07",
    ".tar": rb".{257}ustar(?:\x0000|  \x00)",
}
_PACKED = {ending: re.compile(first, re.DOTALL) for ending, first in _FIRST_BYTES.items()}

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_FIRST_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?=\{)")
_NEXT_OBJECT = re.compile(rb"\s*+\{")


def unpacked_name(document: Document) -> str | None:
    """Returns the name of the file that a packed one holds; None where it is no single one."""
    if _TAR.search(document.name):
        return None
    path = PurePosixPath(document.name)
    return str(path.with_suffix("")) if path.suffix.lower() in _SINGLE else None


def find_command(document: Document) -> str | None:
    """Returns the command that unpacks a file, for a shell; None where its name is of none packed.

    What is in an archive is taken out of that first.
    """
    name = document.entry or document.name
    suffix = PurePosixPath(name).suffix.lower()
    if not (_TAR.search(name) or suffix in _SINGLE or suffix in _ARCHIVES or suffix == ".zip"):
        return None
    return _command(document, _unpack)


def find_disguise(document: Document, data: bytes, fmt: FileFormat) -> Finding | None:
    """Reports a file that has the name of a released one, but is packed, JSON Lines or UTF-16.

    Args:
        data: its bytes; of a long one, as many of the first as hold two records.
        fmt: the format that its name is of.
    """
    ending = find_packing(data)
    if ending is not None:
        message = f"The file is compressed. Unpack it: {unpack_disguised(document, ending)}"
        return faults.PACKED.finding(document.name, message=message)
    if data.startswith(_UTF_16):
        message = f"The text is UTF-16. Write it as UTF-8: {_command(document, _recode)}"
        return faults.NOT_UTF8.finding(document.name, message=message)
    fields = None if not fmt.is_json else find_line_fields(data, fmt)
    if fields is None:
        return None
    command = find_lines_command(document, fmt, fields)
    advice = (
        "No command makes the released file of them: get that from its authors."
        if command is None
        else f"Make the released form of them: {command}"
    )
    message = f"The file holds JSON Lines, one record a line. {advice}"
    return faults.JSON_LINES.finding(document.name, message=message)


def find_packing(data: bytes) -> str | None:
    """Returns what the name of a packed file ends in, by its first bytes; None for any other."""
    return next((ending for ending, first in _PACKED.items() if first.match(data)), None)


def unpack_disguised(document: Document, ending: str) -> str:
    """Returns the command that gives a packed file the ending that is found, and unpacks it."""

    def unpack(path: str) -> str:
        packed = path + ending
        # An archive of the kind that is read needs no more than its name.
        return " && ".join(filter(None, (f"mv {_quote(path)} {_quote(packed)}", _unpack(packed))))

    return _command(document, unpack)


def find_line_fields(data: bytes, fmt: FileFormat | None = None) -> Set[str] | None:
    """Returns the fields of the first record of JSON Lines; None where bytes are none.

    Where the format that they should have is a list, a record alone is a line.
    """
    begin = _FIRST_OBJECT.match(data)
    if begin is None:
        return None
    end = data.find(b"\n", begin.end())
    if end > 0 and _NEXT_OBJECT.match(data, end):
        line = peek_record(data[begin.end() : end], dict[str, msgspec.Raw])
        return None if line is None else line.keys()
    if fmt is None or not fmt.keys or fmt.layout not in ("array", "envelope"):
        return None
    # An object that has the list is what is released.
    if fmt.items is not None and fmt.items.encode() in data:
        return None
    record = peek_record(data[begin.end() :], dict[str, msgspec.Raw])
    return record.keys() if record is not None and fmt.keys <= record.keys() else None


def find_lines_command(document: Document, fmt: FileFormat, fields: Set[str]) -> str | None:
    """Returns the command that makes a released file of JSON Lines; None where there is none.

    The lines are kept, under a new name where theirs is needed.

    Args:
        fmt: the format of the released file.
        fields: as :func:`find_line_fields` found them.
    """
    are_records = bool(fmt.keys) and fmt.keys <= fields
    # Records do not say under which key they were released, nor in which split.
    of_records = {"array": ".", "envelope": f'{{"{fmt.items}": .}}', "splits": '{"unsplit": .}'}
    # Other lines hold one key or more of the object that was released.
    of_parts = {
        "map": "add",
        "splits": "reduce (.[] | to_entries[]) as $one ({}; .[$one.key] += $one.value)",
    }
    wanted = (of_records if are_records else of_records | of_parts).get(fmt.layout)
    program = None
    if are_records and fmt.file_name is not None:
        program = (
            "import json, pathlib, sys; folder = pathlib.Path(sys.argv[1]).parent; "
            f"[(folder / {fmt.file_name!r}.format(**json.loads(line))).write_bytes(line) "
            "for line in open(sys.argv[1], 'rb') if line.strip()]"
        )
    if wanted is None and program is None:
        return None

    def make(path: str) -> str:
        stem, ending = os.path.splitext(path)  # noqa: PTH122 - a path may be one of a shell
        is_named = ending.lower() in (".jsonl", ".ndjson")
        lines, made = (path, f"{stem}.json") if is_named else (f"{path}.jsonl", path)
        rename = "" if is_named else f"mv {_quote(path)} {_quote(lines)} && "
        if program is not None:
            return f"{rename}python3 -c {_quote(program)} {_quote(lines)}"
        return f"{rename}jq -s {_quote(wanted or '.')} {_quote(lines)} > {_quote(made)}"

    return _command(document, make)


def _recode(path: str) -> str:
    old = f"{path}.utf16"
    made, kept = _quote(path), _quote(old)
    return f"mv {made} {kept} && iconv -f UTF-16 -t UTF-8 {kept} > {made}"


def _command(document: Document, act: Callable[[str], str]) -> str:
    """Writes what is done with a file, which is taken out of its archive first."""
    # Anyone who downloads it has it in the folder that they are in.
    path = document.path.rpartition("/")[2] if document.is_remote else document.path
    if path.startswith("-"):
        path = f"./{path}"
    if document.entry is None:
        return act(path)
    folder = str(PurePosixPath(path).with_suffix(""))
    # In names of entries, `unzip` takes these for patterns.
    pattern = re.sub(r"([\[*?\\])", r"[\1]", document.entry)
    begin = f"unzip {_quote(path)} {_quote(pattern)} -d {_quote(folder)}"
    return " && ".join(filter(None, (begin, act(f"{folder}/{document.entry}"))))


def _unpack(path: str) -> str:
    """Writes the command that unpacks a file; nothing for an archive, which is read as it is."""
    folder = str(PurePosixPath(path).parent)
    if _TAR.search(path):
        return f"tar -xf {_quote(path)} -C {_quote(folder)}"
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _SINGLE:
        return f"{_SINGLE[suffix]} {_quote(path)}"
    return _ARCHIVES.get(suffix, "").format(path=_quote(path), folder=_quote(folder))


def _quote(text: str) -> str:
    r"""Quotes a word for the shell; one with bytes that are not UTF-8 as ``$'\xff'``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        written = "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}"
            for byte in os.fsencode(text)
        )
        return f"$'{written}'"
    return shlex.quote(text)
