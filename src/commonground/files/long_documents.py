"""Documents that are larger than a worker's memory may be, divided without reading them whole.

A long document is gone through once, some megabytes of it in memory at a time, to see where its
records stand. What was found are stretches: runs of bytes that each can be read by themselves, on
whatever machine, and divided as a short document is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from commonground.files.dividing import (
    BOM,
    RAW_LIST,
    RAW_MAP,
    Division,
    Origin,
    RawRecord,
    ReadRecord,
    add_salvaged,
    decode_raw,
    divide_document,
    find_error,
    is_recognised,
    not_json,
    recognise_document,
)
from commonground.files.formats import FileFormat
from commonground.files.packed import find_disguise
from commonground.files.salvage import ListPlace, is_json, salvage_list
from commonground.files.sources import PIECE_BYTES, Document
from commonground.records import render_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONG_BYTES = 64 << 20
"""Documents of more are gone through; others are read whole, which is faster."""

STRETCH_BYTES = 8 << 20
"""A stretch has as many bytes, and the rest of its last record."""

MOST_FRAME_BYTES = 64 << 20
"""How much may stand around the lists of records of a document."""

LONGEST_KEY = 1 << 16
"""Bytes of the longest key that a list of records may have."""

_DIVISIBLE = frozenset({"array", "envelope", "splits"})

_SPACE = b" \t\r\n"


class Stretch(msgspec.Struct, frozen=True):
    """A run of bytes of a long document that can be divided by itself.

    Attributes:
        kind: ``frame`` for what stands around the lists of records, which comes first; ``records``
            of one list; ``gap`` for what stands where a list should, or an empty list; ``rest`` for
            where the document breaks off.
        start: place of its first byte.
        end: place behind its last byte.
        first: number of its first record in their list.
        split: with layout ``splits``, the list that they are in.
        line: of its first byte, from 1.
        column: of its first byte, from 1.
        before: what makes a list of it, put before it; of a ``frame`` or ``gap``, all of it.
    """

    kind: Literal["frame", "records", "gap", "rest"]
    start: int = 0
    end: int = 0
    first: int = 0
    split: str | None = None
    line: int = 1
    column: int = 1
    before: bytes = b"["


class Scan(msgspec.Struct, frozen=True):
    """A long document that was gone through.

    Attributes:
        stretches: in the order of their records.
        sha256: of the whole document, in hexadecimal digits.
    """

    stretches: list[Stretch]
    sha256: str


def is_long(document: Document, fmt: FileFormat) -> bool:
    """Says whether a document is divided by stretches."""
    return document.size > LONG_BYTES and fmt.layout in _DIVISIBLE


def scan_document(document: Document, fmt: FileFormat) -> Scan:
    """Goes through a document and says where its records stand.

    Raises:
        SourceError: the document cannot be read.
    """
    scanner = _Scanner(fmt)
    digest = hashlib.sha256()
    disguise = None
    for number, piece in enumerate(document.iterate_pieces()):
        digest.update(piece)
        if number == 0:
            disguise = find_disguise(document, piece, fmt)
        if disguise is None:
            scanner.feed(piece)
    if disguise is not None:
        head = Stretch("rest", 0, min(PIECE_BYTES, document.size), before=b"")
        return Scan([head], digest.hexdigest())
    stretches = scanner.finish(document.name)
    if stretches[-1].kind == "rest" and stretches[-1].before:
        stretches += _take_up(document, stretches.pop(), fmt)
    return Scan(stretches, digest.hexdigest())


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


def divide_stretch(document: Document, stretch: Stretch, fmt: FileFormat) -> Division:
    """Reads one stretch of a document and divides it into records.

    Args:
        document: the document.
        stretch: as :func:`scan_document` found it.
        fmt: the document's format.

    Raises:
        SourceError: the document cannot be read.
    """
    data = b""
    if stretch.start < stretch.end:
        data = document.read_stretch(stretch.start, stretch.end)
    if stretch.kind == "rest" and stretch.start == 0:
        disguise = find_disguise(document, data[:PIECE_BYTES], fmt)
        if disguise is not None:
            return Division(findings=[disguise])
    return _divide(document.name, data, stretch, fmt, goes_on=stretch.end < document.size)


def iterate_divisions(document: Document, fmt: FileFormat) -> Iterator[Division]:
    """Yields a document's records: all at once, or stretch by stretch where it is long.

    Raises:
        SourceError: the document cannot be read.
    """
    if not is_long(document, fmt):
        yield divide_whole(document, document.read(), fmt)
        return
    for stretch in scan_document(document, fmt).stretches:
        yield divide_stretch(document, stretch, fmt)


def iterate_records(document: Document, fmt: FileFormat) -> Iterator[ReadRecord]:
    """Reads, divides and decodes one document; findings of the whole come with None for a record.

    Raises:
        SourceError: the document cannot be read.
    """
    for division in iterate_divisions(document, fmt):
        if division.findings:
            yield ReadRecord(RawRecord("$", b""), None, division.findings)
        for raw in division.records:
            yield decode_raw(document.name, raw, fmt)


def recognise_file(document: Document, formats: Sequence[FileFormat]) -> FileFormat | None:
    """Returns the format that the first record of a JSON document has the keys of, or None.

    Raises:
        SourceError: the document cannot be read.
    """
    if document.size <= LONG_BYTES:
        return recognise_document(document.read(), formats)
    head = document.read_stretch(0, PIECE_BYTES)
    for fmt in formats:
        if fmt.keys and fmt.layout in _DIVISIBLE and is_recognised(_begin(head, fmt), fmt):
            return fmt
    return None


def _begin(head: bytes, fmt: FileFormat) -> Iterator[RawRecord]:
    """Yields the records that the beginning of a document has whole."""
    scanner = _Scanner(fmt)
    scanner.feed(head)
    for stretch in scanner.finish(""):
        data = head[stretch.start : stretch.end]
        yield from _divide("", data, stretch, fmt, goes_on=True).records


def _divide(
    name: str, data: bytes, stretch: Stretch, fmt: FileFormat, *, goes_on: bool
) -> Division:
    """Divides the bytes of a stretch.

    Args:
        name: of the document.
        data: the bytes.
        stretch: where they stand.
        fmt: the document's format.
        goes_on: whether the document has more bytes behind them.
    """
    path = _path_of(stretch, fmt)
    if stretch.kind == "gap":
        raw = RawRecord(path, stretch.before, split=stretch.split, is_envelope=True)
        return Division([raw])
    if stretch.kind == "frame":
        division = divide_document(name, stretch.before, fmt) if stretch.before else Division()
        # In place of each list's records it has one that is none.
        around = [raw for raw in division.records if raw.is_envelope and fmt.layout == "envelope"]
        return Division(around, division.findings)
    data += b"]" if stretch.kind == "records" else b""
    listed = stretch.before + data
    division = Division()
    try:
        values = _decoder(stretch, fmt).decode(listed)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        origin = Origin(stretch.line, stretch.column, 0, stretch.start)
        if stretch.before:
            place = _place_of(stretch, path, goes_on=goes_on and stretch.kind == "rest")
            add_salvaged(name, data, salvage_list(data, fmt, place), division, origin)
            if not (division.findings or division.records):
                # Nothing stands here, so the comma before it is the one behind the last record.
                origin = Origin(stretch.line, stretch.column - 1, 0, stretch.start - 1)
                division.findings.append(not_json(name, path, b",", find_error(b","), origin))
        else:
            origin = Origin(stretch.line, stretch.column)
            division.findings.append(not_json(name, path, data, error, origin))
        return division
    for number, value in enumerate(values[1:] if stretch.before == _BEHIND else values):
        at = f"{path}[{stretch.first + number}]"
        division.records.append(RawRecord(at, bytes(value), split=stretch.split))
    return division


def _place_of(stretch: Stretch, path: str, *, goes_on: bool) -> ListPlace:
    return ListPlace(path, stretch.split, stretch.first, stretch.before == _CLOSED, goes_on)


def _take_up(document: Document, rest: Stretch, fmt: FileFormat) -> Iterator[Stretch]:
    """Yields stretches that each end behind a record, from where a document breaks off.

    Raises:
        SourceError: the document cannot be read.
    """
    while rest.start < document.size:
        end = min(rest.start + LONG_BYTES, document.size)
        data = document.read_stretch(rest.start, end)
        following = msgspec.structs.replace(rest, start=end, before=b"[")
        if end < document.size:
            place = _place_of(rest, _path_of(rest, fmt), goes_on=True)
            found = [each for each in salvage_list(data, fmt, place) if each.kind == "record"]
            if found:
                # The last one is read again, since what comes behind it may be cut in two.
                last = found[-1]
                end = rest.start + (last.start or last.end)
                number = int(last.path[last.path.rindex("[") + 1 : -1]) + (not last.start)
                following = Stretch("rest", end, end, number, last.split)
        yield msgspec.structs.replace(rest, end=end)
        origin = Origin(rest.line, rest.column).move(data[: end - rest.start])
        rest = msgspec.structs.replace(following, start=end, line=origin.line, column=origin.column)


def _decoder(stretch: Stretch, fmt: FileFormat) -> Any:
    """Returns what reads a stretch; one that is all of a document says what that should be."""
    if stretch.before or fmt.layout == "array":
        return RAW_LIST
    return RAW_MAP


def _path_of(stretch: Stretch, fmt: FileFormat) -> str:
    if not stretch.before.startswith((b"[", b"{")) and stretch.kind == "rest":
        return "$"
    if fmt.layout == "envelope":
        return f"$.{fmt.items}"
    return "$" if stretch.split is None else f"${render_path((stretch.split,))}"


_BEHIND = b"[0,"
"""Before records that others come before: a comma with nothing on one side is an error so."""

_CLOSED = b"[]"
"""Before what stands behind the end of a document."""

_BLOCK_BYTES = 1 << 18
"""As many at a time stay in a processor's cache."""

# The last text of bytes that end with ``"key": [``, with its escapes.
_LIST_OF = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:\s*\[\Z', re.DOTALL)


class _Mark(NamedTuple):
    """A mark between texts that says where records begin or end.

    Attributes:
        place: in the document.
        sign: the mark itself.
        depth: in how many lists and objects the document is behind it.
    """

    place: int
    sign: bytes
    depth: int


class _Marks:
    """Finds the marks of a document whose bytes come in pieces.

    Args:
        level: in how many lists and objects the records are; marks within records are left out.
    """

    def __init__(self, level: int) -> None:
        self._level = level
        self._in_text = False
        self.depth = 0
        # Whether the pieces before ended in a backslash that counts for what follows.
        self._escaped = False

    def find(self, data: bytes, offset: int) -> Iterator[_Mark]:
        """Yields the marks of the next piece, in order.

        Args:
            data: the piece.
            offset: its place in the document.
        """
        for begin in range(0, len(data), _BLOCK_BYTES):
            block = data[begin : begin + _BLOCK_BYTES]
            for place, sign, depth in self._find_in_block(block):
                yield _Mark(offset + begin + place, sign, depth)

    def _find_in_block(self, data: bytes) -> Iterator[_Mark]:
        import numpy as np

        letters = np.frombuffer(data, np.uint8)
        between = self._between(letters)
        # `[` and `{` differ in one bit, and so do `]` and `}`; nothing else falls on these two.
        folded = letters & 0xDF
        opens = folded == ord("[")
        (places,) = np.nonzero((opens | (folded == ord("]"))) & between)
        begun, level = self.depth, self._level
        depths = begun + np.cumsum(np.where(opens[places], 1, -1))
        if len(depths):
            self.depth = int(depths[-1])
        (outside,) = np.nonzero(depths <= level)
        ends = np.append(places, len(data))
        if begun == level:
            yield from self._find_commas(data, between, 0, int(ends[0]))
        for number in outside.tolist():
            place, depth = int(places[number]), int(depths[number])
            # What ends a record is no mark; the comma behind it is one.
            if depth < level or opens[place]:
                yield _Mark(place, data[place : place + 1], depth)
            if depth == level:
                yield from self._find_commas(data, between, place + 1, int(ends[number + 1]))

    def _find_commas(
        self, data: bytes, between: NDArray[np.bool_], begin: int, end: int
    ) -> Iterator[_Mark]:
        """Yields the commas of a stretch in which nothing opens or closes."""
        place = data.find(b",", begin, end)
        while place >= 0:
            if between[place]:
                yield _Mark(place, b",", self._level)
            place = data.find(b",", place + 1, end)

    def _between(self, letters: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Says of each byte whether it stands between texts."""
        import numpy as np

        quotes = letters == ord('"')
        slashes = letters == ord("\\")
        if self._escaped or slashes.any():
            quotes[self._find_escaped(quotes, slashes)] = False
        inside = np.bitwise_xor.accumulate(quotes.view(np.uint8))
        if self._in_text:
            np.bitwise_xor(inside, 1, out=inside)
        if len(inside):
            self._in_text = bool(inside[-1])
        between: NDArray[np.bool_] = inside == 0
        return between

    def _find_escaped(
        self, quotes: NDArray[np.bool_], slashes: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """Returns the places of quotes with an odd number of backslashes before them."""
        import numpy as np

        # As if one stood before the block where those that ended the one before count.
        before = np.concatenate(([self._escaped], slashes[:-1]))
        (places,) = np.nonzero(quotes & before)
        (runs,) = np.nonzero(slashes)
        if self._escaped:
            runs = np.concatenate(([-1], runs))
        # Where the first backslash of several stands.
        begins = runs[np.diff(runs, prepend=-3) > 1]
        lengths = places - begins[np.searchsorted(begins, places) - 1]
        ends_so = len(slashes) > 0 and bool(slashes[-1])
        self._escaped = ends_so and bool((len(slashes) - begins[-1]) % 2)
        escaped: NDArray[np.intp] = places[lengths % 2 == 1]
        return escaped


class _List:
    """A list of records that is being gone through.

    Attributes:
        split: its name, with layout ``splits``.
        found: its stretches so far.
        begin: where the next one begins.
        first: number of the record there.
        at: line and column there.
        count: number of the record behind the last comma.
        comma: where that comma is.
        at_comma: line and column behind it.
        has_content: whether anything is in the list.
    """

    def __init__(self, split: str | None, begin: int, at: tuple[int, int]) -> None:
        self.split = split
        self.found: list[Stretch] = []
        self.begin, self.first, self.at = begin, 0, at
        self.comma, self.count, self.at_comma = begin - 1, 0, at
        self.has_content = False

    def take(self, kind: Literal["records", "rest"], end: int) -> None:
        """Makes a stretch of what comes up to a place."""
        line, column = self.at
        before = _BEHIND if self.first else b"["
        self.found.append(
            Stretch(kind, self.begin, end, self.first, self.split, line, column, before)
        )

    def pass_comma(self, place: int, at: tuple[int, int]) -> None:
        """Notes a comma between two records, and makes a stretch where there is enough for one."""
        self.has_content = True
        self.comma, self.count, self.at_comma = place, self.count + 1, at
        if place - self.begin >= STRETCH_BYTES:
            self.cut()

    def cut(self) -> None:
        """Makes a stretch of what comes up to the last comma."""
        if self.count > self.first:
            self.take("records", self.comma)
            self.begin, self.first, self.at = self.comma + 1, self.count, self.at_comma


class _Scanner:
    """Looks for the records of a document whose bytes come in pieces.

    What is in a record is not looked at; whether it is JSON is seen when it is read.
    """

    def __init__(self, fmt: FileFormat) -> None:
        self._fmt = fmt
        # In a list, or in the lists of an object.
        self._level = 1 if fmt.layout == "array" else 2
        self._marks = _Marks(self._level)
        self._lists: list[_List] = []
        self._list: _List | None = None
        self._rest: Stretch | None = None
        self._frame = bytearray()
        self._ended = False
        # The place up to which bytes are in the frame, or need not be.
        self._copied = 0
        self._offset = 0
        # Up to where lines were counted, how many there are, and where the last one begins.
        self._counted, self._line, self._line_start = 0, 1, 0

    def feed(self, data: bytes) -> None:
        """Takes up the next piece of the document."""
        if self._rest is None:
            if self._ended:
                self._refuse_more(data, self._offset)
            elif self._begins(data):
                for mark in self._marks.find(data, self._offset):
                    self._pass(mark, data)
                    if self._rest is not None or self._ended:
                        break
            self._copy(data, self._offset + len(data))
            self._locate(data, self._offset + len(data))
        self._offset += len(data)

    def finish(self, name: str) -> list[Stretch]:
        """Returns what was found; nothing comes after the last piece.

        Args:
            name: of the document.
        """
        if self._rest is None and not self._ended:
            self._break_off(self._offset, b"")
        if self._rest is not None:
            self._close_frame()
        # Of two lists of one name the last counts, as it does for all readers of JSON.
        lists = self._lists[-1:] if self._fmt.layout == "envelope" else self._lists
        found = [each.found for each in lists]
        if self._fmt.layout == "splits" and self._rest is None:
            found = self._add_gaps(name, found)
        if self._rest is not None:
            end = min(self._rest.end, self._offset)
            found.append([msgspec.structs.replace(self._rest, end=end)])
        frame = Stretch("frame", before=bytes(self._frame))
        return [frame, *chain.from_iterable(found)]

    def _close_frame(self) -> None:
        """Ends what stands around a list that breaks off; drops what says nothing so."""
        whole = bytes(self._frame)
        closed = (whole, whole + b"0]}") if self._fmt.layout == "envelope" else ()
        self._frame[:] = next(filter(is_json, closed), b"")

    def _add_gaps(self, name: str, found: list[list[Stretch]]) -> list[list[Stretch]]:
        """Puts what stands in place of a list where it stands."""
        left = iter(found)
        ordered = []
        for raw in divide_document(name, bytes(self._frame), self._fmt).records:
            if raw.is_envelope:
                ordered.append([Stretch("gap", split=raw.split, before=raw.data)])
            else:
                ordered.append(next(left, []))
        return [*ordered, *left]

    def _begins(self, data: bytes) -> bool:
        """Says whether the document is a list or an object, as its format is, or may still be."""
        if self._marks.depth or self._list is not None:
            return True
        begun = data.removeprefix(BOM) if not self._offset else data
        text = begun.lstrip(_SPACE)
        if text and not text.startswith(b"[" if self._fmt.layout == "array" else b"{"):
            self._break_off(self._offset + len(data) - len(text), data, b"")
        return self._rest is None

    def _pass(self, mark: _Mark, data: bytes) -> None:
        if self._list is not None:
            self._pass_in_list(self._list, mark, data)
        elif mark.sign == b"[" and mark.depth == self._level:
            self._copy(data, mark.place + 1)
            self._open(mark.place + 1, data)
        elif mark.depth == 0 and mark.sign == b"}":
            self._end(mark.place + 1, data)

    def _open(self, place: int, data: bytes) -> None:
        """Begins a list, if it is one of records."""
        split = None
        if self._level == 2:
            # Keys of more than some kilobytes are none that a format has.
            key = _LIST_OF.search(self._frame, max(0, len(self._frame) - LONGEST_KEY))
            if key is None:
                return
            split = msgspec.json.decode(b'"' + key[1] + b'"')
            if self._fmt.layout == "envelope" and split != self._fmt.items:
                return
            split = split if self._fmt.layout == "splits" else None
        self._list = _List(split, place, self._locate(data, place))

    def _pass_in_list(self, listed: _List, mark: _Mark, data: bytes) -> None:
        if mark.sign == b"," and mark.depth == self._level:
            place = mark.place
            listed.pass_comma(place, self._locate(data, place + 1))
        elif mark.depth < self._level:
            self._look_for_content(listed, data, mark.place)
            if mark.sign != b"]":
                self._break_off(mark.place + 1, data)
                return
            if listed.has_content:
                self._frame += b"0"
                listed.take("records", mark.place)
            if listed.has_content or self._fmt.layout == "envelope":
                self._lists.append(listed)
            self._list, self._copied = None, mark.place
            if mark.depth == 0:
                self._end(mark.place + 1, data)

    def _look_for_content(self, listed: _List, data: bytes, end: int) -> None:
        if not listed.has_content:
            begin = max(listed.begin, self._offset)
            inside = data[begin - self._offset : end - self._offset]
            listed.has_content = bool(inside.strip(_SPACE))

    def _end(self, place: int, data: bytes) -> None:
        self._copy(data, place)
        self._ended = True
        self._refuse_more(data, place)

    def _refuse_more(self, data: bytes, begin: int) -> None:
        """Breaks off where anything stands behind the end of the document."""
        behind = data[begin - self._offset :].lstrip(_SPACE)
        if behind:
            self._break_off(self._offset + len(data) - len(behind), data, _CLOSED)

    def _copy(self, data: bytes, end: int) -> None:
        """Adds what is in no list of records to the frame, up to a place."""
        if self._list is not None:
            self._look_for_content(self._list, data, end)
        elif self._rest is None:
            self._frame += data[self._copied - self._offset : end - self._offset]
            self._copied = end
            if len(self._frame) > MOST_FRAME_BYTES:
                self._break_off(end, data)
        self._copied = max(self._copied, end)

    def _locate(self, data: bytes, place: int) -> tuple[int, int]:
        """Returns line and column of a place that is not before the last one asked for."""
        begin, end = self._counted - self._offset, place - self._offset
        newlines = data.count(b"\n", begin, end)
        if newlines:
            self._line += newlines
            self._line_start = self._offset + data.rfind(b"\n", begin, end) + 1
        self._counted = place
        return self._line, place - self._line_start + 1

    def _break_off(self, place: int, data: bytes, before: bytes = b"[") -> None:
        """Ends what can be gone through; some of what follows is read to say why.

        Args:
            place: where it ends.
            data: the piece that the place is in.
            before: what makes something to decode of what follows.
        """
        listed, self._list = self._list, None
        if listed is None:
            line, column = self._locate(data, place)
            end = place + (PIECE_BYTES if before != b"[" else 0)
            self._rest = Stretch("rest", place, end, 0, None, line, column, before)
            return
        listed.cut()
        # As much as a worker has room for.
        listed.take("rest", listed.begin + LONG_BYTES)
        self._rest = listed.found.pop()
        self._lists.append(listed)
