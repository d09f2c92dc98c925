"""What a document that is not JSON still has: its records, and what else stands between them.

A record ends where its brackets say so, whatever its texts hold: raw control characters and escapes
that are none do not hide its end. Where brackets do not say it, as in a record that breaks off, the
next object with the fields of a record is where the list is taken up again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from commonground.files.formats import FileFormat
from commonground.records import render_path


class Salvaged(NamedTuple):
    """A run of bytes of a broken document.

    Attributes:
        kind: ``record`` for one whose beginning and end are known, which need not be JSON;
            ``around`` for a list of records as a whole (layout ``envelope``) or what stands in
            place of one (layout ``splits``); ``lost`` for what is nothing of that.
        end: place after its last byte.
        path: JSON path in the document.
        split: with layout ``splits``, the list that it is in.
        key: with layout ``map``, its id.
    """

    kind: Literal["record", "around", "lost"]
    start: int
    end: int
    path: str
    split: str | None = None
    key: str | None = None


def salvage_document(data: bytes, fmt: FileFormat) -> Iterator[Salvaged]:
    """Yields what a broken document consists of, in order; nothing where it is of another layout.

    The document has no byte order mark, and its layout is not ``document`` or ``text``.
    """
    salvage = _Salvage(data, fmt)
    begin = len(data) - len(data.lstrip())
    if fmt.layout == "array" and data.startswith(b"[", begin):
        yield from salvage.take_list(begin + 1)
    elif fmt.layout in ("splits", "map") and data.startswith(b"{", begin):
        yield from salvage.take_object(begin + 1)
    elif fmt.layout == "envelope":
        # Where the list of records begins: "dialogue_data": [
        match = re.search(rb'"%s"\s*:\s*\[' % re.escape((fmt.items or "").encode()), data)
        if match is not None:
            yield from salvage.take_list(match.end(), f"$.{fmt.items}")
            yield Salvaged("around", match.end() - 1, salvage.at, "$")


# A text ends at a quote after which a text can end; any other is one that nobody escaped. A quote
# after a brace opens a key, so the text before it broke off. Of what is JSON, all this is exact.
_TEXT = (
    rb'"(?:[^"\\{]++|\\(?:.|\Z)|\{(?!\s*+"(?!\s*+[,:}\]]))|"(?!\s*+(?:[,:}\]]|\Z)))*+'
    rb'(?:"|(?=\{)|\Z)'
)
_TOKEN = re.compile(_TEXT + rb'|[][{},:]|[^\s,:{}\[\]"]++', re.DOTALL)
_COLON = re.compile(rb"\s*+:\s*+")
_OPENERS = {b"}": b"{", b"]": b"["}
_MARKS = frozenset({b",", b":", b"]", b"}"})

_Wanted = tuple[bytes, ...]

_NOTHING: _Wanted = (b"",)
_COMMA: _Wanted = (b",",)
_ANY: _Wanted = (b"", b",")
_AT_END: dict[_Wanted, _Wanted] = {(): (), _NOTHING: _NOTHING, _COMMA: _NOTHING, _ANY: _ANY}
"""What may stand before the end of a list, by what may stand before one more record."""

# What stands before a record that is the value of a key, or the first in the list of one.
_BEFORE = {
    "map": re.compile(rb'("(?:[^"\\]|\\.)*+")\s*:\s*\Z', re.DOTALL),
    "splits": re.compile(rb'("(?:[^"\\]|\\.)*+")\s*:\s*\[\s*\Z', re.DOTALL),
}
_LONGEST_KEY = 1 << 10

_BRACKET = re.compile(rb"\s*+\]")
_KEY_INSIDE = re.compile(rb',\s*+"(?!\Z)')
_END = re.compile(rb"\s*+(?:\}\s*+)?\Z")
# The next list: whether it is empty, or else the first key of its first record.
_NEXT_LIST = re.compile(
    rb'\s*+,\s*+"(?:[^"\\]|\\.)*+"\s*+:(?:\s*+\[\s*+(?:(\])|\{\s*+"([^"\\]*+)"))?', re.DOTALL
)

_LONGEST_REST = 1 << 16
"""Bytes of what may stand after the list of records in its object."""


class _Open(NamedTuple):
    """A list or object that has begun, with the keys it has so far."""

    start: int
    sign: bytes
    keys: set[bytes]


class _Value(NamedTuple):
    """What became of a value that was gone through.

    Attributes:
        end: the place after it; of one that never ends, where the next record begins, or the end.
        is_whole: whether it ends.
        is_record: whether it ends and has the fields of a record.
    """

    end: int
    is_whole: bool
    is_record: bool


class _Salvage:
    """Goes through a broken document, or a part of one.

    Attributes:
        at: the place after the list that was taken last.
    """

    def __init__(self, data: bytes, fmt: FileFormat) -> None:
        self.at = 0
        self._is_cut = False
        self._data = data
        self._layout = fmt.layout
        self._required = _find_required(fmt)

    def take_list(
        self, begin: int, path: str = "$", split: str | None = None
    ) -> Iterator[Salvaged]:
        """Takes the records of a list, from after its bracket; ``split`` is its name, if any."""
        number = 0
        is_closed = False  # whether the list has ended, so that nothing should follow
        # What stands between two records begins at `before`, and should be one of `wanted`.
        at, before, wanted = begin, begin, _NOTHING
        while match := _TOKEN.search(self._data, at):
            start, at = match.span()
            if match[0] == b"]" and not is_closed and self._is_end(at):
                yield from self._between(before, start, _AT_END[wanted], path)
                if self._layout != "array":
                    self.at = at
                    return
                before, wanted, is_closed = at, _NOTHING, True
                continue
            if not self._may_begin(match[0]):
                continue
            value = self._pass(match)
            at = value.end
            if is_closed or self._data[before:start].strip() not in wanted:
                if not value.is_record:
                    continue
                key = self._find_key(start)
                yield self._lost(before, key.start() if key else start, path)
                # A record that has lost its brace is one, too.
                number += bool(self._data[before:start].strip(b" \t\r\n,[]{}"))
                if key is not None:
                    path, split, number = _name_list(key)
                is_closed = False
            where = f"{path}[{number}]"
            before, number = at, number + 1
            if value.is_whole:
                wanted = _COMMA
                yield Salvaged("record", start, at, where, split)
                continue
            wanted = _ANY
            key = self._find_key(at)
            yield self._lost(start, key.start() if key else at, where)
            if key is not None:
                path, split, number = _name_list(key)
        self.at = len(self._data)
        self._is_cut = True
        if not (is_closed or wanted == _ANY):
            wanted = ()
        yield from self._between(before, self.at, _AT_END[wanted], path)

    def take_object(self, begin: int) -> Iterator[Salvaged]:
        """Takes the values of the object that the document is, from after its brace."""
        at, before, wanted = begin, begin, _NOTHING
        while match := _TOKEN.search(self._data, at):
            at = match.end()
            colon = _COLON.match(self._data, at)
            first = colon and _TOKEN.match(self._data, colon.end())
            if not match[0].startswith(b'"') or not first or first[0] in _MARKS:
                continue
            yield from self._between(before, match.start(), wanted, "$")
            key = _decode_key(match[0])
            path = f"$[{json.dumps(key)}]" if self._layout == "map" else f"${render_path((key,))}"
            if not is_json(match[0]):
                yield self._lost(*match.span(), path)
            wanted = _COMMA
            if self._layout == "splits" and first[0] == b"[":
                yield from self.take_list(first.end(), path, key)
                before = at = self.at
                continue
            value = self._pass(first)
            # A text without an end goes on to the quote of the next key.
            broken = _KEY_INSIDE.search(first[0]) if value.end == first.end() else None
            before = at = first.start() + broken.start() if broken else value.end
            if not value.is_whole:
                wanted = _ANY
                found = self._find_key(at)
                before = at = found.start() if found else at
                yield self._lost(match.start(), at, path)
            elif self._layout == "map":
                yield Salvaged("record", first.start(), at, path, key=key)
            else:
                yield Salvaged("around", first.start(), at, path, key)
        left = self._data[before:].strip()
        # A list or value that breaks off has said so.
        if left != b"}" and (left or (not self._is_cut and wanted != _ANY)):
            yield self._lost(before, len(self._data), "$")

    def _between(self, start: int, end: int, wanted: _Wanted, path: str) -> Iterator[Salvaged]:
        if self._data[start:end].strip() not in wanted:
            yield self._lost(start, end, path)

    def _lost(self, start: int, end: int, path: str) -> Salvaged:
        text = self._data[start:end].rstrip()
        return Salvaged("lost", start + len(text) - len(text.lstrip()), start + len(text), path)

    def _is_end(self, at: int) -> bool:
        """Says whether a bracket before a place ends the list of records."""
        if self._layout == "array" or _END.match(self._data, at):
            return True
        if self._layout == "envelope":
            rest = self._data[at : at + _LONGEST_REST + 1]
            return len(rest) <= _LONGEST_REST and is_json(b'{"":0' + rest)
        following = _NEXT_LIST.match(self._data, at)
        if following is None or not self._required:
            return following is not None
        # Lists within a record are of something else than records.
        return bool(following[1]) or any(following[2] in keys for keys in self._required)

    def _may_begin(self, token: bytes) -> bool:
        """Says whether a record may begin with a token."""
        return token == b"{" if self._required else token not in _MARKS

    def _pass(self, first: re.Match[bytes]) -> _Value:
        """Goes through the value that begins with a token."""
        opened: list[_Open] = []
        # How many of each are open, so that a mark that closes nothing is seen at once.
        counts = {b"{": 0, b"[": 0}
        for match in _TOKEN.finditer(self._data, first.start()):
            sign, end = match[0], match.end()
            if sign in counts:
                counts[sign] += 1
                opened.append(_Open(match.start(), sign, set()))
            elif not opened:
                return _Value(end, is_whole=True, is_record=not self._required)
            elif sign.startswith(b'"') and _COLON.match(self._data, end):
                opened[-1].keys.add(sign[1:-1])
            elif sign == b"}" and opened[-1].sign == b"[" and _BRACKET.match(self._data, end):
                continue  # the list within it goes on, so this brace is one too many
            elif sign in _OPENERS and counts[_OPENERS[sign]]:
                closed = opened.pop()
                counts[closed.sign] -= 1
                # What was not closed within it ends with it.
                while closed.sign != _OPENERS[sign]:
                    closed = opened.pop()
                    counts[closed.sign] -= 1
                is_record = self._is_record(closed)
                if not opened:
                    return _Value(end, is_whole=True, is_record=is_record)
                if is_record and self._required:
                    return _Value(closed.start, is_whole=False, is_record=False)
        return _Value(len(self._data), is_whole=False, is_record=False)

    def _is_record(self, closed: _Open) -> bool:
        if not self._required:
            return True
        if not any(keys <= closed.keys for keys in self._required):
            return False
        return self._layout != "map" or self._find_key(closed.start) is not None

    def _find_key(self, at: int) -> re.Match[bytes] | None:
        """Finds the key whose value, or the first record of whose list, begins at a place."""
        before = _BEFORE.get(self._layout)
        return before and before.search(self._data, max(0, at - _LONGEST_KEY), at)


def _find_required(fmt: FileFormat) -> list[set[bytes]]:
    """Returns the fields that an object must have to be a record, of each type of record."""
    info = msgspec.inspect.type_info(fmt.record)
    kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    found = [
        {field.encode_name.encode() for field in kind.fields if field.required}
        for kind in kinds
        if isinstance(kind, msgspec.inspect.StructType)
    ]
    return found if len(found) == len(kinds) and all(found) else []


def _name_list(key: re.Match[bytes]) -> tuple[str, str, int]:
    """Returns path and name of the list that begins after a key, and its first number."""
    split = _decode_key(key[1])
    return f"${render_path((split,))}", split, 0


def _decode_key(data: bytes) -> str:
    try:
        return str(json.loads(data.decode(errors="backslashreplace"), strict=False))
    except ValueError:
        return data.decode(errors="backslashreplace").strip('"')


def is_json(data: bytes) -> bool:
    """Says whether bytes are JSON."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True
