"""Documents divided into records, and records decoded; bad data gives findings, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from commonground.files import faults
from commonground.files.formats import FileFormat, MissingColumn, OddLine, OddRow
from commonground.files.salvage import is_json, salvage_document
from commonground.findings import Finding, shorten
from commonground.records import (
    Decoded,
    Fault,
    decode_record,
    decode_value,
    find_repeated_keys,
    may_repeat_keys,
    render_path,
)

T = TypeVar("T")

Fields = list[tuple[str, msgspec.Raw]]
"""The keys of an object and the bytes of their values, in order, repeated keys included."""

BOM = b"\xef\xbb\xbf"


class Origin(msgspec.Struct, frozen=True):
    """Where bytes that are divided stand in their document.

    Attributes:
        line, column: of their first byte, from 1.
        byte: place of their first byte in a document that is not JSON as a whole; None where the
            document is, or is not divided.
    """

    line: int = 1
    column: int = 1
    byte: int | None = None

    def move(self, passed: bytes) -> Origin:
        """Returns where the bytes after some others stand."""
        newlines = passed.count(b"\n")
        column = len(passed) - passed.rfind(b"\n") if newlines else self.column + len(passed)
        byte = None if self.byte is None else self.byte + len(passed)
        return Origin(self.line + newlines, column, byte)


class RawRecord(msgspec.Struct, frozen=True):
    """One record of a document, still undecoded.

    Attributes:
        path: JSON path in the document: ``$`` for a whole document.
        split: with layout ``splits``, the list it was in.
        key: with layout ``map``, its id.
        is_envelope: whether it is no record but what stands around them: with layout
            ``envelope`` the file with its list emptied, with layout ``splits`` what stands in
            the place of a list of records, such as an empty list.
        record: what it says, where the divider had to decode it anyway; None where it did not.
        origin: where it stands, in a document that is not JSON as a whole; else None.
    """

    path: str
    data: bytes
    split: str | None = None
    key: str | None = None
    is_envelope: bool = False
    record: Any = None
    origin: Origin | None = None


class Division(msgspec.Struct):
    """A document divided into raw records, with what went wrong while dividing."""

    records: list[RawRecord] = []
    findings: list[Finding] = []


def divide_document(name: str, data: bytes, fmt: FileFormat) -> Division:
    """Divides the bytes of a document into its records; never raises on bad data."""
    division = Division()
    if fmt.layout == "rows":
        _gather_rows(name, data, fmt, division)
        return division
    # Windows editors put it there; JSON forbids it and every parser here would stop at it.
    begin = len(BOM) if data.startswith(BOM) else 0
    if begin:
        division.findings.append(faults.BYTE_ORDER_MARK.finding(name, "$"))
        data = data[begin:]
    if fmt.layout == "text":
        _divide_text(name, data, fmt, division)
        return division
    if fmt.layout == "document":
        division.records.append(RawRecord("$", data))
        return division
    try:
        _divide_json(name, data, fmt, division)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # What was divided before the error goes, too: the salvage begins again at the start.
        division.records.clear()
        if not _salvage(name, data, fmt, division, begin):
            division.findings.append(not_json(name, "$", data, error))
        return division
    if all(raw.is_envelope for raw in division.records):
        division.findings.append(faults.EMPTY_FILE.finding(name, "$"))
    return division


# Raw values are only skipped over: the bytes stay as released, and no object is made of them.
RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])
RAW_MAP = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _divide_json(name: str, data: bytes, fmt: FileFormat, division: Division) -> None:
    add = division.records.append
    if fmt.layout == "array":
        for i, raw in enumerate(RAW_LIST.decode(data)):
            add(RawRecord(f"$[{i}]", bytes(raw)))
        return
    fields = split_object(data)
    division.findings.extend(_find_repeated_fields(name, fields))
    if fmt.layout == "map":
        for key, value in fields:
            add(RawRecord(f"$[{json.dumps(key)}]", bytes(value), key=key))
    elif fmt.layout == "splits":
        for key, value in fields:
            division.records.extend(_divide_split(key, value))
    else:
        place = find_items(fields, fmt)
        items: list[msgspec.Raw] = []
        if place is not None:
            items = _list_items(fields[place][1]) or []
            # What stands around the records is kept as a record of its own, with their list
            # emptied, so that joining can put them back.
            fields[place] = (fields[place][0], msgspec.Raw(b"[]"))
        add(RawRecord("$", _write_object(fields), is_envelope=True))
        for i, raw in enumerate(items):
            add(RawRecord(f"$.{fmt.items}[{i}]", bytes(raw)))


def _divide_split(split: str, value: msgspec.Raw) -> Iterator[RawRecord]:
    path = f"${render_path((split,))}"
    items = _list_items(value)
    if not items:
        yield RawRecord(path, bytes(value), split=split, is_envelope=True)
    for i, raw in enumerate(items or ()):
        yield RawRecord(f"{path}[{i}]", bytes(raw), split=split)


def _list_items(value: msgspec.Raw) -> list[msgspec.Raw] | None:
    """Returns the raw items of a list; None where it is none."""
    try:
        return RAW_LIST.decode(value)
    except msgspec.ValidationError:
        return None


def find_items(fields: Fields, fmt: FileFormat) -> int | None:
    """Returns the place of the list of records among the fields of an ``envelope`` file.

    Of several it is the last, which all readers of JSON take; None where there is none.
    """
    places = [i for i, (key, _) in enumerate(fields) if key == fmt.items]
    return places[-1] if places and _list_items(fields[places[-1]][1]) is not None else None


def _write_object(fields: Fields) -> bytes:
    parts = (msgspec.json.encode(key) + b":" + bytes(value) for key, value in fields)
    return b"{" + b",".join(parts) + b"}"


def split_object(data: bytes) -> Fields:
    """Splits a JSON object into its keys and the bytes of their values.

    Raises:
        msgspec.DecodeError, RecursionError, UnicodeDecodeError: it is no JSON object.
    """
    fields = RAW_MAP.decode(data)
    if may_repeat_keys(data, msgspec.json.encode(fields)):
        return list(split_known_object(data))
    return list(fields.items())


# A text with its escapes, or a mark. The possessive ``*+`` never goes back, so that a long text
# that is not closed costs no more than its length.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[][{},:]', re.DOTALL)


def split_known_object(data: bytes) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yields every key and value of what is known to be an object, however deep; slowly."""
    depth, key, start = 0, b"", 0
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        # At the first level a text is a key as long as no value has begun.
        if depth == 1 and token.startswith(b'"') and not start:
            key = token
        elif depth == 1 and token == b":":
            start = match.end()
        elif start and ((depth == 1 and token == b",") or depth == 0):
            yield msgspec.json.decode(key), msgspec.Raw(data[start : match.start()].strip())
            start = 0


def _find_repeated_fields(name: str, fields: Fields) -> Iterator[Finding]:
    """Reports keys that an object of records has twice; those below, their records report."""
    if len({key for key, _ in fields}) < len(fields):
        outer = _write_object([(key, msgspec.Raw(b"0")) for key, _ in fields])
        for fault in find_repeated_keys(outer):
            yield faults.REPEATED_KEY.finding(name, "$" + fault.path, found=fault.found)


def _divide_text(name: str, data: bytes, fmt: FileFormat, division: Division) -> None:
    assert fmt.parse_text is not None  # noqa: S101 - a declaration without it is a bug of ours
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="backslashreplace")
        # Each line that is not UTF-8 is a finding of its own, so the file is gone through again.
        for number, line in enumerate(data.split(b"\n"), 1):
            division.findings.extend(_not_utf8(name, f"line {number}", line))
    for each in fmt.parse_text(text):
        raw = RawRecord(f"line {each.line}", each.text.encode(), record=each.record)
        division.records.append(raw)


def _gather_rows(name: str, data: bytes, fmt: FileFormat, division: Division) -> None:
    assert fmt.gather_rows is not None  # noqa: S101 - a declaration without it is a bug of ours
    # Spreadsheets put the mark there, and nobody who reads tables is surprised by it.
    for each in fmt.gather_rows(data.removeprefix(BOM), fmt.columns):
        if isinstance(each, MissingColumn):
            message = f"There is no column for {each.expected}. The columns are: {each.found}."
            message += " Name your own, such as --column text=message."
            division.findings.append(faults.MISSING_COLUMN.finding(name, message=message))
        else:
            text = each.record.text if isinstance(each.record, OddRow) else each.record
            raw = RawRecord(each.path, msgspec.json.encode(text), record=each.record)
            division.records.append(raw)
    if not division.records and not division.findings:
        division.findings.append(faults.EMPTY_FILE.finding(name, "$"))


def _not_utf8(name: str, path: str, line: bytes) -> Iterator[Finding]:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        yield faults.NOT_UTF8.finding(name, path, found=f"byte {line[error.start]:#04x}")


# Where msgspec stopped, which it says only in the text of its message.
_BYTE = re.compile(r"\(byte (\d+)\)")


def not_json(
    name: str, path: str, data: bytes, error: Exception, origin: Origin | None = None
) -> Finding:
    """Builds the finding for bytes that are not JSON, with line and column where known.

    Args:
        path: as far as it is known.
        origin: None for the beginning of the document.
    """
    origin = origin or Origin()
    match = _BYTE.search(str(error))
    reason = re.sub(r"^JSON is malformed: |\s*\(byte \d+\)", "", str(error))
    rule = faults.NOT_JSON
    try:
        data.decode()
    except UnicodeDecodeError as bad:
        rule, reason = faults.NOT_UTF8, f"byte {data[bad.start]:#04x}"
        offset = bad.start
    else:
        # msgspec names the byte where it stopped, except for data that ends too early.
        offset = int(match[1]) if match else len(data) if "truncated" in str(error) else 0
    newlines = data.count(b"\n", 0, offset)
    line = origin.line + newlines
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    if not newlines:
        column += origin.column - 1
    message = f"{rule.title[:-1]}: {reason} (line {line}, column {column})."
    if origin.byte is not None and data:
        message += f" Left out: bytes {origin.byte} to {origin.byte + len(data) - 1}."
    around = data[max(0, offset - 20) : offset + 20].decode(errors="replace")
    return rule.finding(name, path, message=message, found=around)


def _salvage(name: str, data: bytes, fmt: FileFormat, division: Division, begin: int) -> bool:
    """Adds what can be had of a document that is not JSON; says whether anything can.

    ``begin`` is the place of the first of the bytes, which come without a byte order mark.
    """
    frame, salvaged = None, []
    for each in salvage_document(data, fmt):
        if fmt.layout == "envelope" and each.kind == "around":
            # What stands around a list that breaks off ends there.
            end = data[each.end :] or b"}"
            frame = data[: each.start] + b"[]" + end
        else:
            salvaged.append(each)
    if all(each.kind == "lost" for each in salvaged):
        return False
    if frame is not None and is_json(frame):
        division.records.append(RawRecord("$", frame, is_envelope=True))
    elif frame is not None:
        division.findings.append(not_json(name, "$", frame, _find_error(frame)))
    origin, at = Origin(byte=begin), 0
    for each in salvaged:
        origin, at = origin.move(data[at : each.start]), each.start
        piece = data[each.start : each.end]
        if each.kind == "lost":
            division.findings.append(not_json(name, each.path, piece, _find_error(piece), origin))
        else:
            is_around = each.kind == "around"
            raw = RawRecord(
                each.path, piece, each.split, each.key, is_envelope=is_around, origin=origin
            )
            division.records.append(raw)
    return True


def _find_error(piece: bytes) -> Exception:
    """Says what is wrong with bytes that stand where they should not."""
    if not piece.strip():
        return msgspec.DecodeError("a bracket or comma is missing here")
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return error
    return msgspec.DecodeError("this is not a record")


def recognise_document(data: bytes, formats: Iterable[FileFormat]) -> FileFormat | None:
    """Returns the format that the first record of a JSON document has the keys of, or None."""
    for each in formats:
        if not each.keys or not each.is_json:
            continue
        records = divide_document("", data, each).records
        first = next((raw for raw in records if not raw.is_envelope), None)
        keys = None if first is None else peek_record(first.data, dict[str, msgspec.Raw])
        if keys is not None and each.keys <= keys.keys():
            return each
    return None


def peek_record(data: bytes, of: type[T]) -> T | None:
    """Decodes what is wanted of a record, whatever else it has; None where it cannot be had.

    Reports nothing: the reader of the whole record does that.
    """
    try:
        return msgspec.json.decode(data, type=of)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


class ReadRecord(msgspec.Struct, frozen=True):
    """A record as far as it could be decoded, with the findings that it gave.

    ``decoded`` is None where the bytes are not JSON.
    """

    raw: RawRecord
    decoded: Decoded[Any] | None
    findings: list[Finding] = []

    @property
    def record(self) -> Any:
        """The typed record; None where it could not be typed."""
        return None if self.decoded is None else self.decoded.record


_RULES = {
    "missing": faults.MISSING_FIELD,
    "type": faults.WRONG_TYPE,
    "unknown": faults.UNKNOWN_FIELD,
    "repeated": faults.REPEATED_KEY,
}


def decode_raw(name: str, raw: RawRecord, fmt: FileFormat) -> ReadRecord:
    """Decodes a raw record into the type that its format declares; never raises on bad data."""
    if fmt.layout == "text":
        if isinstance(raw.record, OddLine):
            found = raw.record.line
            return ReadRecord(raw, None, [faults.ODD_LINE.finding(name, raw.path, found=found)])
        return ReadRecord(raw, Decoded(raw.record))
    if fmt.layout == "rows" and isinstance(raw.record, OddRow):
        rule = faults.ODD_ROW if raw.record.is_utf8 else faults.NOT_UTF8
        expected, found = raw.record.expected, raw.record.text
        return ReadRecord(raw, None, [rule.finding(name, raw.path, expected=expected, found=found)])
    if fmt.layout == "rows" and raw.record is not None:
        return ReadRecord(raw, Decoded(raw.record))
    try:
        decoded = (
            _decode_around(raw, fmt) if raw.is_envelope else decode_record(raw.data, fmt.record)
        )
    except msgspec.DecodeError as error:
        return ReadRecord(raw, None, [not_json(name, raw.path, raw.data, error, raw.origin)])
    findings = []
    for fault in decoded.faults:
        rule = _RULES[fault.kind]
        path = raw.path + fault.path
        findings.append(rule.finding(name, path, expected=fault.expected, found=fault.found))
    return ReadRecord(raw, decoded, findings)


def _decode_around(raw: RawRecord, fmt: FileFormat) -> Decoded[Any]:
    """Decodes what stands around records; see ``RawRecord.is_envelope``."""
    if fmt.layout == "splits":
        return _want_list(raw.data, "")
    decode_value(raw.data)  # what is dropped below must be JSON, too
    decoded: Decoded[Any] = decode_record(drop_items(raw.data, fmt), fmt.envelope)
    of_items = dict(split_object(raw.data)).get(fmt.items or "")
    if of_items is not None:
        no_list = _want_list(bytes(of_items), render_path((fmt.items or "",)))
        if no_list.faults:
            decoded = Decoded(None, decoded.faults + no_list.faults)
    return decoded


def _want_list(data: bytes, path: str) -> Decoded[Any]:
    value = decode_value(data)
    if isinstance(value, list):
        return Decoded(value)
    found = "null" if value is None else shorten(value)
    return Decoded(None, [Fault(path, "type", "list", found)])


def drop_items(data: bytes, fmt: FileFormat) -> bytes:
    """Takes the place of the records out of what stands around them, and keys that repeat."""
    fields = {key: value for key, value in split_object(data) if key != fmt.items}
    return _write_object(list(fields.items()))
