"""Documents read whole and divided into their records."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.errors import FormatError
from commonground.files.dividing import (
    Division,
    RawRecord,
    ReadRecord,
    decode_raw,
    divide_document,
)
from commonground.files.formats import FileFormat
from commonground.files.packed import find_disguise
from commonground.files.sources import Document


def divide_whole(document: Document, data: bytes, fmt: FileFormat) -> Division:
    """Divides all bytes of a document; one that is something else than its name says has none."""
    disguise = find_disguise(document, data, fmt)
    if disguise is not None:
        return Division(findings=[disguise])
    return divide_document(document.name, data, fmt)


def iterate_records(document: Document, fmt: FileFormat) -> Iterator[ReadRecord]:
    """Reads, divides and decodes one document; findings of the whole come with None for a record.

    Raises:
        SourceError: the document cannot be read.
    """
    division = divide_whole(document, document.read(), fmt)
    if division.findings:
        yield ReadRecord(RawRecord("$", b""), None, division.findings)
    for raw in division.records:
        yield decode_raw(document.name, raw, fmt)


def decode_all(name: str, data: bytes, fmt: FileFormat, advice: str = "") -> list[ReadRecord]:
    """Decodes the records of a file all of which are needed, so that each has its record.

    Args:
        name: of the file, for the message.
        data: all its bytes.
        fmt: its format.
        advice: what to do if it cannot be used.

    Raises:
        FormatError: one cannot be decoded; the message says where, and what was expected.
    """
    division = divide_document(name, data, fmt)
    read = [decode_raw(name, raw, fmt) for raw in division.records]
    broken = [finding for each in read if each.record is None for finding in each.findings]
    for bad in [*division.findings, *broken][:1]:
        detail = f" Expected {bad.expected}, found {bad.found}." if bad.expected else ""
        raise FormatError(f"{name}: {bad.source_path or '$'}: {bad.message}{detail}", advice)
    return read
