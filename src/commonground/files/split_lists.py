"""Lists of splits that people write themselves: which dialogue is in which split.

A list is CSV or TSV with a header (``id,split`` or ``dialogue_id,split``; other columns are passed
over), a JSON object of lists of ids by split, or one of splits by id. An entry that cannot be read
costs itself and is a finding.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError
from commonground.files import faults
from commonground.files.sources import read_path, safe_name
from commonground.findings import Finding
from commonground.records import Pairs

ALL = "all"
"""No name of a split: commands take it for all splits together."""

_ID_COLUMNS = ("dialogue_id", "id")
_SPLIT_COLUMN = "split"
_EXPECTED = (
    "Expected CSV or TSV whose header names `id` (or `dialogue_id`) and `split`, a JSON object of "
    "lists of ids by split, or one of splits by id."
)


class SplitList(msgspec.Struct, frozen=True):
    """What a list of splits says.

    Attributes:
        name: base name of the file.
        split_of: the split of each listed id, in the order of the file.
        findings: the entries that cannot be read, and the ids that are listed in two splits.
    """

    name: str
    sha256: str
    split_of: dict[str, str]
    findings: list[Finding]


class _Entry(msgspec.Struct, frozen=True):
    """An entry as it stands in the file; ``fault`` says what was expected where it is none."""

    path: str
    dialogue_id: str = ""
    split: str = ""
    fault: str = ""
    found: str = ""


def read_split_list(path: Path) -> SplitList:
    """Reads a list of splits.

    Raises:
        SourceError: it cannot be read.
        FormatError: it is no such list, or none of its entries can be read.
    """
    data = read_path(path)
    name = safe_name(path.name)
    text = data.removeprefix(codecs.BOM_UTF8)
    read = _read_json if text.lstrip()[:1] in (b"{", b"[") else _read_lines
    split_of: dict[str, str] = {}
    findings = []
    for each in read(name, text):
        if each.fault:
            finding = faults.BAD_SPLIT.finding(
                name, each.path, expected=each.fault, found=each.found
            )
            findings.append(finding)
        elif split_of.setdefault(each.dialogue_id, each.split) != each.split:
            finding = faults.TWO_SPLITS.finding(
                name,
                each.path,
                expected=f"{each.dialogue_id} in {split_of[each.dialogue_id]} only",
                found=each.split,
            )
            findings.append(finding)
    if not split_of:
        first = findings[0] if findings else None
        why = f" {first.source_path}: found {first.found}." if first else ""
        raise FormatError(f"{name} says the split of no dialogue.{why}", _EXPECTED)
    return SplitList(name, hashlib.sha256(data).hexdigest(), split_of, findings)


def has_header(path: Path) -> bool:
    """Says whether a file begins with the header of a list of splits; no where there is none."""
    try:
        with path.open("rb") as file:
            line = file.readline(1 << 16)
    except (OSError, ValueError):
        return False
    return _find_columns(_decode(line.removeprefix(codecs.BOM_UTF8)) or "") is not None


def _read_lines(name: str, data: bytes) -> Iterator[_Entry]:
    lines = data.split(b"\n")
    columns = _find_columns(_decode(lines[0]) or "")
    if columns is None:
        raise FormatError(
            f"{name} is not a list of splits: line 1 is not such a header.", _EXPECTED
        )
    delimiter, id_column, split_column = columns
    for number, line in enumerate(lines[1:], 2):
        path, text = f"line {number}", _decode(line)
        if text is None:
            yield _Entry(path, fault="text in UTF-8", found=repr(line))
        elif text.strip():
            cells = _divide(text, delimiter)
            if max(id_column, split_column) < len(cells):
                yield _check(path, cells[id_column].strip(), cells[split_column].strip())
            else:
                yield _Entry(path, fault="an id and a split", found=text)


def _decode(line: bytes) -> str | None:
    """Returns a line as text, without its end; None where it is not UTF-8."""
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        return None


def _find_columns(header: str) -> tuple[str, int, int] | None:
    """Returns the delimiter and the places of id and split; None where it is no header."""
    delimiter = "\t" if "\t" in header else ","
    names = [each.strip() for each in _divide(header, delimiter)]
    found = [each for each in _ID_COLUMNS if each in names]
    if not found or _SPLIT_COLUMN not in names:
        return None
    return delimiter, names.index(found[0]), names.index(_SPLIT_COLUMN)


def _divide(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell longer than the reader takes
        return []


def _read_json(name: str, data: bytes) -> Iterator[_Entry]:
    try:
        found = json.loads(data, object_pairs_hook=Pairs)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is not JSON: {error}.", _EXPECTED) from error
    if not isinstance(found, Pairs):
        raise FormatError(f"{name} is not a list of splits: it is not a JSON object.", _EXPECTED)
    lists = sum(isinstance(value, list) for _, value in found)
    texts = sum(isinstance(value, str) for _, value in found)
    # Whichever form most of the file has, so that one odd value is that value's fault.
    if lists and lists >= texts:
        return _read_lists(found)
    return (_check(f"$.{dialogue_id}", dialogue_id, split) for dialogue_id, split in found)


def _read_lists(pairs: Pairs) -> Iterator[_Entry]:
    for split, ids in pairs:
        path = f"$.{split}"
        if not isinstance(ids, list) or isinstance(ids, Pairs):
            yield _Entry(path, fault="a list of ids", found=_write(ids))
            continue
        for number, each in enumerate(ids):
            yield _check(f"{path}[{number}]", each, split)


def _check(path: str, dialogue_id: Any, split: Any) -> _Entry:
    """Makes an entry of an id and a split, or one that says what is wrong with them."""
    # PhotoBook's ids are numbers in JSON, and text in the store.
    if isinstance(dialogue_id, int) and not isinstance(dialogue_id, bool):
        dialogue_id = str(dialogue_id)
    if not isinstance(dialogue_id, str) or not dialogue_id:
        return _Entry(path, fault="an id", found=_write(dialogue_id))
    if not isinstance(split, str) or not split:
        return _Entry(path, fault="the name of a split", found=_write(split))
    if split == ALL:
        fault = f"another name than {ALL!r}, which stands for all splits"
        return _Entry(path, fault=fault, found=split)
    try:
        f"{dialogue_id}{split}".encode()
    except UnicodeEncodeError:
        return _Entry(path, fault="text in UTF-8", found=_write([dialogue_id, split]))
    return _Entry(path, dialogue_id, split)


def _write(value: Any) -> str:
    plain = dict(value) if isinstance(value, Pairs) else value
    return json.dumps(plain, default=str) if plain != "" else "nothing"
