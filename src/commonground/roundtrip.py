"""Whether a document that is read and written back is the one that was released."""

from __future__ import annotations

import msgspec

from commonground.dividing import BOM, Division, decode_raw, divide_document
from commonground.errors import SourceError
from commonground.findings import shorten
from commonground.formats import FileFormat
from commonground.records import encode_record, first_difference
from commonground.sources import Document


class RoundTrip(msgspec.Struct, frozen=True):
    """How one document fared when it was read, written back and compared.

    Attributes:
        document: its name.
        records: number of records in it.
        difference: where the first difference is, or why there was nothing to compare; null
            where what was written equals what was read.
    """

    document: str
    records: int
    difference: str | None


def roundtrip_document(document: Document, fmt: FileFormat) -> RoundTrip:
    """Reads a document natively, writes it back and compares the two as JSON (text as text)."""
    try:
        data = document.read()
    except SourceError as error:
        return RoundTrip(document.name, 0, error.message)
    division = divide_document(document.name, data, fmt)
    bad = next((f for f in division.findings if f.severity == "error"), None)
    if bad is not None:
        return RoundTrip(document.name, len(division.records), f"{bad.source_path}: {bad.message}")
    if fmt.layout == "text":
        return _roundtrip_text(document.name, data, fmt, division)
    for raw in division.records:
        read = decode_raw(document.name, raw, fmt)
        if read.decoded is None or read.record is None:
            finding = read.findings[0]
            why = f"{finding.source_path}: {finding.message}"
            return RoundTrip(document.name, len(division.records), why)
        before = msgspec.json.decode(raw.data)
        after = msgspec.json.decode(encode_record(read.decoded))
        where = first_difference(before, after)
        if where is not None:
            return RoundTrip(document.name, len(division.records), raw.path + where[1:])
    return RoundTrip(document.name, len(division.records), None)


def _roundtrip_text(name: str, data: bytes, fmt: FileFormat, division: Division) -> RoundTrip:
    assert fmt.render_text is not None  # noqa: S101 - a declaration without it is a bug of ours
    written = fmt.render_text([raw.record for raw in division.records])
    if written == data.removeprefix(BOM):
        return RoundTrip(name, len(division.records), None)
    lines = zip(data.splitlines(), written.splitlines(), strict=False)
    number = next((i for i, (a, b) in enumerate(lines, 1) if a != b), 0)
    place = f"line {number}" if number else "the end"
    return RoundTrip(name, len(division.records), f"{place}: {shorten(fmt.title)} differs")
