"""Records put together to the document that they came from: the inverse of ``dividing``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby

import msgspec

from commonground.files.dividing import find_items, split_known_object
from commonground.files.formats import FileFormat, Layout


class DocumentPiece(msgspec.Struct, frozen=True, gc=False):
    """JSON and path of a record, or of what stands around records, as ``RawRecord`` has it."""

    path: str
    text: str


def join_pieces(pieces: Iterable[DocumentPiece], fmt: FileFormat) -> Iterator[str]:
    """Yields the text of a JSON document, a record a line; see ``formats.Layout``.

    Of some of the records it makes a document that has only them. They come in the order in which
    dividing gives them; a format with layout ``text`` renders its records itself.
    """
    in_order = iter(pieces)
    return _envelope(in_order, fmt) if fmt.layout == "envelope" else _JOIN[fmt.layout](in_order)


def _document(pieces: Iterator[DocumentPiece]) -> Iterator[str]:
    for piece in pieces:
        yield piece.text


def _array(pieces: Iterator[DocumentPiece]) -> Iterator[str]:
    yield from _list(pieces)
    yield "\n"


def _list(pieces: Iterable[DocumentPiece]) -> Iterator[str]:
    yield "["
    for number, piece in enumerate(pieces):
        yield ",\n" if number else "\n"
        yield piece.text
    yield "\n]"


def _map(pieces: Iterator[DocumentPiece]) -> Iterator[str]:
    yield "{"
    for number, piece in enumerate(pieces):
        # The path is $["key"], the key written as JSON.
        yield f"{',' if number else ''}\n{piece.path[2:-1]}: {piece.text}"
    yield "\n}\n"


def _splits(pieces: Iterator[DocumentPiece]) -> Iterator[str]:
    yield "{"
    for number, (_, group) in enumerate(groupby(pieces, _ListOf())):
        first = next(group)
        key, is_record = _read_split(first.path)
        yield f"{',' if number else ''}\n{json.dumps(key)}: "
        if is_record:
            yield from _list(chain((first,), group))
        else:
            yield first.text
    yield "\n}\n"


# Greedy: a split may be named ``a[1]`` itself, and the last number is that of the record.
_RECORD = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)


def _read_split(path: str) -> tuple[str, bool]:
    """Returns the split that a path names, and whether it names a record of it."""
    match = _RECORD.fullmatch(path)
    below = (match[1] if match else path)[1:]
    return below[1:] if below.startswith(".") else json.loads(below[1:-1]), match is not None


class _ListOf:
    """Numbers the lists that records are in: a key that stands twice has two."""

    def __init__(self) -> None:
        self._list, self._before = 0, ("", -1)

    def __call__(self, piece: DocumentPiece) -> int:
        match = _RECORD.fullmatch(piece.path)
        place = (match[1], int(match[2])) if match else ("", -1)
        if match is None or place[0] != self._before[0] or place[1] <= self._before[1]:
            self._list += 1
        self._before = place
        return self._list


def _envelope(pieces: Iterator[DocumentPiece], fmt: FileFormat) -> Iterator[str]:
    items = fmt.items or ""
    first = next(pieces, None)
    fields = [(items, msgspec.Raw(b"[]"))]
    if first is not None and first.path == "$":
        fields, first = list(split_known_object(first.text.encode())), next(pieces, None)
    place = find_items(fields, fmt)
    if place is None and first is not None:  # what stood around the records is not there
        fields.append((items, msgspec.Raw(b"[]")))
        place = len(fields) - 1
    yield "{"
    for number, (key, value) in enumerate(fields):
        yield f"{',' if number else ''}\n{json.dumps(key)}: "
        if number == place and first is not None:
            yield from _list(chain((first,), pieces))
        else:
            yield bytes(value).decode()
    yield "\n}\n"


_JOIN: dict[Layout, Callable[[Iterator[DocumentPiece]], Iterator[str]]] = {
    "document": _document,
    "array": _array,
    "map": _map,
    "splits": _splits,
}
