"""Whether a document that is read and written back is the one that was released."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from commonground.errors import SourceError
from commonground.files import faults
from commonground.files.dividing import (
    BOM,
    Division,
    RawRecord,
    decode_raw,
    drop_items,
)
from commonground.files.documents import divide_whole
from commonground.files.formats import FileFormat
from commonground.files.joining import DocumentPiece, join_pieces
from commonground.files.sources import Document
from commonground.findings import Finding, shorten
from commonground.records import decode_value, encode_record, first_difference


class RoundTrip(msgspec.Struct, frozen=True):
    """How one document fared when it was read, written back and compared.

    Attributes:
        difference: where the first is, or why there was nothing to compare; None where what was
            written equals what was read.
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
    division = divide_whole(document, data, fmt)
    bad = next((f for f in division.findings if f.severity == "error"), None)
    if bad is not None:
        return RoundTrip(document.name, len(division.records), _describe(bad))
    if fmt.layout == "text":
        return _roundtrip_text(document.name, data, fmt, division)
    if fmt.layout == "rows":
        return _roundtrip_rows(document, fmt, division)
    difference = next(
        filter(None, (_compare(document.name, raw, fmt) for raw in division.records)), None
    )
    if difference is None:
        difference = _compare_whole(data, division, fmt)
    return RoundTrip(document.name, len(division.records), difference)


def _compare(name: str, raw: RawRecord, fmt: FileFormat) -> str | None:
    """Says where a record, typed and written again, is not what it was; null if it is."""
    read = decode_raw(name, raw, fmt)
    repeated = (f for f in read.findings if f.code == faults.REPEATED_KEY.code)
    bad = read.findings[0] if read.record is None else next(repeated, None)
    if bad is not None:
        return _describe(bad)
    assert read.decoded is not None  # noqa: S101 - else it had no record
    is_around_list = raw.is_envelope and fmt.layout == "envelope"
    before = decode_value(drop_items(raw.data, fmt) if is_around_list else raw.data)
    after = decode_value(encode_record(read.decoded))
    # Two passes in C over equal values, which nearly all are; the walk below says where they
    # differ.
    if _SORTED.encode(before) == _SORTED.encode(after):
        return None
    # The order of keys is what a typed record does not hold; the bytes that are kept do.
    where = first_difference(before, after)
    return None if where is None else raw.path + where[1:]


_SORTED = msgspec.json.Encoder(order="sorted")


def _describe(finding: Finding) -> str:
    return ": ".join(filter(None, (finding.source_path, finding.message)))


def _compare_whole(data: bytes, division: Division, fmt: FileFormat) -> str | None:
    """Says whether a document, put together of its records, is what it was; null if it is."""
    pieces = (DocumentPiece(raw.path, raw.data.decode()) for raw in division.records)
    written = "".join(join_pieces(pieces, fmt)).encode()
    data = data.removeprefix(BOM)
    # Without white space between tokens both are equal to the byte, numbers as written included.
    if msgspec.json.format(data, indent=-1) == msgspec.json.format(written, indent=-1):
        return None
    where = first_difference(decode_value(data), decode_value(written), ordered=True)
    return where and f"{where}: the file, put together of its records, differs here"


def _roundtrip_rows(document: Document, fmt: FileFormat, division: Division) -> RoundTrip:
    """Compares rows, since the same table may be quoted in several ways."""
    assert fmt.render_rows is not None  # noqa: S101 - a declaration without it is a bug of ours
    written = fmt.render_rows([raw.record for raw in division.records])
    again = divide_whole(document, written, fmt).records
    pairs = zip_longest(division.records, again)
    difference = next((one or other for one, other in pairs if one != other), None)
    where = None if difference is None else difference.path
    return RoundTrip(document.name, len(division.records), where)


def _roundtrip_text(name: str, data: bytes, fmt: FileFormat, division: Division) -> RoundTrip:
    assert fmt.render_text is not None  # noqa: S101 - a declaration without it is a bug of ours
    written = fmt.render_text([raw.record for raw in division.records])
    if written == data.removeprefix(BOM):
        return RoundTrip(name, len(division.records), None)
    lines = zip(data.splitlines(), written.splitlines(), strict=False)
    number = next((i for i, (a, b) in enumerate(lines, 1) if a != b), 0)
    place = f"line {number}" if number else "the end"
    return RoundTrip(name, len(division.records), f"{place}: {shorten(fmt.title)} differs")
