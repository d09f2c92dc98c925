"""Data sets made of the corpora, which people have in place of the released files."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from commonground.corpora import Entry
from commonground.errors import SourceError
from commonground.files.dividing import peek_record
from commonground.files.formats import FileFormat
from commonground.files.packed import (
    find_line_fields,
    find_lines_command,
    find_packing,
    unpack_disguised,
)
from commonground.files.sources import Document
from commonground.store.arrow import pa, pq

_HEAD_BYTES = 1 << 20

_MADE_BY = {
    "ConvLab's unified format": ("data_split", "dialogue_id", "turns"),
    "DialogStudio's format": ("original dialog id", "log"),
    "rows of the Hugging Face dataset viewer": ("features", "rows", "row_idx"),
}
"""Keys by which JSON files of other projects are known."""

_TABLES = {
    ".parquet": "a Parquet table, as dataset hubs have them",
    ".arrow": "an Arrow table, as dataset hubs have them",
    ".jsonl": "JSON Lines, as dataset hubs have them",
    ".ndjson": "JSON Lines, as dataset hubs have them",
    ".csv": "a CSV table",
    ".tsv": "a TSV table",
}


def describe_derived(document: Document) -> str | None:
    """Says what a file is that was made of a corpus; None where it is nothing that is known."""
    name = document.base.lower()
    for ending, title in _TABLES.items():
        if name.endswith(ending):
            return title
    if not name.endswith(".json"):
        return None
    head = _read_head(document)
    if find_packing(head) is not None:
        return "compressed"
    for title, keys in _MADE_BY.items():
        if all(re.search(rb'"%s"\s*:' % key.encode(), head) for key in keys):
            return title
    return None if find_line_fields(head) is None else _TABLES[".jsonl"]


def find_fields(document: Document) -> frozenset[str]:
    """Returns the columns of a Parquet table, or the fields of the first of JSON Lines."""
    name = document.base.lower()
    if name.endswith((".jsonl", ".ndjson")):
        line = _read_head(document).lstrip().partition(b"\n")[0]
        return frozenset(peek_record(line, dict[str, msgspec.Raw]) or ())
    if name.endswith(".json"):
        return frozenset(find_line_fields(_read_head(document)) or ())
    if name.endswith(".parquet") and not document.is_remote and document.entry is None:
        try:
            return frozenset(pq.read_schema(document.path).names)
        except (OSError, pa.ArrowInvalid):
            return frozenset()
    return frozenset()


def advise(document: Document, corpora: Sequence[Entry], wanted: str) -> str:
    """Says what to do with such a file.

    Args:
        document: the file.
        corpora: all there are.
        wanted: name of the corpus that was to be imported.
    """
    ending = find_packing(_read_head(document)) if document.base.endswith(".json") else None
    if ending is not None:
        return f"Unpack it: {unpack_disguised(document, ending)}"
    fields = find_fields(document)
    for entry in corpora:
        for fmt in entry.formats():
            if fmt.role == "main" and fmt.keys and fmt.keys <= fields:
                return _advise_records(document, entry.name, fmt, fields)
    return f"Import the released files; to get them: commonground fetch {wanted} FOLDER"


def _advise_records(
    document: Document, corpus: str, fmt: FileFormat, fields: frozenset[str]
) -> str:
    of = f"Its rows have the fields of {corpus}, {fmt.title}."
    command = None
    if not document.base.lower().endswith(".parquet"):
        command = find_lines_command(document, fmt, fields)
    if command is None:
        return f"{of} Import the released files; to get them: commonground fetch {corpus} FOLDER"
    return f"{of} Make the released form of them: {command}"


def _read_head(document: Document) -> bytes:
    try:
        return document.read_start(_HEAD_BYTES)
    except SourceError:
        return b""
