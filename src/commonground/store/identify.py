"""Which of a user's files is which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from commonground.corpora import Entry, iterate_corpora
from commonground.errors import FormatError, SourceError
from commonground.files import faults
from commonground.files.dividing import peek_record, recognise_document
from commonground.files.formats import (
    Columns,
    FileFormat,
    identify_document,
    identify_name,
)
from commonground.files.packed import (
    find_command,
    find_line_fields,
    find_lines_command,
    find_packing,
    unpack_disguised,
    unpacked_name,
)
from commonground.files.simulated import is_mark, is_marked
from commonground.files.sources import Document, list_documents
from commonground.findings import Finding
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


class Identified(msgspec.Struct):
    """Documents by what they are.

    Attributes:
        left_alone: documents of no format of this corpus.
        findings: what could not be listed.
        simulated: whether a mark says that they are invented.
    """

    known: list[tuple[Document, FileFormat]]
    left_alone: list[Document]
    findings: list[Finding]
    simulated: bool = False


def identify_documents(
    entry: Entry, paths: Sequence[str | Path], columns: Columns = ()
) -> Identified:
    """Lists the documents below ``paths`` and says what each is.

    A file is known by its name; a JSON file of another name by the fields of its first record.

    Args:
        paths: files, folders or zip archives.
        columns: columns of tables that the user named.

    Raises:
        UsageError: a column is named that the corpus does not have.
        SourceError: a path does not exist or is empty.
        FormatError: no document is of this corpus; says of which it is, if of any.
    """
    listing = list_documents(paths)
    documents = [each for each in listing.documents if not is_mark(each.name)]
    # The mark lies beside the files: it is among them only where a whole folder was given.
    simulated = len(documents) < len(listing.documents) or is_marked(paths)
    formats = entry.formats(columns)
    known: list[tuple[Document, FileFormat]] = []
    unknown: list[Document] = []
    for document in documents:
        fmt = identify_document(document, formats)
        if fmt is None:
            unknown.append(document)
        else:
            known.append((document, fmt))
    left_alone = []
    for document in unknown:
        # Reading a file just to see what it is must stay an exception, not cost a second import.
        fmt = None if any(f.role == "main" for _, f in known) else _recognise(document, formats)
        if fmt is None:
            left_alone.append(document)
        else:
            known.append((document, fmt))
    if not known and not listing.findings:
        raise _nothing_known(entry, left_alone)
    packed = _find_packed(left_alone, documents, formats)
    left_alone = [each for each in left_alone if each.name not in packed]
    listing.findings.extend(packed.values())
    # By name, so that the order in which paths were given changes nothing in the import.
    known.sort(key=lambda pair: pair[0].name)
    return Identified(known, left_alone, listing.findings, simulated)


def _recognise(document: Document, formats: Sequence[FileFormat]) -> FileFormat | None:
    if not document.base.lower().endswith(".json"):
        return None
    try:
        return recognise_document(document.read(), formats)
    # A file that cannot be read is of no format that is known.
    except SourceError:
        return None


def _find_packed(
    left_alone: Sequence[Document], documents: Sequence[Document], formats: Sequence[FileFormat]
) -> dict[str, Finding]:
    """Reports, by name, files that a corpus has but that are packed, and not there unpacked."""
    names = {document.name for document in documents}
    found = {}
    for document in left_alone:
        name = unpacked_name(document)
        if name is None or name in names or identify_name(name, formats) is None:
            continue
        message = f"The file is compressed. Unpack it: {find_command(document)}"
        found[document.name] = faults.PACKED.finding(document.name, message=message)
    return found


def _nothing_known(entry: Entry, documents: Sequence[Document]) -> FormatError:
    names = ", ".join(document.name for document in documents[:3])
    if len(documents) > 3:
        names += f" and {len(documents) - 3:,} more"
    for document in documents:
        command = find_command(document)
        if command is not None:
            first = "Download it, and unpack it" if document.is_remote else "Unpack it"
            return FormatError(
                f"No file of {entry.name} is there, but {document.name} is compressed.",
                f"{first}: {command}",
            )
    expected = ", ".join(f"{f.title} ({f.pattern})" for f in entry.formats() if f.role == "main")
    for other in iterate_corpora():
        if other.name == entry.name:
            continue
        formats = [fmt for fmt in other.formats() if fmt.role == "main"]
        for document in documents[:3]:
            if _recognise(document, formats):
                return FormatError(
                    f"No file of {entry.name} is there, but {names} looks like {other.name}.",
                    f"Try: commonground import {other.name} PATH",
                )
    for document in documents:
        what = _describe_derived(document)
        if what is not None:
            return FormatError(
                f"No file of {entry.name} is there: {document.name} is {what}.",
                _advise(document, list(iterate_corpora()), entry.name),
            )
    return FormatError(
        f"No file of {entry.name} is there: found {names}.", f"Expected: {expected}."
    )


# What follows is about data sets made of the corpora, which people have in place of the released
# files.


def _describe_derived(document: Document) -> str | None:
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


def _find_fields(document: Document) -> frozenset[str]:
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


def _advise(document: Document, corpora: Sequence[Entry], wanted: str) -> str:
    """Says what to do with such a file.

    Args:
        corpora: all there are.
        wanted: name of the corpus that was to be imported.
    """
    ending = find_packing(_read_head(document)) if document.base.endswith(".json") else None
    if ending is not None:
        return f"Unpack it: {unpack_disguised(document, ending)}"
    fields = _find_fields(document)
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
