"""What a study plays with: its pieces of material, read from the file that `collect new` wrote.

What all pieces have in common, such as a database, stands in the file once and is in memory once,
however many pieces there are. So does what some have in common, such as a thread of which several
responses are labelled; in its place the pieces have its number::

    {
      "shared": {"packages": ...},
      "values": {"thread": [..., ...]},
      "pieces": [{"thread": 0, "event": 3}, {"thread": 0, "event": 5}, {"thread": 1, "event": 2}]
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError
from commonground.play.scenario import MaterialSource

WORTH_SHARING = 0.8
"""Share of a field's values that may differ where equal ones are kept once."""

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".svg")
# Looked for in the bytes: names of pictures stand at any depth of any scenario's material.
_PICTURE_END = re.compile(
    rb"(?:" + b"|".join(re.escape(each).encode() for each in _PICTURES) + rb')"', re.IGNORECASE
)
_ADVICE = "`commonground collect new` makes it."


class _File(msgspec.Struct):
    """The file: fields by the name that they have in JSON."""

    pieces: list[dict[str, msgspec.Raw]]
    shared: dict[str, msgspec.Raw] = {}
    values: dict[str, list[msgspec.Raw]] = {}


class Stock:
    """The material of a study.

    Attributes:
        pieces: of material, as the scenario's rules take them.
        met: for each piece, names of what somebody who played with it has seen; nobody is given
            two pieces that share one.
        pictures: the names of all pictures in the material.

    Args:
        source: where they came from; says what somebody has met who played with one.
        texts: every text of the material, in which the pictures are found.
    """

    def __init__(
        self, pieces: Sequence[Any], source: MaterialSource, texts: Iterator[str] | None = None
    ) -> None:
        self.pieces = pieces
        name = source.met
        self.met = (
            [frozenset((str(number),)) for number in range(len(pieces))]
            if name is None
            else [name(piece) for piece in pieces]
        )
        texts = list_texts(msgspec.to_builtins(pieces)) if texts is None else texts
        self.pictures = frozenset(each for each in texts if each.lower().endswith(_PICTURES))

    def __len__(self) -> int:
        return len(self.pieces)


def list_texts(value: Any) -> Iterator[str]:
    """Yields every text in plain JSON values, however deep, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from list_texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from list_texts(each)


def encode_stock(pieces: Sequence[Any]) -> bytes:
    """Returns the file of a study's material; the pieces are structs of one type."""
    fields = msgspec.structs.fields(pieces[0])
    shared = [each for each in fields if len(pieces) > 1 and _is_shared(pieces, each.name)]
    own = [each for each in fields if each not in shared]
    columns: dict[str, Sequence[Any]] = {}
    values: dict[str, list[msgspec.Raw]] = {}
    for each in own:
        columns[each.encode_name] = column = [getattr(piece, each.name) for piece in pieces]
        numbers = _number(column)
        if numbers is not None:
            columns[each.encode_name], values[each.encode_name] = numbers
    return msgspec.json.encode(
        {
            "shared": {each.encode_name: getattr(pieces[0], each.name) for each in shared},
            "values": values,
            "pieces": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
            if columns
            else [{} for _ in pieces],
        }
    )


def _is_shared(pieces: Sequence[Any], name: str) -> bool:
    first = getattr(pieces[0], name)
    return all((value := getattr(each, name)) is first or value == first for each in pieces)


def _number(column: Sequence[Any]) -> tuple[list[int], list[msgspec.Raw]] | None:
    """Numbers the values of a field, equal ones alike; None where too few of them are equal."""
    # A number in place of such a value would save nothing.
    if any(each is None or isinstance(each, str | int | float) for each in column):
        return None
    numbers: dict[bytes, int] = {}
    found = [numbers.setdefault(msgspec.json.encode(each), len(numbers)) for each in column]
    if len(numbers) > WORTH_SHARING * len(column):
        return None
    return found, [msgspec.Raw(each) for each in numbers]


def read_stock(path: Path, kind: type[Any], source: MaterialSource) -> Stock:
    """Reads the file of a study's material, whose pieces are of the type ``kind``.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it holds no material, or other material than the scenario's.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.", _ADVICE) from error
    try:
        # Studies of the first version have a list of whole pieces.
        is_list = data[:1] == b"["
        file = (
            _File(msgspec.json.decode(data, type=list[dict[str, msgspec.Raw]]))
            if is_list
            else (msgspec.json.decode(data, type=_File))
        )
        pieces = _decode(file, kind)
    except (msgspec.DecodeError, TypeError, IndexError) as error:
        raise FormatError(f"{path}: {error}.", _ADVICE) from error
    if not pieces:
        raise FormatError(f"{path} holds no material.", _ADVICE)
    return Stock(pieces, source, find_pictures(data))


def find_pictures(data: bytes) -> Iterator[str]:
    """Yields, each once, the texts in a file of JSON that end as the names of pictures do.

    Their ends are looked for, and from there the quote before: ten times as fast as going through
    all that the file holds.
    """
    found = set()
    for each in _PICTURE_END.finditer(data):
        start = data.rfind(b'"', 0, each.start())
        while _is_escaped(data, start):
            start = data.rfind(b'"', 0, start)
        found.add(data[start : each.end()])
    return (msgspec.json.decode(each) for each in found)


def _is_escaped(data: bytes, place: int) -> bool:
    """Says whether an odd number of backslashes stands before a place."""
    first = place
    while first and data[first - 1] == ord("\\"):
        first -= 1
    return (place - first) % 2 == 1


def _decode(file: _File, kind: type[Any]) -> list[Any]:
    fields = {each.encode_name: each for each in msgspec.structs.fields(kind)}
    decoders = {name: msgspec.json.Decoder(each.type) for name, each in fields.items()}
    values = {
        name: [decoders[name].decode(each) for each in raw]
        for name, raw in file.values.items()
        if name in fields
    }

    def decode(raw: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        return {
            fields[name].name: values[name][msgspec.json.decode(value, type=int)]
            if name in values
            else decoders[name].decode(value)
            for name, value in raw.items()
            if name in fields
        }

    shared = decode(file.shared)
    return [kind(**shared, **decode(piece)) for piece in file.pieces]
