"""Which of a user's files is which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from commonground.corpora import Entry, iterate_corpora
from commonground.errors import FormatError, SourceError
from commonground.files import faults
from commonground.files.dividing import recognise_document
from commonground.files.formats import (
    Columns,
    FileFormat,
    identify_document,
    identify_name,
)
from commonground.files.packed import find_command, unpacked_name
from commonground.files.simulated import is_mark, is_marked
from commonground.files.sources import Document, list_documents
from commonground.findings import Finding
from commonground.store.derived import advise, describe_derived


class Identified(msgspec.Struct):
    """Documents by what they are.

    Attributes:
        known: each document with its format.
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
        entry: the corpus.
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
        what = describe_derived(document)
        if what is not None:
            return FormatError(
                f"No file of {entry.name} is there: {document.name} is {what}.",
                advise(document, list(iterate_corpora()), entry.name),
            )
    return FormatError(
        f"No file of {entry.name} is there: found {names}.", f"Expected: {expected}."
    )
