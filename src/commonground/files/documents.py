"""Documents read whole and divided into their records."""

from __future__ import annotations

from collections.abc import Iterator

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
    """Divides all bytes of a document; one that is something else than its name says has none.

    Args:
        document: where they are from.
        data: the bytes.
        fmt: the document's format.
    """
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
