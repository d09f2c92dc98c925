"""Documents divided into records, and records decoded; bad data gives findings, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground import faults
from commonground.findings import Finding
from commonground.formats import FileFormat
from commonground.records import Decoded, decode_record
from commonground.sources import Document

BOM = b"\xef\xbb\xbf"


class RawRecord(msgspec.Struct, frozen=True):
    """One record of a document, still undecoded.

    Attributes:
        path: JSON path in the document: ``$`` for a whole document.
        data: its bytes as they stand there.
        split: with layout ``splits``, the list it was in.
        key: with layout ``map``, its id.
        is_envelope: whether it is the rest of an ``envelope`` file.
    """

    path: str
    data: bytes
    split: str | None = None
    key: str | None = None
    is_envelope: bool = False
    record: Any = None


class Division(msgspec.Struct):
    """A document divided into raw records, with what went wrong while dividing."""

    records: list[RawRecord] = []
    findings: list[Finding] = []


def divide_document(name: str, data: bytes, fmt: FileFormat) -> Division:
    """Divides the bytes of a document into its records; never raises on bad data.

    Args:
        name: the document's name, for findings.
        data: its bytes.
        fmt: its format.
    """
    division = Division()
    if data.startswith(BOM):
        division.findings.append(faults.BYTE_ORDER_MARK.finding(name, "$"))
        data = data[len(BOM) :]
    if fmt.layout == "text":
        _divide_text(name, data, fmt, division)
        return division
    if fmt.layout == "document":
        division.records.append(RawRecord("$", data))
        return division
    try:
        _divide_json(data, fmt, division)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        division.records.clear()
        division.findings.append(_not_json(name, "$", data, error))
        division.records.extend(_salvage(data, fmt))
        return division
    if all(raw.is_envelope for raw in division.records):
        division.findings.append(faults.EMPTY_FILE.finding(name, "$"))
    return division


_RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_MAP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW_SPLITS = msgspec.json.Decoder(dict[str, list[msgspec.Raw]])


def _divide_json(data: bytes, fmt: FileFormat, division: Division) -> None:
    add = division.records.append
    if fmt.layout == "array":
        for i, raw in enumerate(_RAW_LIST.decode(data)):
            add(RawRecord(f"$[{i}]", bytes(raw)))
    elif fmt.layout == "splits":
        for split, raws in _RAW_SPLITS.decode(data).items():
            for i, raw in enumerate(raws):
                add(RawRecord(f"$.{split}[{i}]", bytes(raw), split=split))
    elif fmt.layout == "map":
        for key, raw in _RAW_MAP.decode(data).items():
            path = f"$[{json.dumps(key)}]"
            add(RawRecord(path, bytes(raw), key=key))
    else:
        fields = _RAW_MAP.decode(data)
        items = fields.pop(fmt.items or "", msgspec.Raw(b"[]"))
        if fmt.envelope is not None:
            add(RawRecord("$", msgspec.json.encode(fields), is_envelope=True))
        for i, raw in enumerate(_RAW_LIST.decode(items)):
            add(RawRecord(f"$.{fmt.items}[{i}]", bytes(raw)))


def _divide_text(name: str, data: bytes, fmt: FileFormat, division: Division) -> None:
    assert fmt.parse_text is not None  # noqa: S101 - a declaration without it is a bug of ours
    try:
        for each in fmt.parse_text(data):
            raw = RawRecord(f"line {each.line}", each.text.encode(), record=each.record)
            division.records.append(raw)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        division.findings.append(
            faults.NOT_UTF8.finding(name, f"line {line}", found=f"byte {data[error.start]:#04x}")
        )


_BYTE = re.compile(r"\(byte (\d+)\)")


def _not_json(name: str, path: str, data: bytes, error: Exception) -> Finding:
    """Builds the finding for bytes that are not JSON, with line and column where known."""
    match = _BYTE.search(str(error))
    reason = re.sub(r"^JSON is malformed: |\s*\(byte \d+\)", "", str(error))
    rule = faults.NOT_JSON
    try:
        data.decode()
    except UnicodeDecodeError as bad:
        rule, reason = faults.NOT_UTF8, f"byte {data[bad.start]:#04x}"
        offset = bad.start
    else:
        offset = int(match[1]) if match else len(data) if "truncated" in str(error) else 0
    line = data.count(b"\n", 0, offset) + 1
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    message = f"{rule.title[:-1]}: {reason} (line {line}, column {column})."
    around = data[max(0, offset - 20) : offset + 20].decode(errors="replace")
    return rule.finding(name, path, message=message, found=around)


def _salvage(data: bytes, fmt: FileFormat) -> list[RawRecord]:
    """Returns the whole records before the place where a list of records breaks off."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return []
    if fmt.layout == "array":
        start, prefix = text.find("["), "$"
    elif fmt.layout == "envelope":
        match = re.search(rf'"{re.escape(fmt.items or "")}"\s*:\s*\[', text)
        start, prefix = (match.end() - 1 if match else -1), f"$.{fmt.items}"
    else:
        return []
    records: list[RawRecord] = []
    decoder = json.JSONDecoder()
    at = start + 1
    while start >= 0:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        records.append(RawRecord(f"{prefix}[{len(records)}]", text[at:end].encode()))
        at = end
    return records


def recognise_document(data: bytes, formats: Iterable[FileFormat]) -> FileFormat | None:
    """Returns the format that the first record of a JSON document has the keys of, or null."""
    for each in formats:
        if not each.keys or each.layout == "text":
            continue
        division = divide_document("", data, each)
        first = next((raw for raw in division.records if not raw.is_envelope), None)
        if first is None:
            continue
        try:
            keys = msgspec.json.decode(first.data, type=dict[str, msgspec.Raw]).keys()
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        if each.keys <= keys:
            return each
    return None


class ReadRecord(msgspec.Struct, frozen=True):
    """A record as far as it could be decoded, with the findings that it gave.

    Attributes:
        raw: where it stands and its bytes.
        decoded: the typed record; null where the bytes are not JSON.
        findings: everything wrong with its structure.
    """

    raw: RawRecord
    decoded: Decoded[Any] | None
    findings: list[Finding] = []

    @property
    def record(self) -> Any:
        """The typed record; null where it could not be typed."""
        return None if self.decoded is None else self.decoded.record


_RULES = {
    "missing": faults.MISSING_FIELD,
    "type": faults.WRONG_TYPE,
    "unknown": faults.UNKNOWN_FIELD,
}


def decode_raw(name: str, raw: RawRecord, fmt: FileFormat) -> ReadRecord:
    """Decodes a raw record into the type that its format declares; never raises on bad data."""
    if fmt.layout == "text":
        return ReadRecord(raw, Decoded(raw.record))
    of = fmt.envelope if raw.is_envelope else fmt.record
    try:
        decoded = decode_record(raw.data, of)
    except msgspec.DecodeError as error:
        return ReadRecord(raw, None, [_not_json(name, raw.path, raw.data, error)])
    findings = []
    for fault in decoded.faults:
        rule = _RULES[fault.kind]
        path = raw.path + fault.path
        findings.append(rule.finding(name, path, expected=fault.expected, found=fault.found))
    return ReadRecord(raw, decoded, findings)


def iterate_records(document: Document, fmt: FileFormat) -> Iterator[ReadRecord]:
    """Reads, divides and decodes one document; findings of the whole come with a null record.

    Raises:
        SourceError: the document cannot be read.
    """
    division = divide_document(document.name, document.read(), fmt)
    if division.findings:
        yield ReadRecord(RawRecord("$", b""), None, division.findings)
    for raw in division.records:
        yield decode_raw(document.name, raw, fmt)
